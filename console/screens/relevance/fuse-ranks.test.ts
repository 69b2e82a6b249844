import { expect, test } from "vitest";
import { compareIds, fuseRanks } from "./fuse-ranks.ts";

const RANKINGS = [
  ["a", "b", "c"],
  ["d", "b"],
];

test("scores are sums of weights over ranks", () => {
  // With constant 10 and weights 2 and 1: b 2/12 + 1/12 = 0.25, a 2/11, c 2/13, d 1/11.
  const options = { rankings: RANKINGS, weights: [2, 1], rankConstant: 10, compareIds };
  expect(fuseRanks(options, 10)).toEqual(["b", "a", "c", "d"]);
  expect(fuseRanks(options, 2)).toEqual(["b", "a"]);
});

test("a ranking of weight 0 does not count", () => {
  const options = { rankings: RANKINGS, weights: [0, 1], rankConstant: 60, compareIds };
  expect(fuseRanks(options, 10)).toEqual(["d", "b"]);
});

test("equal scores go by id, integers by their number", () => {
  const options = { rankings: [["10"], ["9"]], weights: [1, 1], rankConstant: 60, compareIds };
  expect(fuseRanks(options, 10)).toEqual(["9", "10"]);
  expect(["b", "10", "a", "9"].sort(compareIds)).toEqual(["9", "10", "a", "b"]);
});
