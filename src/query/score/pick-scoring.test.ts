import { expect, test } from "vitest";
import { mayPassOver, pickScoring } from "./pick-scoring.ts";

test.each([
  [2048, 10, true],
  [2047, 10, false],
  [1_000_000, 0, true],
  [1_000_000, 999_999, true],
  [1_000_000, 1_000_000, false],
  [1_000_000, Number.POSITIVE_INFINITY, false],
])("of %i documents with %f wanted it may pay to pass over some: %s", (count, capacity, may) => {
  expect(mayPassOver(count, capacity)).toBe(may);
});

/** A list without bounds by block. */
const listOf = (postingCount: number) => {
  return { ordinals: { length: postingCount }, blocks: undefined };
};
const BLOCKS = {
  blockPostings: 128,
  lastOrdinals: Uint32Array.of(128, 200),
  pairEnds: Uint32Array.of(1, 2),
  pairs: Uint32Array.of(1, 1, 1, 1),
};

test.each([
  ["no lists", [], true, "best"],
  ["short lists", Array(128).fill(listOf(128)), true, "best"],
  ["too many lists", Array(129).fill(listOf(1)), true, "all"],
  ["short lists of more than a sum", Array(64).fill(listOf(128)), false, "best"],
  ["too many lists of more than a sum", Array(65).fill(listOf(1)), false, "all"],
  ["long lists without bounds", [listOf(1), listOf(129)], true, "all"],
  ["long lists with bounds", [{ ...listOf(129), blocks: BLOCKS }, listOf(1)], true, "best"],
])("%s: of what scores %s", (_name, lists, isSum, scoring) => {
  expect(pickScoring({ lists, constant: 0, isSum })).toBe(scoring);
});
