/** Random queries over segments that are not in memory against the same segments in memory. */

import { describe, expect, test } from "vitest";
import { effort } from "../../test/support/effort.ts";
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
import { clusteredSnapshot } from "../../test/support/segments/clustered-snapshot.ts";
import { pageIndexes } from "../../test/support/segments/page-indexes.ts";
import { runReads, runRemote } from "../../test/support/segments/remote-segment.ts";
import { remoteSnapshot } from "../../test/support/segments/remote-snapshot.ts";
import { seededRandom } from "../base/random.ts";
import type { QueryRequest } from "../model/query.ts";
import { CLUSTER_INDEX } from "../segment/vectors/cluster-index.ts";
import { runRequest } from "./executor/run-request.ts";
import type { Snapshot } from "./operator/snapshot.ts";

const QUERIES = effort({ usual: 12, full: 60 });
/** What a search over codes counts in another way. */
const CODED = [
  "candidatesSkipped",
  "vectorsScored",
  "clustersProbed",
  "codesScanned",
  "candidatesReranked",
];
/** What the plan needs, what that leads to, and the documents. */
const ROUNDS_MAX = 3;
/** Codes are read before the vectors that they leave. */
const WALK_ROUNDS_MAX = 4;

function randomNamespace(seed: number) {
  const random = seededRandom(seed);
  const idType = pick(random, ["uint", "string", "uuid"] as const);
  const metric = pick(random, ["cosine_distance", "euclidean_squared"] as const);
  const schema = everyTypeSchema(idType, metric);
  const options = { idType, types: EVERY_TYPE, space: 90 } as const;
  const documents = randomDocuments(random, random.below(60), options);
  const deleted = randomDocuments(random, 30, options);
  const contents = splitDocuments(random, documents, 3, deleted);
  const near = openSnapshot(schema, contents, seed % 2 === 0 ? pageIndexes() : undefined);
  return { random, schema, near };
}

const answer = (snapshot: Snapshot, request: QueryRequest) =>
  runReads(runRequest(snapshot, request, { kernels: KERNELS }));

/** The same, with ANN searches that look at few clusters. */
const probe = (snapshot: Snapshot, request: QueryRequest) => {
  const probing = { missedShare: 1, firstClusters: 1, exactMatchesMax: 0 };
  return runReads(runRequest(snapshot, request, { kernels: KERNELS, probing }));
};

describe.each(Array.from({ length: effort({ usual: 2, full: 6 }) }, (_, round) => 8001 + round))(
  "seed %i",
  (seed) => {
    test("answers and costs are those in memory", () => {
      const { random, schema, near } = randomNamespace(seed);
      const { snapshot: remote, sources } = remoteSnapshot(near);
      const ordered = clusteredSnapshot(near, { clusterRows: 3 });
      const clustered = remoteSnapshot(ordered);
      expect(
        clustered.snapshot.segments.some(({ view }) => view.hasIndex(CLUSTER_INDEX, "[3]f32")),
      ).toBe(true);
      for (let i = 0; i < QUERIES; i++) {
        const rankBy = randomVectorRank(random);
        const filter = random.below(2) === 0 ? undefined : randomFilter(random, schema, 1);
        const requests = [
          requestOf(randomQuery(random, schema)),
          requestOf(documentQuery(rankBy, { filter, limit: 1 + random.below(20) })),
        ];
        for (const request of requests) {
          const found = runRemote(sources, () => answer(remote, request), ROUNDS_MAX);
          expect(found, `query ${i}`).toEqual(answer(near, request));
          for (const source of sources) source.drop();
          // In another order of the documents, others are skipped; with codes, fewer are scored.
          const any = Object.fromEntries(CODED.map((name) => [name, expect.any(Number)]));
          const stats = { ...found.stats, ...any };
          const works = found.works.map((work) => ({ ...work, ...any }));
          for (const [run, expected] of [
            [answer, { ...found, stats, works }],
            [probe, probe(ordered, request)],
          ] as const) {
            const attempt = () => run(clustered.snapshot, request);
            expect(runRemote(clustered.sources, attempt, WALK_ROUNDS_MAX), `query ${i}`).toEqual(
              expected,
            );
            for (const source of clustered.sources) source.drop();
          }
        }
      }
    });
  },
);
