/** Random queries over segments that are not in memory against the same segments in memory. */

import { describe, expect, test } from "vitest";
import { FarSource, runFar } from "../../test/support/far-segment.ts";
import {
  ARENAS,
  documentQuery,
  KERNELS,
  openSnapshot,
  requestOf,
  splitDocuments,
} from "../../test/support/query-fixture.ts";
import { EVERY_TYPE, randomDocuments } from "../../test/support/random-documents.ts";
import {
  everyTypeSchema,
  pick,
  randomFilter,
  randomQuery,
  randomVectorRank,
} from "../../test/support/random-queries.ts";
import type { Ordinal } from "../base/ids.ts";
import { seededRandom } from "../base/random.ts";
import { hasBit, setBit } from "../codec/bitmap.ts";
import type { QueryRequest } from "../model/query.ts";
import type { SegmentMemory } from "../segment/segment-memory.ts";
import { type OpenSegment, openSegment } from "../segment/segment-reader.ts";
import { planClustered } from "../segment/segment-reorder.ts";
import type { SegmentSnapshot } from "../segment/segment-view.ts";
import { openStoredSegment } from "../segment/stored-segment-reader.ts";
import { encodeStoredSegment } from "../segment/stored-segment-writer.ts";
import type { ObjectKey } from "../storage/object-store.ts";
import { runRequest } from "./run-request.ts";
import type { Snapshot } from "./snapshot.ts";

const QUERIES = 60;
/** What the plan needs, what that leads to, and the documents. */
const ROUNDS_MAX = 3;

/** Memory that the kernels read. */
const MEMORY: SegmentMemory = {
  allocate: (bytes) => {
    const block = ARENAS.alloc(bytes);
    if (block === undefined) throw new Error("the fixture's arenas are full");
    return { arena: block.arena, offset: block.offset, bytes: ARENAS.bytes(block) };
  },
  free: (place) => ARENAS.free(place),
};

/** The same snapshot with all of its segments far away. */
function farSnapshot(near: Snapshot): { snapshot: Snapshot; sources: FarSource[] } {
  const sources: FarSource[] = [];
  const segments = near.segments.map((segment): SegmentSnapshot => {
    const view = segment.view as OpenSegment;
    const { content, head } = encodeStoredSegment(view, near.schema);
    const source = new FarSource(content, MEMORY, view.id as string as ObjectKey);
    sources.push(source);
    const { live, liveCount, liveVersion } = segment;
    return { view: openStoredSegment(view.id, head, () => source), live, liveCount, liveVersion };
  });
  return { snapshot: { ...near, segments }, sources };
}

/** The same snapshot with the rows of its segments by cluster. */
function clusteredSnapshot(near: Snapshot): Snapshot {
  const kernels = { kernels: KERNELS, memory: MEMORY };
  const tools = { kernels, rowsMin: 1, clusterRows: 3 };
  const segments = near.segments.map((segment): SegmentSnapshot => {
    const before = segment.view as OpenSegment;
    const plan = planClustered(before, near.schema, [], tools);
    if (plan === undefined) return segment;
    const block = MEMORY.allocate(plan.bytes);
    plan.writeTo(block.bytes);
    const view = openSegment(before.id, block.bytes, block);
    const live = new Uint32Array(segment.live.length);
    for (let o = 0; o < view.documentCount; o++) {
      const old = before.ordinalOf(view.idOf(o as Ordinal));
      if (old !== undefined && hasBit(segment.live, old)) setBit(live, o);
    }
    const { liveCount, liveVersion } = segment;
    return { view, live, liveCount, liveVersion };
  });
  return { ...near, segments };
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

describe.each(Array.from({ length: 6 }, (_, round) => 8001 + round))("seed %i", (seed) => {
  test("answers and costs are those in memory", () => {
    const { random, schema, near } = randomNamespace(seed);
    const { snapshot: far, sources } = farSnapshot(near);
    const clustered = farSnapshot(clusteredSnapshot(near));
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
        const ordered = runFar(
          clustered.sources,
          () => answer(clustered.snapshot, request),
          ROUNDS_MAX,
        );
        expect(ordered, `query ${i}`).toEqual(found);
        for (const source of clustered.sources) source.drop();
      }
    }
  });
});
