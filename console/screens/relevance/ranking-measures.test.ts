import { describe, expect, test } from "vitest";
import { testRandom } from "../../../test/support/random/seed.ts";
import * as trec from "../../../test/support/relevance/trec-metrics.ts";
import {
  averagePrecision,
  judgedOf,
  meanMeasures,
  measuresOf,
  ndcgAt,
  reciprocalRank,
} from "./ranking-measures.ts";

const GRADES = new Map([
  ["a", 3],
  ["b", 2],
  ["c", 1],
  ["d", 0],
]);

describe("nDCG", () => {
  test("is that of the example of Wikipedia's article on it", () => {
    // Grades 3, 2, 3, 0, 1, 2 in this order, and 3 and 2 that were not found; 6.861 / 8.740.
    const grades = new Map([3, 2, 3, 0, 1, 2, 3, 2].map((grade, i) => [`D${i + 1}`, grade]));
    const ranked = ["D1", "D2", "D3", "D4", "D5", "D6"];
    expect(ndcgAt(6)(ranked, grades)).toBeCloseTo(0.785, 3);
  });

  test("looks at no more than the cut, of the best order neither", () => {
    expect(ndcgAt(1)(["b", "a"], GRADES)).toBeCloseTo(2 / 3, 12);
    expect(ndcgAt(10)(["a", "b", "c"], GRADES)).toBe(1);
  });

  test("is 0 where nothing is relevant or nothing was found", () => {
    expect(ndcgAt(10)(["d"], new Map([["d", 0]]))).toBe(0);
    expect(ndcgAt(10)([], GRADES)).toBe(0);
  });
});

test("the reciprocal rank is of the first relevant document", () => {
  // Ranks 3, 2 and 1 in the example of Wikipedia's article: a mean of 11/18.
  const ranks = [["d", "x", "a"], ["x", "a"], ["a"]].map((ids) => reciprocalRank(ids, GRADES));
  expect(ranks.reduce((sum, rank) => sum + rank, 0) / 3).toBeCloseTo(11 / 18, 12);
  expect(reciprocalRank(["d", "x"], GRADES)).toBe(0);
});

test("the average precision counts what was not found", () => {
  // At ranks 1 and 3 of three relevant ones: (1/1 + 2/3 + 0) / 3
  expect(averagePrecision(["b", "x", "a"], GRADES)).toBeCloseTo(5 / 9, 12);
  expect(averagePrecision(["b"], new Map())).toBe(0);
});

test("measures are those by which the project's own rankings are measured", () => {
  const random = testRandom();
  for (let round = 0; round < 300; round++) {
    const ids = Array.from({ length: 1 + random.below(30) }, (_, i) => `d${i}`);
    const grades = new Map(
      ids.filter(() => random.next() < 0.5).map((id) => [id, random.below(4)]),
    );
    const ranked = ids
      .map((id) => ({ id, place: random.next() }))
      .sort((a, b) => a.place - b.place)
      .map(({ id }) => id)
      .slice(0, random.below(25));
    const ours = measuresOf(ranked, grades);
    expect(ours.ndcg).toBeCloseTo(trec.ndcgAt(10)(ranked, grades), 12);
    expect(ours.averagePrecision).toBeCloseTo(trec.averagePrecision(ranked, grades), 12);
    const first = ranked.findIndex((id) => (grades.get(id) ?? 0) > 0);
    expect(ours.reciprocalRank).toBe(first < 0 ? 0 : 1 / (first + 1));
  }
});

test("means are over queries, those without results too", () => {
  const all = [measuresOf(["a", "b", "c"], GRADES), measuresOf([], GRADES)];
  expect(meanMeasures(all)).toEqual({ ndcg: 0.5, reciprocalRank: 0.5, averagePrecision: 0.5 });
  expect(meanMeasures([])).toBeUndefined();
});

test("judged results are counted within the cut, those of grade 0 too", () => {
  expect(judgedOf(["a", "x", "d", "b"], GRADES, 3)).toBe(2);
});
