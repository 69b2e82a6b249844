import { expect, test } from "vitest";
import { moveSign, moveText, overlapOf, rankMoves } from "./rank-moves.ts";

test("moves are told from the left ranking to the right one", () => {
  const moves = rankMoves(["a", "b", "c", "d"], ["c", "b", "a", "e"]);
  expect(moves.map((move) => [move.id, move.left, move.right, moveSign(move)])).toEqual([
    ["a", 1, 3, "▼2"],
    ["b", 2, 2, "="],
    ["c", 3, 1, "▲2"],
    ["d", 4, undefined, "new"],
    ["e", undefined, 4, "new"],
  ]);
  expect(moves.map(moveText)).toEqual([
    "down 2, from 1 to 3",
    "same place, 2",
    "up 2, from 3 to 1",
    "only in A",
    "only in B",
  ]);
});

test("what rankings have in common is a share of the shorter one", () => {
  expect(overlapOf(["a", "b", "c"], ["b", "c"])).toBe(1);
  expect(overlapOf(["a", "b"], ["b", "c"])).toBe(0.5);
  expect(overlapOf([], ["b"])).toBe(0);
  expect(overlapOf([], [])).toBe(1);
});
