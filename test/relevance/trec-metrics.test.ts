import { describe, expect, test } from "vitest";
import {
  averagePrecision,
  meanOf,
  ndcgAt,
  recallAt,
  trecOrder,
} from "../support/relevance/trec-metrics.ts";

const GRADES = new Map([
  ["a", 3],
  ["b", 2],
  ["c", 1],
  ["d", 0],
  ["e", -1],
]);

describe("the order of trec_eval", () => {
  test("is by score, and by id from the last on where scores are equal", () => {
    const found = [
      { id: "b", score: 1 },
      { id: "a", score: 2 },
      { id: "d", score: 1 },
      { id: "c", score: 1 },
    ];
    expect(trecOrder(found)).toEqual(["a", "d", "c", "b"]);
  });

  test("takes scores for equal that are so as float32", () => {
    const found = [
      { id: "a", score: 1 + 2 ** -30 },
      { id: "b", score: 1 },
    ];
    expect(trecOrder(found)).toEqual(["b", "a"]);
  });

  test("compares ids as text", () => {
    const found = ["9", "10", "2"].map((id) => ({ id, score: 0 }));
    expect(trecOrder(found)).toEqual(["9", "2", "10"]);
  });
});

describe("nDCG", () => {
  test("discounts grades by the logarithm of the rank plus 1", () => {
    // Gains 1, 0, 3 against 3, 2, 1: (1 + 3/2) / (3 + 2/log2(3) + 1/2)
    expect(ndcgAt(3)(["c", "x", "a"], GRADES)).toBeCloseTo(2.5 / (3.5 + 2 / Math.log2(3)), 12);
    expect(ndcgAt(3)(["c", "x", "a"], GRADES)).toBeCloseTo(0.525, 4);
  });

  test("is 1 in the best order", () => {
    expect(ndcgAt(10)(["a", "b", "c", "d"], GRADES)).toBe(1);
  });

  test("looks at no more than the cut, of the best order neither", () => {
    expect(ndcgAt(1)(["b", "a"], GRADES)).toBeCloseTo(2 / 3, 12);
  });

  test("takes grades below 0 as 0, and is 0 where nothing is relevant", () => {
    expect(ndcgAt(2)(["e", "a"], GRADES)).toBeCloseTo(
      3 / Math.log2(3) / (3 + 2 / Math.log2(3)),
      12,
    );
    expect(ndcgAt(10)(["d"], new Map([["d", 0]]))).toBe(0);
  });
});

describe("the average precision", () => {
  test("is the mean of the precisions where relevant documents are", () => {
    // At ranks 1, 3 and 6 of three: (1/1 + 2/3 + 3/6) / 3
    expect(averagePrecision(["b", "x", "a", "d", "e", "c"], GRADES)).toBeCloseTo(13 / 18, 12);
  });

  test("counts what was not found as 0", () => {
    expect(averagePrecision(["x", "a"], GRADES)).toBeCloseTo(1 / 6, 12);
  });

  test("is 0 where nothing is relevant", () => {
    expect(averagePrecision(["d"], new Map([["d", 0]]))).toBe(0);
  });
});

test("recall is the share of the relevant documents within the cut", () => {
  expect(recallAt(2)(["a", "d", "b"], GRADES)).toBeCloseTo(1 / 3, 12);
  expect(recallAt(3)(["a", "d", "b"], GRADES)).toBeCloseTo(2 / 3, 12);
  expect(recallAt(3)(["a"], new Map())).toBe(0);
});

test("means are over all judged queries, with 0 for those without results", () => {
  const judged = new Map([
    ["1", new Map([["a", 1]])],
    ["2", new Map([["a", 1]])],
    ["3", new Map([["a", 1]])],
  ]);
  const found = new Map([
    ["1", [{ id: "a", score: 1 }]],
    [
      "2",
      [
        { id: "a", score: 1 },
        { id: "b", score: 1 },
      ],
    ],
    ["4", [{ id: "a", score: 1 }]],
  ]);
  // 1, the second rank because of the tie, and nothing: (1 + 1/2 + 0) / 3
  expect(meanOf(averagePrecision, found, judged)).toBe(0.5);
});
