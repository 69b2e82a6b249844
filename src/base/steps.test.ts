import { expect, test } from "vitest";
import { oneStep, runSteps, type Steps } from "./steps.ts";

function* countTo(end: number, ended: () => void): Steps<number> {
  try {
    for (let i = 0; i < end; i++) yield;
    return end;
  } finally {
    ended();
  }
}

test("steps run to their result, also within others", () => {
  let endCount = 0;
  function* twice(): Steps<number> {
    const first = yield* countTo(3, () => endCount++);
    return first + (yield* countTo(2, () => endCount++));
  }
  expect(runSteps(twice())).toBe(5);
  expect(runSteps(oneStep(() => 7))).toBe(7);
  expect(endCount).toBe(2);
});

test("steps that are ended early clean up", () => {
  let endCount = 0;
  const steps = countTo(3, () => endCount++);
  steps.next();
  steps.return(0);
  expect(endCount).toBe(1);
  expect(steps.next().done).toBe(true);
});
