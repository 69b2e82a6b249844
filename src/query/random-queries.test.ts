/** Random queries over random documents against the slow twin, and over every way to split them. */

import { describe, expect, test } from "vitest";
import { effort } from "../../test/support/effort.ts";
import { NaiveDatabase } from "../../test/support/queries/naive-database.ts";
import {
  documentQuery,
  KERNELS,
  openSnapshot,
  requestOf,
  splitDocuments,
} from "../../test/support/queries/query-fixture.ts";
import { EVERY_TYPE, randomDocuments } from "../../test/support/random/random-documents.ts";
import {
  everyTypeSchema,
  pick,
  randomFilter,
  randomQuery,
  randomVectorRank,
} from "../../test/support/random/random-queries.ts";
import { runReads } from "../../test/support/segments/remote-segment.ts";
import { seededRandom } from "../base/random.ts";
import type { QueryRequest } from "../model/query.ts";
import type { QueryResult } from "../model/query-result.ts";
import { runRequest } from "./executor/run-request.ts";
import type { Snapshot } from "./operator/snapshot.ts";

const ROUNDS = effort({ usual: 2, full: 8 });
const QUERIES = effort({ usual: 15, full: 60 });

const answer = (snapshot: Snapshot, request: QueryRequest): QueryResult[] =>
  runReads(runRequest(snapshot, request, { kernels: KERNELS })).results;

/** One random namespace, as the twin has it and as segments in several splits. */
function randomNamespace(seed: number) {
  const random = seededRandom(seed);
  const idType = pick(random, ["uint", "string", "uuid"] as const);
  const metric = pick(random, ["cosine_distance", "euclidean_squared"] as const);
  const schema = everyTypeSchema(idType, metric);
  const count = random.below(60);
  const documents = randomDocuments(random, count, { idType, types: EVERY_TYPE, space: 90 });
  const deleted = randomDocuments(random, 30, { idType, types: EVERY_TYPE, space: 90 });
  const database = new NaiveDatabase(schema);
  database.apply({ upserts: documents });
  const snapshots = [
    openSnapshot(schema, splitDocuments(random, documents, 1)),
    openSnapshot(schema, splitDocuments(random, documents, 2, deleted)),
    openSnapshot(schema, splitDocuments(random, documents, 5)),
    openSnapshot(schema, splitDocuments(random, documents, 5, deleted)),
  ];
  return { random, schema, database, snapshots };
}

const SEEDS = Array.from({ length: ROUNDS }, (_, round) => 7001 + round);

describe.each(SEEDS)("seed %i", (seed) => {
  test("answers are those of the slow twin, in every split", () => {
    const { random, schema, database, snapshots } = randomNamespace(seed);
    for (let i = 0; i < QUERIES; i++) {
      const request = requestOf(randomQuery(random, schema));
      const expected = database.query(request);
      for (const snapshot of snapshots) {
        expect(answer(snapshot, request), `query ${i}`).toEqual(expected);
      }
    }
  });

  test("nearest neighbours are those of the slow twin, and the same bits in every split", () => {
    const { random, schema, database, snapshots } = randomNamespace(seed);
    for (let i = 0; i < QUERIES; i++) {
      const rankBy = randomVectorRank(random);
      const filter = random.below(2) === 0 ? undefined : randomFilter(random, schema, 1);
      const request = requestOf(documentQuery(rankBy, { filter, limit: 1 + random.below(20) }));
      const [expected] = database.query(request);
      const [first, ...others] = snapshots.map((snapshot) => answer(snapshot, request));
      for (const other of others) expect(other, `query ${i}`).toEqual(first);
      expectNear(first[0], expected, `query ${i}`);
    }
  });

  test("fused rankings are those of the slow twin", () => {
    const { random, schema, database, snapshots } = randomNamespace(seed);
    for (let i = 0; i < QUERIES; i++) {
      const queries = Array.from({ length: 3 }, () => randomQuery(random, schema)).filter(
        (query) => query.kind === "documents",
      );
      const weights = queries.map(() => 1 + random.below(3));
      const fusion = { rankConstant: 1 + random.below(60), weights, limit: 9, offset: 0 };
      const request = { ...requestOf(...queries), fusion };
      const expected = database.query(request);
      for (const snapshot of snapshots) {
        expect(answer(snapshot, request), `query ${i}`).toEqual(expected);
      }
    }
  });
});

/**
 * The kernels sum in float32, the twin in float64: distances agree to some digits, and documents
 * may swap places where they are as near as that.
 */
function expectNear(actual: QueryResult, expected: QueryResult, what: string): void {
  if (actual.kind !== "documents" || expected.kind !== "documents") throw new Error("no documents");
  const distances = (result: typeof actual) => result.documents.map(({ dist }) => Number(dist));
  expect(actual.documents.length, what).toBe(expected.documents.length);
  distances(expected).forEach((distance, i) => {
    const scale = Math.max(1, distance);
    expect(Math.abs(distances(actual)[i] - distance) / scale, what).toBeLessThan(1e-5);
  });
}
