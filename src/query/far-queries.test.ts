/** Random queries over segments that are not in memory against the same segments in memory. */

import { describe, expect, test } from "vitest";
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
import { ARENA_MEMORY, clusteredSnapshot } from "../../test/support/segments/clustered-snapshot.ts";
import { FarSource, runFar } from "../../test/support/segments/remote-segment.ts";
import { seededRandom } from "../base/random.ts";
import type { QueryRequest } from "../model/query.ts";
import type { OpenSegment } from "../segment/segment-reader.ts";
import type { SegmentSnapshot } from "../segment/segment-view.ts";
import { openStoredSegment } from "../segment/stored-segment-reader.ts";
import { encodeStoredSegment } from "../segment/stored-segment-writer.ts";
import type { ObjectKey } from "../storage/object-store.ts";
import { runRequest } from "./run-request.ts";
import type { Snapshot } from "./snapshot.ts";

const QUERIES = 60;
/** What the plan needs, what that leads to, and the documents. */
const ROUNDS_MAX = 3;

/** The same snapshot with all of its segments far away. */
function farSnapshot(near: Snapshot): { snapshot: Snapshot; sources: FarSource[] } {
  const sources: FarSource[] = [];
  const segments = near.segments.map((segment): SegmentSnapshot => {
    const view = segment.view as OpenSegment;
    const { content, head } = encodeStoredSegment(view, near.schema);
    const source = new FarSource(content, ARENA_MEMORY, view.id as string as ObjectKey);
    sources.push(source);
    const { live, liveCount, liveVersion } = segment;
    return { view: openStoredSegment(view.id, head, () => source), live, liveCount, liveVersion };
  });
  return { snapshot: { ...near, segments }, sources };
}

function randomNamespace(seed: number) {
  const random = seededRandom(seed);
  const idType = pick(random, ["uint", "string", "uuid"] as const);
  const metric = pick(random, ["cosine_distance", "euclidean_squared"] as const);
  const schema = everyTypeSchema(idType, metric);
  const options = { idType, types: EVERY_TYPE, space: 90 } as const;
  const documents = randomDocuments(random, random.below(60), options);
  const dead = randomDocuments(random, 30, options);
  const near = openSnapshot(schema, splitDocuments(random, documents, 3, dead));
  return { random, schema, near };
}

const answer = (snapshot: Snapshot, request: QueryRequest) =>
  runRequest(snapshot, request, { kernels: KERNELS });

/** The same, with ANN searches that look at few clusters. */
const probe = (snapshot: Snapshot, request: QueryRequest) => {
  const probing = { exactMatchesMax: 3, perResult: 1, perRoot: 0 };
  return runRequest(snapshot, request, { kernels: KERNELS, probing });
};

describe.each(Array.from({ length: 6 }, (_, round) => 8001 + round))("seed %i", (seed) => {
  test("answers and costs are those in memory", () => {
    const { random, schema, near } = randomNamespace(seed);
    const { snapshot: far, sources } = farSnapshot(near);
    const ordered = clusteredSnapshot(near, { clusterRows: 3 });
    const clustered = farSnapshot(ordered);
    expect(clustered.snapshot.segments.some(({ view }) => view.isClustered("[3]f32"))).toBe(true);
    for (let i = 0; i < QUERIES; i++) {
      const rankBy = randomVectorRank(random);
      const filter = random.below(2) === 0 ? undefined : randomFilter(random, schema, 1);
      const requests = [
        requestOf(randomQuery(random, schema)),
        requestOf(documentQuery(rankBy, { filter, limit: 1 + random.below(20) })),
      ];
      for (const request of requests) {
        const found = runFar(sources, () => answer(far, request), ROUNDS_MAX);
        expect(found, `query ${i}`).toEqual(answer(near, request));
        for (const source of sources) source.drop();
        for (const [run, expected] of [
          [answer, found],
          [probe, probe(ordered, request)],
        ] as const) {
          const attempt = () => run(clustered.snapshot, request);
          expect(runFar(clustered.sources, attempt, ROUNDS_MAX), `query ${i}`).toEqual(expected);
          for (const source of clustered.sources) source.drop();
        }
      }
    }
  });
});
