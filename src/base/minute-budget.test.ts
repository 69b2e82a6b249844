import { expect, test } from "vitest";
import { MinuteBudget } from "./minute-budget.ts";

test("so many are allowed a minute, and as many in the next one", () => {
  let nowMs = 5;
  const budget = new MinuteBudget({ monotonicMs: () => nowMs }, 2);
  const take = () => [budget.hasRoom, budget.take()];
  expect([take(), take(), take()]).toEqual([
    [true, true],
    [true, true],
    [false, false],
  ]);
  nowMs += 59_999;
  expect(take()).toEqual([false, false]);
  nowMs += 1;
  expect([take(), take(), take()].map(([, isAllowed]) => isAllowed)).toEqual([true, true, false]);
});

test("none is allowed where none may be", () => {
  const budget = new MinuteBudget({ monotonicMs: () => 0 }, 0);
  expect([budget.hasRoom, budget.take(), budget.hasRoom]).toEqual([false, false, false]);
});
