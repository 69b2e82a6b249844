import { expect, test } from "vitest";
import { runSteps, type Steps } from "../../base/steps.ts";
import type { ObjectKey } from "../../storage/object-store.ts";
import { attemptAll, attemptAllInSteps, BytesMissing } from "./bytes-missing.ts";

const range = (object: string, start: number, end: number) => {
  return { object: object as ObjectKey, start, end };
};
const RANGES = [range("a", 0, 8), range("a", 0, 16), range("b", 0, 8)];

function missedBy(run: () => unknown): BytesMissing {
  try {
    run();
  } catch (error) {
    if (error instanceof BytesMissing) return error;
  }
  throw new Error("nothing was missed");
}

test("what several attempts miss is wanted once, after all of them were made", () => {
  let made = 0;
  const attempts = Array.from({ length: 9 }, (_, i) => () => {
    made++;
    if (i % 3 !== 2) throw new BytesMissing([RANGES[i % 3]], [range("c", 0, i % 2)]);
  });
  const missed = missedBy(() => attemptAll(attempts));
  expect(made).toBe(9);
  expect(missed.wanted).toEqual(RANGES.slice(0, 2));
  expect(missed.transient).toEqual([range("c", 0, 0), range("c", 0, 1)]);

  // biome-ignore lint/correctness/useYield: one step is all there is
  function* attempt(i: number): Steps<void> {
    throw new BytesMissing([RANGES[i]]);
  }
  const inSteps = missedBy(() => runSteps(attemptAllInSteps([2, 0, 2], attempt)));
  expect(inSteps.wanted).toEqual([RANGES[2], RANGES[0]]);
});

test("missing bytes have no stack, other errors keep theirs", () => {
  expect(new BytesMissing([]).stack).not.toContain("at ");
  expect(new Error("another one").stack).toContain("at ");
});
