/** Arrays of walks are used again, by as many walks as take turns. */

import { expect, test } from "vitest";
import { lendWalkArrays, returnWalkArrays } from "./walk-arrays.ts";

const COUNTS = [64, 32, 128, 96];

test("walks that take turns have arrays of their own, which are used again", () => {
  const lent = COUNTS.map(lendWalkArrays);
  expect(new Set(lent).size).toBe(COUNTS.length);
  for (const arrays of lent) returnWalkArrays(arrays);
  const again = COUNTS.map(lendWalkArrays);
  expect(new Set(again)).toEqual(new Set(lent));
  for (const [i, { lower }] of again.entries()) {
    expect(lower.length).toBeGreaterThanOrEqual(COUNTS[i]);
  }
  for (const arrays of again) returnWalkArrays(arrays);
});

test("those that are too small are made anew, and the larger ones are kept", () => {
  const larger = [256, 256, 256, 256].map(lendWalkArrays);
  for (const arrays of larger) returnWalkArrays(arrays);
  const again = [256, 256, 256, 256].map(lendWalkArrays);
  expect(new Set(again)).toEqual(new Set(larger));
  for (const arrays of again) returnWalkArrays(arrays);
});
