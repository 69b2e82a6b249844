import { expect, test } from "vitest";
import { Slices } from "./slices.ts";
import type { Steps } from "./steps.ts";

function* countTo(count: number, seen: string[], name = ""): Steps<number> {
  for (let i = 0; i < count; i++) {
    seen.push(`${name}${i}`);
    yield;
  }
  return count;
}

/** A clock that goes on by `stepMs` whenever it is read. */
function slicesOf(stepMs: number, seen: string[]): Slices {
  let nowMs = 0;
  return new Slices({
    clock: { monotonicMs: () => (nowMs += stepMs) },
    yield: async () => {
      seen.push("others");
    },
  });
}

test("others have their turn when a slice has lasted long enough, and only then", async () => {
  const seen: string[] = [];
  expect(await slicesOf(1 / 160, seen).run(countTo(20, seen))).toBe(20);
  expect(seen).not.toContain("others");
  const slow: string[] = [];
  expect(await slicesOf(1 / 8, slow).run(countTo(7, slow))).toBe(7);
  expect(slow.join(" ")).toBe("0 1 others 2 3 others 4 5 others 6");
});

test("a slice goes on over several pieces of work of one request", async () => {
  const seen: string[] = [];
  const slices = slicesOf(1 / 8, seen);
  for (const name of ["a", "b", "c", "d", "e"]) await slices.run(countTo(1, seen, name));
  expect(seen.join(" ")).toBe("a0 b0 others c0 d0 others e0");
});

test("what a step throws comes out", async () => {
  const steps = (function* (): Steps<void> {
    yield;
    throw new Error("wrong");
  })();
  await expect(slicesOf(1, []).run(steps)).rejects.toThrow("wrong");
});

test("work that is of no use any more ends after the pause that shows it, tidily", async () => {
  const seen: string[] = [];
  const steps = (function* (): Steps<void> {
    try {
      for (;;) yield;
    } finally {
      seen.push("ended");
    }
  })();
  let pauses = 0;
  const slices = new Slices({
    clock: { monotonicMs: () => 0 },
    endsSlice: () => true,
    yield: async () => void pauses++,
    check: () => {
      if (pauses === 3) throw new Error("of no use");
    },
  });
  await expect(slices.run(steps)).rejects.toThrow("of no use");
  expect(seen).toEqual(["ended"]);
});
