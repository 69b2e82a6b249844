/** What is not done for documents that the threshold of a ranking refuses. */

import { expect, test } from "vitest";
import {
  documentOf,
  documentQuery,
  fullText,
  KERNELS,
  openSnapshot,
  requestOf,
  schemaOf,
} from "../../../test/support/queries/query-fixture.ts";
import { runReads } from "../../../test/support/segments/remote-segment.ts";
import { seededRandom } from "../../base/random.ts";
import type { RankBy, ScoreExpression } from "../../model/query.ts";
import { runRequest } from "../executor/run-request.ts";
import type { Snapshot } from "../operator/snapshot.ts";

const COUNT = 1000;

function top(snapshot: Snapshot, rankBy: RankBy, limit: number) {
  const request = requestOf(documentQuery(rankBy, { limit }));
  const { results, stats } = runReads(runRequest(snapshot, request, { kernels: KERNELS }));
  const [result] = results;
  if (result.kind !== "documents") throw new Error("no documents");
  return { ids: result.documents.map(({ id }) => Number(id)), stats };
}

test("an ordering keeps no document that is worse than the best so far, or ties later", () => {
  const documents = Array.from({ length: COUNT }, (_, i) =>
    documentOf(BigInt(i), { rising: BigInt(i), equal: 7n }),
  );
  const snapshot = openSnapshot(schemaOf({ rising: "int", equal: "int" }), [{ documents }]);
  const by = (attribute: string, direction: "asc" | "desc"): RankBy => {
    return { kind: "order", keys: [{ attribute, direction }] };
  };
  for (const attribute of ["rising", "equal", "id"]) {
    const { ids, stats } = top(snapshot, by(attribute, "asc"), 3);
    expect(ids).toEqual([0, 1, 2]);
    expect(stats.candidatesSkipped).toBe(COUNT - 3);
  }
  // The best come last, so all are kept for a while.
  expect(top(snapshot, by("rising", "desc"), 3).stats.candidatesSkipped).toBe(0);
});

test("a vector search keeps none of the documents that are farther than the best so far", () => {
  const metric = { distanceMetric: "euclidean_squared" } as const;
  const documents = Array.from({ length: COUNT }, (_, i) =>
    documentOf(BigInt(i), { vector: Float32Array.of(i, 0) }),
  );
  const snapshot = openSnapshot(schemaOf({ vector: "[2]f32" }, metric), [{ documents }]);
  const operand = { kind: "vector", values: Float32Array.of(0, 0) } as const;
  const rankBy = { kind: "vector", method: "kNN", attribute: "vector", operand } as const;
  const { ids, stats } = top(snapshot, rankBy, 10);
  expect(ids).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(stats).toMatchObject({ vectorsScored: COUNT, candidatesSkipped: COUNT - 10 });
});

test("late interaction stops at a distance that is refused, and finds the same documents", () => {
  const random = seededRandom(3);
  const vector = () => Float32Array.of(random.next(), random.next());
  const metric = { distanceMetric: "cosine_distance" } as const;
  const documents = Array.from({ length: COUNT }, (_, i) => {
    const many = Array.from({ length: random.below(4) }, vector);
    return documentOf(BigInt(i), { many });
  });
  const snapshot = openSnapshot(schemaOf({ many: "[][2]f32" }, metric), [{ documents }]);
  const operand = { kind: "vectors", values: [vector(), vector(), vector()] } as const;
  const rankBy = { kind: "vector", method: "kNN", attribute: "many", operand } as const;
  const all = top(snapshot, rankBy, COUNT);
  for (const limit of [1, 10, 200]) {
    const { ids, stats } = top(snapshot, rankBy, limit);
    expect(ids).toEqual(all.ids.slice(0, limit));
    expect(stats.vectorsScored).toBe(all.stats.vectorsScored);
  }
});

test("postings are left alone in segments whose terms are worth less than the best so far", () => {
  const schema = schemaOf({ text: { type: "string", fullTextSearch: fullText() } });
  const texts = (first: number, count: number, text: string) =>
    Array.from({ length: count }, (_, i) => documentOf(BigInt(first + i), { text }));
  const rare = texts(0, 5, "common rare");
  const common = texts(100, 400, "common filler");
  const bm25 = (query: string): ScoreExpression => {
    return { kind: "bm25", attribute: "text", query, lastAsPrefix: false };
  };
  const both = bm25("common rare");
  const rankBy: RankBy = { kind: "score", expression: both };
  const rareFirst = openSnapshot(schema, [{ documents: rare }, { documents: common }]);
  const commonFirst = openSnapshot(schema, [{ documents: common }, { documents: rare }]);
  const whole = 5 + 5 + 400;
  const first = top(rareFirst, rankBy, 5);
  expect(first.stats.postingsTouched).toBe(5 + 5);
  expect(top(commonFirst, rankBy, 5)).toMatchObject({
    ids: first.ids,
    stats: { postingsTouched: whole },
  });
  // With room for more, or where a part of a sum is not the score, all is looked at.
  expect(top(rareFirst, rankBy, 6).stats.postingsTouched).toBe(whole);
  const sum: RankBy = { kind: "score", expression: { kind: "sum", clauses: [both] } };
  expect(top(rareFirst, sum, 5)).toMatchObject({
    ids: first.ids,
    stats: { postingsTouched: whole },
  });
});
