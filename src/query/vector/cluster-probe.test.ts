/** Which clusters are looked at, and that nothing but that is approximate. */

import { describe, expect, test } from "vitest";
import { filterOf } from "../../../test/support/queries/filter-notation.ts";
import {
  documentOf,
  documentQuery,
  KERNELS,
  openSnapshot,
  requestOf,
  schemaOf,
} from "../../../test/support/queries/query-fixture.ts";
import {
  ARENA_MEMORY,
  clusteredSnapshot,
} from "../../../test/support/segments/clustered-snapshot.ts";
import { RemoteSource, runRemote } from "../../../test/support/segments/remote-segment.ts";
import { type Random, seededRandom } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import type { DocumentQuery } from "../../model/query.ts";
import type { DistanceMetric } from "../../model/schema.ts";
import type { OpenSegment } from "../../segment/segment-reader.ts";
import type { SegmentSnapshot } from "../../segment/segment-view.ts";
import { openStoredSegment } from "../../segment/stored-segment-reader.ts";
import { encodeStoredSegment } from "../../segment/stored-segment-writer.ts";
import type { ObjectKey } from "../../storage/object-store.ts";
import { explainRequest, runRequest } from "../executor/run-request.ts";
import { addRange, countRange, emptyBits } from "../ordinal-bits.ts";
import { type Probing, PROBING as SERVED } from "../query-options.ts";
import type { Snapshot } from "../snapshot.ts";
import { type ClusterCandidate, matchesToMeet, pickClusters } from "./cluster-probe.ts";

const DIMENSIONS = 8;
/** Walks are short, so that they miss something. */
const PROBING: Probing = { exactMatchesMax: 40, perResult: 4, perRoot: 2 };
const METRICS = ["cosine_distance", "euclidean_squared"] as const;

function randomVector(random: Random): Float32Array {
  return Float32Array.from({ length: DIMENSIONS }, () => random.next() - 0.5);
}

/** 1,200 documents in three segments, deleted ones among them; one segment has no clusters. */
function namespaceOf(metric: DistanceMetric) {
  const random = seededRandom(7);
  const ann = { distanceMetric: metric, lateInteraction: false };
  const schema = schemaOf(
    { vector: { type: `[${DIMENSIONS}]f32`, ann }, n: "int", group: "string" },
    { distanceMetric: metric },
  );
  const document = (id: number) => {
    const rest = { n: BigInt(id), group: `g${id % 5}` };
    if (id % 50 === 49) return documentOf(BigInt(id), rest);
    return documentOf(BigInt(id), { ...rest, vector: randomVector(random) });
  };
  const contents = [0, 500, 1000].map((start) => ({
    documents: Array.from({ length: start === 1000 ? 200 : 500 }, (_, i) => document(start + i)),
    deleted: Array.from({ length: 30 }, (_, i) => document(5000 + start + i)),
  }));
  const near = openSnapshot(schema, contents);
  const clustered = clusteredSnapshot(near, { clusterRows: 10 });
  const segments = [...clustered.segments.slice(0, 2), near.segments[2]];
  return { near, clustered: { ...near, segments } };
}

const NAMESPACES = { cosine_distance: namespaceOf("cosine_distance") } as Record<
  DistanceMetric,
  ReturnType<typeof namespaceOf>
>;
NAMESPACES.euclidean_squared = namespaceOf("euclidean_squared");

function search(
  snapshot: Snapshot,
  {
    method = "ANN",
    values,
    ...rest
  }: Partial<DocumentQuery> & {
    readonly method?: "ANN" | "kNN";
    readonly values: Float32Array;
  },
  probing = PROBING,
) {
  const operand = { kind: "vector", values } as const;
  const rankBy = { kind: "vector", method, attribute: "vector", operand } as const;
  const request = requestOf(documentQuery(rankBy, { limit: 10, ...rest }));
  const { results, stats } = runSteps(runRequest(snapshot, request, { kernels: KERNELS, probing }));
  const [result] = results;
  if (result.kind !== "documents") throw new Error("no documents");
  return { documents: result.documents, stats, request };
}

describe.each(METRICS)("by %s", (metric) => {
  const { near, clustered } = NAMESPACES[metric];

  test("most of the nearest are found by looking at few, with their exact distances", () => {
    const random = seededRandom(1);
    let found = 0;
    for (let i = 0; i < 40; i++) {
      const values = randomVector(random);
      const { documents, stats } = search(clustered, { values });
      const truth = search(near, { values, method: "kNN" });
      const all = search(near, { values, method: "kNN", limit: 2000 }).documents;
      const distances = new Map(all.map(({ id, dist }) => [id, dist]));
      expect(documents).toHaveLength(10);
      for (const { id, dist } of documents) expect(dist).toBe(distances.get(id));
      const ids = new Set(documents.map(({ id }) => id));
      found += truth.documents.filter(({ id }) => ids.has(id)).length;
      // 490 have a vector in each segment with clusters: 4·√490 of them, and 196 of the other.
      expect(stats.clustersProbed).toBeGreaterThanOrEqual(4);
      expect(stats.vectorsScored).toBeGreaterThanOrEqual(89 + 196);
      expect(stats.vectorsScored).toBeLessThan(89 + 25 + 196);
    }
    expect(found).toBeGreaterThan(400 * 0.5);
    expect(found).toBeLessThan(400);
  });

  test("kNN looks at all of them", () => {
    const values = randomVector(seededRandom(2));
    const exact = search(clustered, { values, method: "kNN" });
    expect(exact.stats).toMatchObject({ clustersProbed: 0, vectorsScored: 980 + 196 });
    expect(exact.documents).toEqual(search(near, { values, method: "kNN" }).documents);
  });

  test("few matches are all looked at, without comparing centroids", () => {
    for (let seed = 1; seed <= 20; seed++) {
      const values = randomVector(seededRandom(seed));
      const filter = filterOf(["n", "Lt", 40]);
      const { documents, stats } = search(clustered, { values, filter });
      expect(stats).toMatchObject({ clustersProbed: 0, vectorsScored: 40 });
      expect(documents).toEqual(search(near, { values, method: "kNN", filter }).documents);
    }
  });

  test("a filter makes the walk longer, and its matches alone are scored", () => {
    const values = randomVector(seededRandom(3));
    const whole = search(clustered, { values }).stats;
    const filter = filterOf(["group", "Eq", "g1"]);
    const { stats, documents } = search(clustered, { values, filter });
    expect(stats.clustersProbed).toBeGreaterThan(whole.clustersProbed);
    // 100 match in each segment with clusters: 4·√100 of them at least, and 40 in the other.
    expect(stats.vectorsScored).toBeGreaterThanOrEqual(40 + 40);
    expect(stats.vectorsScored).toBeLessThan(40 + 25 + 40);
    expect(documents).toHaveLength(10);
  });

  test("as many documents are found as are asked for, or match", () => {
    const random = seededRandom(4);
    const short = { exactMatchesMax: 0, perResult: 1, perRoot: 0 };
    for (const limit of [1, 7, 30, 300, 3000]) {
      for (const filter of [undefined, filterOf(["n", "Lt", 250]), filterOf(["n", "Lt", 0])]) {
        const values = randomVector(random);
        const query = { values, filter, limit };
        const truth = search(near, { ...query, method: "kNN" }).documents;
        const { documents } = search(clustered, query, short);
        expect(documents).toHaveLength(truth.length);
        if (documents.length < limit) expect(documents).toEqual(truth);
      }
    }
  });

  test("a walk through all clusters, and limits per key, are exact", () => {
    const values = randomVector(seededRandom(5));
    const truth = search(near, { values, method: "kNN" }).documents;
    expect(search(clustered, { values }, { ...PROBING, perRoot: 100 }).documents).toEqual(truth);
    // The namespace is small for what a server does.
    const asServed = search(clustered, { values }, SERVED);
    expect(asServed.documents).toEqual(truth);
    expect(asServed.stats.clustersProbed).toBe(0);
    const limitPer = { attributes: ["n"], limit: 1 };
    const selection = { kind: "include", names: new Set(["n"]) } as const;
    const per = search(clustered, { values, limitPer, selection });
    expect(per.stats).toMatchObject({ clustersProbed: 0, vectorsScored: 980 + 196 });
  });

  test("remote clusters take two rounds, and only chunks of their own", () => {
    const sources: RemoteSource[] = [];
    const segments = clustered.segments.map((segment, i): SegmentSnapshot => {
      const view = segment.view as OpenSegment;
      const { content, head } = encodeStoredSegment(view, clustered.schema);
      const source = new RemoteSource(content, ARENA_MEMORY, `${i}` as ObjectKey);
      sources.push(source);
      return { ...copyOf(segment), view: openStoredSegment(view.id, head, () => source) };
    });
    const remote = { ...clustered, segments };
    const values = randomVector(seededRandom(6));
    const cold = runRemote(sources, () => search(remote, { values }), 2);
    expect(cold).toEqual(search(clustered, { values }));
    const bytes = sources.map((source) => source.bytesLoaded);
    for (const source of sources) source.drop();
    runRemote(sources, () => search(remote, { values, method: "kNN" }), 2);
    // The vectors of 500 documents take 16,960 bytes.
    expect(sources[0].bytesLoaded - bytes[0]).toBeGreaterThan(bytes[0] + 5_000);
    for (const source of sources) source.drop();
  });

  test("plans tell how far the walk goes", () => {
    const { request } = search(clustered, { values: randomVector(seededRandom(8)) });
    const explain = (snapshot: Snapshot) =>
      runSteps(explainRequest(snapshot, request, { kernels: KERNELS, probing: PROBING }));
    expect(explain(clustered)).toContain(
      "in 2 of 3 segments the nearest clusters only, if more than\n" +
        "  40 match there: those with 2·√matches of them, at least 40",
    );
    expect(explain(near)).not.toContain("clusters");
  });
});

function copyOf({ liveBitmap, liveCount, liveVersion }: SegmentSnapshot) {
  return { liveBitmap, liveCount, liveVersion };
}

test("the nearest clusters are picked until enough match", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = seededRandom(seed);
    const candidates = Array.from({ length: random.below(30) }, (_, i): ClusterCandidate => {
      return {
        distance: random.below(12),
        segment: random.below(3),
        cluster: i,
        matchCount: 1 + random.below(9),
      };
    });
    const wanted = random.below(120);
    const sorted = [...candidates].sort(
      (a, b) => a.distance - b.distance || a.segment - b.segment || a.cluster - b.cluster,
    );
    const expected: ClusterCandidate[] = [];
    for (let met = 0; met < wanted && sorted.length > 0; ) {
      expected.push(sorted[0]);
      met += sorted.shift()?.matchCount ?? 0;
    }
    expect(pickClusters(candidates, wanted), `seed ${seed}`).toEqual(expected);
  }
});

test("enough is a floor, and grows with the root of what matches", () => {
  const plan = { exactMatchesMax: 100, matchesMin: 100, perRoot: 3 };
  expect(matchesToMeet(plan, [400])).toBe(100);
  expect(matchesToMeet(plan, [10_000])).toBe(300);
  expect(matchesToMeet(plan, [10_000, 100])).toBe(330);
});

test("ranges of bits are counted and copied", () => {
  for (let seed = 1; seed <= 100; seed++) {
    const random = seededRandom(seed);
    const bits = Uint32Array.from({ length: 6 }, () => random.below(2 ** 32));
    const start = random.below(192);
    const end = start + random.below(193 - start);
    const copied = emptyBits(192);
    addRange(copied, bits, start, end);
    let count = 0;
    for (let o = 0; o < 192; o++) {
      const isSet = ((bits[o >> 5] >>> (o & 31)) & 1) === 1 && o >= start && o < end;
      count += Number(isSet);
      expect((copied[o >> 5] >>> (o & 31)) & 1, `seed ${seed}, bit ${o}`).toBe(Number(isSet));
    }
    expect(countRange(bits, start, end), `seed ${seed}`).toBe(count);
  }
});
