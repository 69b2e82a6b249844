import { expect, test } from "vitest";
import { Slices, type SliceUse } from "./slices.ts";
import type { Steps } from "./steps.ts";

function* countTo(count: number, seen: string[], name = ""): Steps<number> {
  for (let i = 0; i < count; i++) {
    seen.push(`${name}${i}`);
    yield;
  }
  return count;
}

/** Work whose steps take so long each; its clock stands still while others have their turn. */
function worked(stepMs: number, seen: string[], flow?: string) {
  let nowMs = 0;
  const uses: (SliceUse | undefined)[] = [];
  const slices = new Slices({
    clock: { monotonicMs: () => nowMs },
    flow,
    yield: async (use) => {
      uses.push(use);
      seen.push("others");
    },
  });
  const run = (count: number, name = "") =>
    slices.run(
      (function* () {
        for (const _ of countTo(count, seen, name)) {
          nowMs += stepMs;
          yield;
        }
        return count;
      })(),
    );
  const idle = (ms: number) => {
    nowMs += ms;
  };
  return { run, idle, uses };
}

test("others have their turn when a slice has lasted long enough, and only then", async () => {
  const seen: string[] = [];
  expect(await worked(1 / 160, seen).run(20)).toBe(20);
  expect(seen).not.toContain("others");
  const slow: string[] = [];
  expect(await worked(1 / 8, slow).run(7)).toBe(7);
  expect(slow.join(" ")).toBe("0 1 others 2 3 others 4 5 others 6");
});

test("a slice goes on over several pieces of work of one request", async () => {
  const seen: string[] = [];
  const { run } = worked(1 / 8, seen);
  for (const name of ["a", "b", "c", "d", "e"]) await run(1, name);
  expect(seen.join(" ")).toBe("a0 b0 others c0 d0 others e0");
});

test("who gives the turns hears whose work a slice was, and how long it took", async () => {
  const seen: string[] = [];
  const { run, idle, uses } = worked(1 / 8, seen, "movies");
  await run(1, "a");
  // Waiting is no work and does not count.
  idle(5);
  await run(2, "b");
  expect(seen.join(" ")).toBe("a0 b0 others b1");
  expect(uses).toEqual([{ flow: "movies", ms: 1 / 4 }]);
});

test("what a step throws comes out", async () => {
  const steps = (function* (): Steps<void> {
    yield;
    throw new Error("wrong");
  })();
  const slices = new Slices({ clock: { monotonicMs: () => 0 }, yield: async () => {} });
  await expect(slices.run(steps)).rejects.toThrow("wrong");
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
