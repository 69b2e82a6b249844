import { expect, test } from "vitest";
import { Pace } from "./pace.ts";

test("a step is over when the units of all loops together reach its bound", () => {
  const pace = new Pace(10);
  const pauses: number[] = [];
  for (let outer = 0; outer < 6; outer++) {
    for (let inner = 0; inner < 3; inner++) if (pace.isDue(1)) pauses.push(outer);
  }
  expect(pauses).toEqual([3]);
});

test("work is counted where no pause is possible", () => {
  const pace = new Pace(10);
  pace.add(9);
  expect(pace.isDue()).toBe(false);
  pace.add(100);
  expect(pace.isDue()).toBe(true);
  expect(pace.isDue(9)).toBe(false);
});
