/** Which clusters are looked at, and that nothing but that is approximate. */

import { describe, expect, test, vi } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { expectEqual } from "../../../test/support/expect-equal.ts";
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
import { encodeStoredSegment } from "../../../test/support/segments/encode-stored-segment.ts";
import {
  RemoteSource,
  runReads,
  runRemote,
} from "../../../test/support/segments/remote-segment.ts";
import { type Random, seededRandom } from "../../base/random.ts";
import type { DocumentQuery } from "../../model/query.ts";
import type { DistanceMetric } from "../../model/schema.ts";
import type { OpenSegment } from "../../segment/segment-reader.ts";
import { openStoredSegment } from "../../segment/stored-segment-reader.ts";
import { CLUSTER_INDEX } from "../../segment/vectors/cluster-index.ts";
import type { SegmentSnapshot } from "../../segment/view/segment-view.ts";
import type { ObjectKey } from "../../storage/object-store.ts";
import { addRange, countRange, emptyBits, wordWithin } from "../documents/ordinal-bits.ts";
import { explainRequest, runRequest } from "../executor/run-request.ts";
import type { Probing } from "../operator/query-options.ts";
import type { Snapshot } from "../operator/snapshot.ts";
import { CodedSegment } from "./coded-segment.ts";

const DIMENSIONS = 8;
/** Walks are short, so that they miss something. */
const PROBING: Probing = { missedShare: 0.6, firstClusters: 2, exactMatchesMax: 0 };
/** Walks that end when they must. */
const LONG: Probing = { missedShare: 0, firstClusters: 3, exactMatchesMax: 0 };
const METRICS = ["cosine_distance", "euclidean_squared"] as const;
const ATTRIBUTES = ["vector", "further"] as const;

/** Queries of a test whose counts are exact. */
const SEEDS = effort({ usual: 5, full: 20 });

function randomVector(random: Random): Float32Array {
  return Float32Array.from({ length: DIMENSIONS }, () => random.next() - 0.5);
}

/**
 * 1,200 documents in three segments, deleted ones among them; one segment has no clusters. Some
 * have no vector of the attribute that is searched.
 */
function namespaceOf(metric: DistanceMetric, attribute: (typeof ATTRIBUTES)[number]) {
  const random = seededRandom(7);
  const ann = { distanceMetric: metric, lateInteraction: false };
  const type = { type: `[${DIMENSIONS}]f32`, ann };
  const main = attribute === "vector" ? {} : { vector: type };
  const schema = schemaOf(
    { [attribute]: type, ...main, n: "int", group: "string" },
    { distanceMetric: metric },
  );
  const others = seededRandom(17);
  const document = (id: number) => {
    const first = attribute === "vector" ? {} : { vector: randomVector(others) };
    const rest = { n: BigInt(id), group: `g${id % 5}`, ...first };
    if (id % 50 === 49) return documentOf(BigInt(id), rest);
    return documentOf(BigInt(id), { ...rest, [attribute]: randomVector(random) });
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

/** A query of vectors. */
interface Sought extends Partial<DocumentQuery> {
  readonly attribute?: string;
  readonly method?: "ANN" | "kNN";
  readonly values: Float32Array;
}

function search(snapshot: Snapshot, sought: Sought, probing = PROBING) {
  const { attribute = "vector", method = "ANN", values, ...rest } = sought;
  const operand = { kind: "vector", values } as const;
  const rankBy = { kind: "vector", method, attribute, operand } as const;
  const request = requestOf(documentQuery(rankBy, { limit: 10, ...rest }));
  const { results, stats } = runReads(runRequest(snapshot, request, { kernels: KERNELS, probing }));
  const [result] = results;
  if (result.kind !== "documents") throw new Error("no documents");
  return { documents: result.documents, stats, request };
}

const CASES = METRICS.flatMap((metric) => ATTRIBUTES.map((attribute) => ({ metric, attribute })));

describe.each(CASES)("$attribute by $metric", ({ metric, attribute }) => {
  const { near, clustered } = namespaceOf(metric, attribute);
  const searchIn = (snapshot: Snapshot, sought: Sought, probing = PROBING) =>
    search(snapshot, { attribute, ...sought }, probing);

  test("clusters of further vectors alone have ordinals", () => {
    for (const { view } of clustered.segments.slice(0, 2)) {
      const { ordinals } = view.index(CLUSTER_INDEX, attribute) ?? expect.unreachable();
      expect(ordinals !== undefined).toBe(attribute === "further");
    }
  });

  test("most of the nearest are found by looking at few, with their exact distances", () => {
    const random = seededRandom(1);
    let found = 0;
    const queries = effort({ usual: 20, full: 40 });
    for (let i = 0; i < queries; i++) {
      const values = randomVector(random);
      const { documents, stats } = searchIn(clustered, { values });
      const all = searchIn(near, { values, method: "kNN", limit: 2000 }).documents;
      const truth = all.slice(0, 10);
      const distances = new Map(all.map(({ id, dist }) => [id, dist]));
      expect(documents).toHaveLength(10);
      for (const { id, dist } of documents) expect(dist).toBe(distances.get(id));
      const ids = new Set(documents.map(({ id }) => id));
      found += truth.filter(({ id }) => ids.has(id)).length;
      // 490 have a vector in each segment with codes, and 196 in the other.
      expect(stats.clustersProbed).toBeGreaterThanOrEqual(3);
      expect(stats.codesScanned).toBeGreaterThanOrEqual(20);
      expect(stats.codesScanned).toBeLessThan(980);
      expect(stats.candidatesReranked).toBeLessThan(stats.codesScanned);
      expect(stats.vectorsScored).toBe(stats.candidatesReranked + 196);
    }
    expect(found).toBeGreaterThan(10 * queries * 0.5);
    expect(found).toBeLessThan(10 * queries);
  });

  test("kNN looks at all of them", () => {
    const values = randomVector(seededRandom(2));
    const exact = searchIn(clustered, { values, method: "kNN" });
    expect(exact.stats).toMatchObject({ clustersProbed: 0, vectorsScored: 980 + 196 });
    expect(exact.documents).toEqual(searchIn(near, { values, method: "kNN" }).documents);
  });

  test("clusters without a match are not looked into, and few matches are all found", () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const values = randomVector(seededRandom(seed));
      const filter = filterOf(["n", "Lt", 9]);
      const { documents, stats } = searchIn(clustered, { values, filter });
      expect(stats.clustersProbed).toBeLessThanOrEqual(9);
      expect(stats).toMatchObject({ codesScanned: 9, candidatesReranked: 9, vectorsScored: 9 });
      expect(documents).toEqual(searchIn(near, { values, method: "kNN", filter }).documents);
    }
  });

  test("few matches are all compared exactly, and nothing is read of clusters", () => {
    const open = vi.spyOn(CodedSegment, "open");
    for (let seed = 1; seed <= SEEDS; seed++) {
      const values = randomVector(seededRandom(seed));
      const filter = filterOf(["n", "Lt", 40]);
      const exact = { ...PROBING, exactMatchesMax: 40 };
      const { documents, stats } = searchIn(clustered, { values, filter }, exact);
      expect(stats).toMatchObject({ clustersProbed: 0, codesScanned: 0, vectorsScored: 40 });
      expect(documents).toEqual(searchIn(near, { values, method: "kNN", filter }).documents);
      expect(open).not.toHaveBeenCalled();
      const one = { ...exact, exactMatchesMax: 39 };
      expect(searchIn(clustered, { values, filter }, one).stats.clustersProbed).toBeGreaterThan(0);
      expect(open).toHaveBeenCalled();
      open.mockClear();
    }
    open.mockRestore();
  });

  test("of a filter its matches alone are looked at", () => {
    const random = seededRandom(3);
    const filter = filterOf(["group", "Eq", "g1"]);
    for (let i = 0; i < 20; i++) {
      const values = randomVector(random);
      const { stats, documents } = searchIn(clustered, { values, filter });
      // 100 match in each segment with codes, and 40 in the other.
      expect(stats.codesScanned).toBeLessThanOrEqual(200);
      expect(stats.vectorsScored).toBe(stats.candidatesReranked + 40);
      expect(documents).toHaveLength(10);
    }
  });

  test("as many documents are found as are asked for, or match", () => {
    const random = seededRandom(4);
    const short = { missedShare: 1, firstClusters: 1, exactMatchesMax: 0 };
    for (const limit of [1, 7, 30, 300, 3000]) {
      for (const filter of [undefined, filterOf(["n", "Lt", 250]), filterOf(["n", "Lt", 0])]) {
        const values = randomVector(random);
        const query = { values, filter, limit };
        const truth = searchIn(near, { ...query, method: "kNN" }).documents;
        const { documents } = searchIn(clustered, query, short);
        expect(documents).toHaveLength(truth.length);
        if (documents.length < limit) expect(documents).toEqual(truth);
      }
    }
  });

  test("a walk that may miss nothing, and limits per key, are exact", () => {
    const random = seededRandom(5);
    let found = 0;
    for (let i = 0; i < 20; i++) {
      const values = randomVector(random);
      const truth = searchIn(near, { values, method: "kNN" }).documents;
      const ids = new Set(truth.map(({ id }) => id));
      const { documents } = searchIn(clustered, { values }, LONG);
      found += documents.filter(({ id }) => ids.has(id)).length;
    }
    // Of bounds, three of a hundred are wrong.
    expect(found).toBeGreaterThanOrEqual(198);
    const values = randomVector(random);
    const truth = searchIn(near, { values, method: "kNN" }).documents;
    const limitPer = { attributes: ["n"], limit: 1 };
    const selection = { kind: "include", names: new Set(["n"]) } as const;
    const per = searchIn(clustered, { values, limitPer, selection });
    expect(per.stats).toMatchObject({ clustersProbed: 0, vectorsScored: 980 + 196 });
    expect(per.documents.map(({ id }) => id)).toEqual(truth.map(({ id }) => id));
  });

  test("a query of zeros, and documents of zeros, are found like others", () => {
    const zeros = new Float32Array(DIMENSIONS);
    const truth = searchIn(near, { values: zeros, method: "kNN" }).documents;
    const { documents } = searchIn(clustered, { values: zeros }, LONG);
    expect(documents.map(({ dist }) => dist)).toEqual(truth.map(({ dist }) => dist));
    const { snapshot, id } = withZeroVector(metric, attribute);
    const values = randomVector(seededRandom(9));
    const all = searchIn(snapshot, { values, limit: 200 }, LONG).documents;
    const exact = searchIn(snapshot, { values, limit: 200, method: "kNN" }).documents;
    expect(all).toEqual(exact);
    expect(all.some((found) => found.id === id)).toBe(true);
  });

  test("remote codes take a round of their own, and only chunks of their own", () => {
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
    const cold = runRemote(sources, () => searchIn(remote, { values }), 4);
    expect(cold).toEqual(searchIn(clustered, { values }));
    const bytes = sources.map((source) => source.bytesLoaded);
    for (const source of sources) source.drop();
    const all = { missedShare: 0, firstClusters: 1000, exactMatchesMax: 0 };
    runRemote(sources, () => searchIn(remote, { values }, all), 4);
    // The codes of 490 documents take 22,528 bytes.
    expect(sources[0].bytesLoaded - bytes[0]).toBeGreaterThan(bytes[0] + 1_000);
    for (const source of sources) source.drop();
  });

  test("plans tell how far the walk goes", () => {
    const { request } = searchIn(clustered, { values: randomVector(seededRandom(8)) });
    const explain = (snapshot: Snapshot, probing = PROBING) =>
      runReads(explainRequest(snapshot, request, { kernels: KERNELS, probing }));
    expect(explain(clustered)).toContain(
      "in 2 of 3 segments by codes, cluster by cluster, until all others are expected to have\n" +
        "  less than 6 of the best 10; exactly where bounds overlap, or up to\n" +
        "  0 match there",
    );
    expect(explain(clustered, { ...PROBING, unaskedShare: 0.25 })).toContain(
      "  0 match there, or all byte codes of those would cost less",
    );
    expect(explain(near)).not.toContain("codes");
  });
});

test("segments whose vectors lie in other places are searched together", () => {
  const dimensions = 96;
  const random = seededRandom(12);
  const vectorAt = (place: number) =>
    Float32Array.from({ length: dimensions }, () => place + random.next() - 0.5);
  const ann = { distanceMetric: "euclidean_squared", lateInteraction: false } as const;
  const schema = schemaOf(
    { vector: { type: `[${dimensions}]f32`, ann } },
    { distanceMetric: "euclidean_squared" },
  );
  const contents = [0, 1, 3].map((place, part) => ({
    documents: Array.from({ length: 300 }, (_, i) =>
      documentOf(BigInt(300 * part + i), { vector: vectorAt(place) }),
    ),
  }));
  const near = openSnapshot(schema, contents);
  const clustered = clusteredSnapshot(near, { clusterRows: 10 });
  let found = 0;
  for (let i = 0; i < 40; i++) {
    const values = vectorAt(0.5);
    const truth = search(near, { values, method: "kNN" }).documents.map(({ id }) => id);
    const { documents } = search(clustered, { values }, LONG);
    found += documents.filter(({ id }) => truth.includes(id)).length;
  }
  expect(found).toBeGreaterThanOrEqual(0.98 * 400);
});

function copyOf({ liveBitmap, liveCount, liveVersion }: SegmentSnapshot) {
  return { liveBitmap, liveCount, liveVersion };
}

/** 100 documents in one segment with codes, one of them with a vector of zeros. */
function withZeroVector(metric: DistanceMetric, attribute: (typeof ATTRIBUTES)[number]) {
  const random = seededRandom(10);
  const ann = { distanceMetric: metric, lateInteraction: false };
  const type = { type: `[${DIMENSIONS}]f32`, ann };
  const schema = schemaOf({ vector: type, [attribute]: type }, { distanceMetric: metric });
  const documents = Array.from({ length: 100 }, (_, i) =>
    documentOf(BigInt(i), {
      vector: randomVector(random),
      [attribute]: i === 42 ? new Float32Array(DIMENSIONS) : randomVector(random),
    }),
  );
  const snapshot = clusteredSnapshot(openSnapshot(schema, [{ documents }]), { clusterRows: 10 });
  return { snapshot, id: 42n };
}

test("documents without a vector do not count as matches in clusters", () => {
  const random = seededRandom(13);
  const ann = { distanceMetric: "euclidean_squared", lateInteraction: false } as const;
  const schema = schemaOf(
    { vector: { type: `[${DIMENSIONS}]f32`, ann }, n: "int" },
    { distanceMetric: "euclidean_squared" },
  );
  const documents = Array.from({ length: 400 }, (_, i) =>
    documentOf(BigInt(i), { n: BigInt(i), ...(i < 200 && { vector: randomVector(random) }) }),
  );
  const snapshot = clusteredSnapshot(openSnapshot(schema, [{ documents }]), { clusterRows: 10 });
  const values = randomVector(random);
  const without = search(snapshot, { values, filter: filterOf(["n", "Gte", 200]) });
  expect(without.stats).toMatchObject({ clustersProbed: 0, codesScanned: 0 });
  const one = search(snapshot, { values, filter: filterOf(["n", "Gte", 199]) });
  expect(one.stats).toMatchObject({ clustersProbed: 1, codesScanned: 1 });
  expect(one.documents).toHaveLength(1);
});

test("vectors of nearly one direction are told apart as well as others", () => {
  const random = seededRandom(14);
  const dimensions = 16;
  const base = Float32Array.from({ length: dimensions }, () => random.next() - 0.5);
  const near = () => base.map((value) => value + 1e-5 * (random.next() - 0.5));
  const ann = { distanceMetric: "cosine_distance", lateInteraction: false } as const;
  const schema = schemaOf(
    { vector: { type: `[${dimensions}]f32`, ann } },
    { distanceMetric: "cosine_distance" },
  );
  const documents = Array.from({ length: 600 }, (_, i) =>
    documentOf(BigInt(i), { vector: near() }),
  );
  const plain = openSnapshot(schema, [{ documents }]);
  const clustered = clusteredSnapshot(plain, { clusterRows: 20 });
  let found = 0;
  for (let i = 0; i < 20; i++) {
    const values = near();
    const truth = search(plain, { values, method: "kNN" }).documents.map(({ id }) => id);
    const { documents: some } = search(
      clustered,
      { values },
      { missedShare: 0, firstClusters: 99, exactMatchesMax: 0 },
    );
    found += some.filter(({ id }) => truth.includes(id)).length;
  }
  expect(found).toBeGreaterThanOrEqual(0.98 * 200);
});

test.each([1e5, 1e9, 1e20, 3e38])("others are found beside some vectors as long as %f", (far) => {
  const random = seededRandom(15);
  const dimensions = 65;
  const vector = (scale: number) =>
    Float32Array.from({ length: dimensions }, () => (random.next() - 0.5) * scale);
  const ann = { distanceMetric: "euclidean_squared", lateInteraction: false } as const;
  const schema = schemaOf(
    { vector: { type: `[${dimensions}]f32`, ann } },
    { distanceMetric: "euclidean_squared" },
  );
  const documents = Array.from({ length: 1200 }, (_, i) =>
    documentOf(BigInt(i), { vector: vector(i % 100 === 0 ? far : 1) }),
  );
  const plain = openSnapshot(schema, [{ documents }]);
  const clustered = clusteredSnapshot(plain, { clusterRows: 20 });
  const probing = { missedShare: 0.0025, firstClusters: 4, exactMatchesMax: 0 };
  let found = 0;
  for (let i = 0; i < 10; i++) {
    const values = vector(1);
    const truth = search(plain, { values, method: "kNN" }).documents.map(({ id }) => id);
    const { documents: some } = search(clustered, { values }, probing);
    found += some.filter(({ id }) => truth.includes(id)).length;
  }
  expect(found).toBeGreaterThanOrEqual(0.97 * 100);
});

test("words of ranges are added and counted", () => {
  for (let seed = 1; seed <= 100; seed++) {
    const random = seededRandom(seed);
    const bits = Uint32Array.from({ length: 6 }, () => random.below(2 ** 32));
    const start = random.below(192);
    const end = start + 1 + random.below(192 - start);
    const added = emptyBits(192);
    addRange(added, bits, start, end);
    const within = Uint32Array.from(bits, (_, w) =>
      w >= start >> 5 && w << 5 < end ? wordWithin(bits, w, start, end) : 0,
    );
    expect(within).toEqual(added);
    const expected = Array.from({ length: 192 }, (_, o) => {
      return o >= start && o < end ? (bits[o >> 5] >>> (o & 31)) & 1 : 0;
    });
    const found = expected.map((_, o) => (within[o >> 5] >>> (o & 31)) & 1);
    expectEqual(found, expected, `seed ${seed}`);
    const count = expected.reduce((sum: number, bit) => sum + bit, 0);
    expect(countRange(bits, start, end), `seed ${seed}`).toBe(count);
  }
});
