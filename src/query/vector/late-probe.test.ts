/** Which documents a search by several vectors compares, and that it finds most of the nearest. */

import { describe, expect, test, vi } from "vitest";
import { effort } from "../../../test/support/effort.ts";
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
import type { SegmentId } from "../../base/ids.ts";
import { MemoryPool } from "../../base/memory-pool.ts";
import { type Random, seededRandom } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import { fullBitmap } from "../../codec/bitmap.ts";
import type { DocumentQuery } from "../../model/query.ts";
import type { DistanceMetric } from "../../model/schema.ts";
import { BlockSource } from "../../segment/format/byte-source.ts";
import type { SegmentPlan } from "../../segment/format/segment-layout.ts";
import { planMerge } from "../../segment/segment-merger.ts";
import { type OpenSegment, openSegment } from "../../segment/segment-reader.ts";
import { knownCentroids, planClustered } from "../../segment/segment-reorder.ts";
import { verifySegment } from "../../segment/segment-seal.ts";
import { openStoredSegment } from "../../segment/stored-segment-reader.ts";
import type { SegmentSnapshot } from "../../segment/view/segment-view.ts";
import type { ObjectKey } from "../../storage/object-store.ts";
import { explainRequest, runRequest } from "../executor/run-request.ts";
import { QueryMemory } from "../operator/query-memory.ts";
import type { LateProbing } from "../operator/query-options.ts";
import type { Snapshot } from "../operator/snapshot.ts";
import { DocumentGains } from "./document-gains.ts";

const DIMENSIONS = 32;
const TOPICS = 24;
const QUERY_VECTORS = 6;
const METRICS = ["cosine_distance", "euclidean_squared"] as const;
/** Looks at a part of what there is in these small segments. */
const PROBING: LateProbing = {
  vectorsMin: 1000,
  vectorsPerResult: 1,
  vectorShare: 1 / 1000,
  candidatesMin: 80,
  candidatesPerResult: 1,
  exactVectorsMax: 0,
};

function normal(random: Random): number {
  return random.next() + random.next() + random.next() + random.next() - 2;
}

function vectorNear(centre: Float32Array, random: Random, spread: number): Float32Array {
  return centre.map((value) => value + spread * normal(random));
}

interface Namespace {
  /** Without clusters. */
  readonly plain: Snapshot;
  /** Two segments of three have clusters. */
  readonly coded: Snapshot;
  /** Vectors around the centres that a document has. */
  readonly query: (random: Random) => Float32Array[];
  /** Inner vectors of documents in segments with clusters, by id. */
  readonly vectorCounts: ReadonlyMap<bigint, number>;
}

/** Documents of each segment; the last segment has no clusters. */
const DOCUMENT_COUNTS = effort({ usual: [200, 120, 60], full: [900, 540, 60] });
/** Shares of the documents match, in percent; some queries of each, in several namespaces. */
const RECALL = effort({
  usual: { seeds: [1], percents: [100, 40], queries: 4 },
  full: { seeds: [1, 2, 3], percents: [100, 50, 10], queries: 12 },
});

const namespaces = new Map<string, Namespace>();

/** A namespace that no test changes: `npm test` builds one for each metric, whatever the seed. */
function namespaceOf(metric: DistanceMetric, seed: number): Namespace {
  const drawn = effort({ usual: 1, full: seed });
  const key = `${metric} ${drawn}`;
  const namespace = namespaces.get(key) ?? drawNamespace(metric, drawn);
  namespaces.set(key, namespace);
  return namespace;
}

/**
 * Documents, each of 1 to 40 vectors around the centres of a few topics; 60 in a segment without
 * clusters, some without vectors, and others deleted.
 */
function drawNamespace(metric: DistanceMetric, seed: number): Namespace {
  const random = seededRandom(seed);
  const centres = Array.from({ length: TOPICS * 8 }, () =>
    Float32Array.from({ length: DIMENSIONS }, () => normal(random)),
  );
  /** Centres of some topics. */
  const about = (from: Random) => {
    const topics = Array.from({ length: 2 }, () => from.below(TOPICS));
    return () => centres[topics[from.below(2)] * 8 + from.below(8)];
  };
  const ann = { distanceMetric: metric, lateInteraction: true };
  const schema = schemaOf(
    { tokens: { type: `[][${DIMENSIONS}]f32`, ann }, share: "int" },
    { distanceMetric: metric },
  );
  const vectorCounts = new Map<bigint, number>();
  const document = (id: number, isCoded: boolean) => {
    const centre = about(random);
    const length = id % 40 === 7 ? 0 : 1 + random.below(40);
    const tokens = Array.from({ length }, () => vectorNear(centre(), random, 0.35));
    if (isCoded) vectorCounts.set(BigInt(id), length);
    const rest = { share: BigInt(random.below(100)) };
    return documentOf(BigInt(id), id % 40 === 8 ? rest : { ...rest, tokens });
  };
  const contents = DOCUMENT_COUNTS.map((length, part) => ({
    documents: Array.from({ length }, (_, i) => document(1000 * part + i, part < 2)),
    deleted: Array.from({ length: 30 }, (_, i) => document(5000 + 100 * part + i, false)),
  }));
  const plain = openSnapshot(schema, contents);
  const clustered = clusteredSnapshot(plain, { clusterRows: 24 });
  const coded = { ...plain, segments: [...clustered.segments.slice(0, 2), plain.segments[2]] };
  const query = (drawn: Random) => {
    const centre = about(drawn);
    return Array.from({ length: QUERY_VECTORS }, () => vectorNear(centre(), drawn, 0.35));
  };
  return { plain, coded, query, vectorCounts };
}

interface Sought extends Partial<DocumentQuery> {
  readonly values: readonly Float32Array[];
  readonly method?: "ANN" | "kNN";
}

function requestFor({ values, method = "ANN", ...rest }: Sought) {
  const operand = { kind: "vectors", values } as const;
  const rankBy = { kind: "vector", method, attribute: "tokens", operand } as const;
  return requestOf(documentQuery(rankBy, { limit: 10, ...rest }));
}

function search(snapshot: Snapshot, sought: Sought, lateProbing = PROBING) {
  const options = { kernels: KERNELS, lateProbing };
  const { results, stats } = runReads(runRequest(snapshot, requestFor(sought), options));
  const [result] = results;
  if (result.kind !== "documents") throw new Error("no documents");
  return { documents: result.documents, stats };
}

function written(plan: SegmentPlan): OpenSegment {
  const block = ARENA_MEMORY.allocate(plan.bytes);
  runSteps(plan.writeTo(block.bytes));
  return openSegment("merged" as SegmentId, block.bytes, block);
}

const below = (percent: number) => filterOf(["share", "Lt", percent]);

describe.each(METRICS)("%s", (metric) => {
  test("most of the nearest are found, with their distances, by comparing few", () => {
    for (const seed of RECALL.seeds) {
      const { plain, coded, query } = namespaceOf(metric, seed);
      const random = seededRandom(100 + seed);
      for (const percent of RECALL.percents) {
        const filter = percent === 100 ? undefined : below(percent);
        let found = 0;
        for (let i = 0; i < RECALL.queries; i++) {
          const values = query(random);
          const all = search(plain, { values, filter, method: "kNN", limit: 2000 }).documents;
          const truth = all.slice(0, 10);
          const { documents, stats } = search(coded, { values, filter });
          const distances = new Map(all.map(({ id, dist }) => [id, dist]));
          for (const { id, dist } of documents) expect(dist).toBe(distances.get(id));
          expect(documents).toHaveLength(10);
          found += truth.filter(({ id }) => documents.some((other) => other.id === id)).length;
          // What is compared are the candidates, and the documents without codes.
          expect(stats.candidatesReranked).toBe(80);
          expect(stats.vectorsScored).toBeLessThanOrEqual(80 + 60);
          expect(stats.clustersProbed).toBeGreaterThanOrEqual(QUERY_VECTORS);
          // Each query vector meets 1,000 of all vectors with codes, by clusters.
          expect(stats.codesScanned).toBeGreaterThanOrEqual(QUERY_VECTORS * 1000);
          expect(stats.codesScanned).toBeLessThan(QUERY_VECTORS * 2400);
        }
        const share = found / (10 * RECALL.queries);
        expect(share, `seed ${seed}, ${percent} %`).toBeGreaterThanOrEqual(0.95);
      }
    }
  });

  test("what is imputed is as far as a quarter of the vectors that are met", () => {
    const { coded, query } = namespaceOf(metric, 11);
    const met: number[] = [];
    const begin = vi.spyOn(DocumentGains.prototype, "begin");
    const add = vi.spyOn(DocumentGains.prototype, "add");
    const settle = vi.spyOn(DocumentGains.prototype, "settle");
    search(coded, { values: query(seededRandom(7)).slice(0, 1) });
    for (const [, lower, upper] of add.mock.calls) met.push((lower + upper) / 2);
    met.sort((a, b) => a - b);
    expect(met.length).toBeGreaterThanOrEqual(1000);
    expect(settle.mock.calls).toEqual([[met[249]], [met[249]]]);
    for (const spy of [begin, add, settle]) spy.mockRestore();
  });

  test("memory is counted before it is taken, and given back", () => {
    const { coded, query } = namespaceOf(metric, 13);
    const documentCount =
      coded.segments[0].view.documentCount + coded.segments[1].view.documentCount;
    const bytes = 24 * documentCount + 10 * PROBING.vectorsMin;
    const values = query(seededRandom(9));
    const searchIn = (bytesMax: number) => {
      const memory = new QueryMemory(new MemoryPool(bytesMax));
      const options = { kernels: KERNELS, lateProbing: PROBING, memory };
      runReads(runRequest(coded, requestFor({ values }), options));
      return memory.bytes;
    };
    const kept = searchIn(1 << 20);
    expect(kept).toBeLessThan(bytes);
    expect(searchIn(kept + bytes)).toBe(kept);
    expect(() => searchIn(bytes - 1)).toThrow(
      "for the documents of an ANN search by several vectors",
    );
  });

  test("segments that were merged, stored and opened again are searched alike", () => {
    const { plain, coded, query } = namespaceOf(metric, 12);
    const inputs = coded.segments.map(({ view, liveBitmap }) => {
      return { view: view as OpenSegment, liveBitmap };
    });
    const merged = written(runSteps(planMerge(inputs, coded.schema)));
    const views = inputs.map(({ view }) => view);
    const space = { kernels: KERNELS, memory: ARENA_MEMORY };
    const tools = { kernels: space, rowsMin: 1, clusterRows: 24 };
    const plan =
      planClustered(merged, coded.schema, knownCentroids(coded.schema, views), tools) ??
      expect.unreachable();
    const { content, head } = encodeStoredSegment(written(plan), coded.schema);
    verifySegment(content);
    const block = ARENA_MEMORY.allocate(content.length);
    block.bytes.set(content);
    const view = openStoredSegment(merged.id, head, () => new BlockSource(block));
    const { documentCount } = view;
    const liveBitmap = fullBitmap(documentCount);
    const segments = [{ view, liveBitmap, liveCount: documentCount, liveVersion: 0 }];
    const random = seededRandom(8);
    let found = 0;
    for (let i = 0; i < 10; i++) {
      const values = query(random);
      const truth = search(plain, { values, method: "kNN" }).documents;
      const { documents, stats } = search({ ...coded, segments }, { values });
      expect(stats).toMatchObject({ candidatesReranked: 80, vectorsScored: 80 });
      found += truth.filter(({ id }) => documents.some((other) => other.id === id)).length;
    }
    expect(found).toBeGreaterThanOrEqual(95);
  });

  test("kNN, and limits per key, compare all", () => {
    const { plain, coded, query } = namespaceOf(metric, 4);
    const values = query(seededRandom(1));
    const truth = search(plain, { values, method: "kNN" }).documents;
    const exact = search(coded, { values, method: "kNN" });
    expect(exact.documents).toEqual(truth);
    expect(exact.stats).toMatchObject({ codesScanned: 0, clustersProbed: 0 });
    const limitPer = { attributes: ["share"], limit: 1 };
    const selection = { kind: "include", names: new Set(["share"]) } as const;
    const per = search(coded, { values, limitPer, selection });
    expect(per.stats).toMatchObject({ codesScanned: 0, clustersProbed: 0 });
    expect(per.documents[0].id).toBe(truth[0].id);
  });

  test("few matches, or few of their vectors, are all compared, and no codes are read", () => {
    const { plain, coded, query, vectorCounts } = namespaceOf(metric, 5);
    const values = query(seededRandom(2));
    const filter = below(2);
    const truth = search(plain, { values, filter, method: "kNN" });
    const many = { ...PROBING, candidatesMin: 100 };
    const byDocuments = search(coded, { values, filter }, many);
    expect(byDocuments.documents).toEqual(truth.documents);
    expect(byDocuments.stats).toMatchObject({ codesScanned: 0, candidatesReranked: 0 });
    const all = search(plain, { values, filter, method: "kNN", limit: 2000 }).documents;
    const vectors = all.reduce((sum, { id }) => sum + (vectorCounts.get(id as bigint) ?? 0), 0);
    expect(vectors).toBeGreaterThan(0);
    const few = { ...PROBING, candidatesMin: 1, vectorsMin: 1, exactVectorsMax: vectors };
    const byVectors = search(coded, { values, filter, limit: 5 }, few);
    expect(byVectors.documents).toEqual(truth.documents.slice(0, 5));
    expect(byVectors.stats).toMatchObject({ codesScanned: 0, candidatesReranked: 0 });
    const fewer = { ...few, exactVectorsMax: vectors - 1 };
    const walked = search(coded, { values, filter, limit: 5 }, fewer).stats;
    expect(walked.codesScanned).toBeGreaterThan(0);
    expect(walked.candidatesReranked).toBe(5);
  });

  test("as many documents are found as are asked for, or match and have a vector", () => {
    const { plain, coded, query } = namespaceOf(metric, 6);
    const short = { ...PROBING, vectorsMin: 1, candidatesMin: 1 };
    const random = seededRandom(3);
    for (const limit of [1, 7, 300, 3000]) {
      for (const filter of [undefined, below(30), below(1), below(0)]) {
        const values = query(random);
        const truth = search(plain, { values, filter, limit, method: "kNN" }).documents;
        const { documents } = search(coded, { values, filter, limit }, short);
        expect(documents).toHaveLength(truth.length);
        if (documents.length < limit) expect(documents).toEqual(truth);
      }
    }
  });

  test("where all vectors are met, one query vector finds as a sum of one does", () => {
    const { plain, coded, query } = namespaceOf(metric, 7);
    const random = seededRandom(4);
    const whole = { ...PROBING, vectorsMin: 1e6, candidatesMin: 200 };
    let found = 0;
    for (let i = 0; i < 10; i++) {
      const values = query(random).slice(0, 1);
      const truth = search(plain, { values, method: "kNN" }).documents;
      const ids = new Set(search(coded, { values }, whole).documents.map(({ id }) => id));
      found += truth.filter(({ id }) => ids.has(id)).length;
    }
    expect(found).toBeGreaterThanOrEqual(98);
  });

  test("vectors of zeros, and queries of them, are found like others", () => {
    const { plain, coded } = namespaceOf(metric, 8);
    const values = [new Float32Array(DIMENSIONS)];
    const truth = search(plain, { values, method: "kNN" }).documents;
    const { documents } = search(coded, { values });
    expect(documents).toHaveLength(10);
    if (metric === "cosine_distance") {
      expect(documents.map(({ dist }) => dist)).toEqual(truth.map(({ dist }) => dist));
    }
  });

  test("remote codes of all query vectors are loaded together", () => {
    const { coded, query } = namespaceOf(metric, 9);
    const sources: RemoteSource[] = [];
    const segments = coded.segments.map((segment, i): SegmentSnapshot => {
      const view = segment.view as OpenSegment;
      const { content, head } = encodeStoredSegment(view, coded.schema);
      const source = new RemoteSource(content, ARENA_MEMORY, `${i}` as ObjectKey);
      sources.push(source);
      const { liveBitmap, liveCount, liveVersion } = segment;
      const far = openStoredSegment(view.id, head, () => source);
      return { view: far, liveBitmap, liveCount, liveVersion };
    });
    const random = seededRandom(5);
    for (let i = 0; i < 3; i++) {
      const values = query(random);
      const sought = { values, filter: below(60) };
      const cold = runRemote(sources, () => search({ ...coded, segments }, sought), 4);
      expect(cold).toEqual(search(coded, sought));
      for (const source of sources) source.drop();
    }
  });

  test("plans tell what is compared", () => {
    const { plain, coded, query } = namespaceOf(metric, 10);
    const options = { kernels: KERNELS, lateProbing: PROBING };
    const request = requestFor({ values: query(seededRandom(6)) });
    const explain = (snapshot: Snapshot) => runReads(explainRequest(snapshot, request, options));
    expect(explain(coded)).toContain(
      "  but in 2 of 3 segments of the best 80 documents by\n" +
        "  codes of the 1000 vectors, or 0.1 %, that are about nearest to each of\n" +
        "  6; exactly where up to 0 vectors match there",
    );
    expect(explain(plain)).not.toContain("codes");
  });
});
