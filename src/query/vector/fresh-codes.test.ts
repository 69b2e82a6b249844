/** Searches of segments in memory give the same by byte codes as without, to the bit. */

import { describe, expect, test } from "vitest";
import { cases, effort } from "../../../test/support/effort.ts";
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
  type DrawVector,
  roundedToF16,
  uniformVector,
  VECTOR_KINDS,
} from "../../../test/support/random/vector-kinds.ts";
import {
  ARENA_MEMORY,
  clusteredSnapshot,
} from "../../../test/support/segments/clustered-snapshot.ts";
import { runReads } from "../../../test/support/segments/remote-segment.ts";
import { type SegmentId, sequenceNumber } from "../../base/ids.ts";
import { type Random, seededRandom } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import { buildDocuments, buildIds, type TypedDocument } from "../../codec/columns-builder.ts";
import type { DocumentQuery } from "../../model/query.ts";
import type { DistanceMetric, Schema } from "../../model/schema.ts";
import { Memtable } from "../../segment/memtable/memtable.ts";
import { memtableIndexes } from "../../segment/memtable/memtable-indexes.ts";
import { BYTE_CODE_INDEX } from "../../segment/vectors/byte-code-index.ts";
import { explainRequest, runRequest } from "../executor/run-request.ts";
import type { Probing } from "../operator/query-options.ts";
import type { Snapshot } from "../operator/snapshot.ts";

const METRICS = ["cosine_distance", "euclidean_squared"] as const;
const ELEMENTS = ["f32", "f16"] as const;
const SEEDS = cases({ usual: 1, full: 8 });
const KINDS = Object.keys(VECTOR_KINDS);
const CASES = effort({
  usual: [{ metric: "cosine_distance", kind: "nearly one" } as const],
  full: METRICS.flatMap((metric) => KINDS.map((kind) => ({ metric, kind }))),
});
/** Clusters are walked through, however few rows there are. */
const PROBING: Probing = { missedShare: 0.3, firstClusters: 2, exactMatchesMax: 0 };
/** Documents of each commit, so that eight are merged into what has codes. */
const COMMIT = 100;

interface Drawn {
  readonly metric: DistanceMetric;
  readonly element: "f32" | "f16" | "i8";
  readonly draw: DrawVector;
  readonly dimensions: number;
}

/** Two memtables of the same commits, of which one makes codes, and two stored segments. */
class Namespace {
  readonly schema: Schema;
  readonly #random: Random;
  readonly #drawn: Drawn;
  readonly #memtables: readonly { readonly memtable: Memtable; readonly hasCodes: boolean }[];
  #sequence = 0;

  constructor(random: Random, drawn: Drawn) {
    const { metric, element, dimensions } = drawn;
    const ann = { distanceMetric: metric, lateInteraction: false };
    const vector = { type: `[${dimensions}]${element}`, ann } as const;
    this.schema = schemaOf({ vector, n: "int" }, { distanceMetric: metric });
    this.#random = random;
    this.#drawn = drawn;
    let made = 0;
    const options = { memory: ARENA_MEMORY, newSegmentId: () => `fresh-${made++}` as SegmentId };
    this.#memtables = [
      { memtable: new Memtable({ ...options, mergedIndexes: memtableIndexes }), hasCodes: true },
      { memtable: new Memtable(options), hasCodes: false },
    ];
  }

  vector(): Float32Array {
    const { element, draw, dimensions } = this.#drawn;
    const vector = draw(this.#random, dimensions);
    if (element === "i8") return vector.map((x) => Math.round(100 * x));
    return element === "f16" ? roundedToF16(vector) : vector;
  }

  document(id: number): TypedDocument {
    const n = BigInt(id % 10);
    return documentOf(BigInt(id), id % 40 === 39 ? { n } : { n, vector: this.vector() });
  }

  /** Commits documents with some ids, a few of which were there before, and deletes one. */
  commit(first: number): void {
    const ids = Array.from({ length: COMMIT }, (_, i) => first + i);
    if (first > 0) ids.push(...[3, 7].map((back) => first - back));
    const documents = ids.map((id) => this.document(id));
    const types = new Map([...this.schema.attributes].map(([name, { type }]) => [name, type]));
    const deletes = { ids: buildIds("uint", [BigInt(Math.max(0, first - 11))]), count: 1 };
    const sequence = sequenceNumber(++this.#sequence);
    const columns = buildDocuments("uint", types, documents);
    for (const { memtable } of this.#memtables) {
      const commit = { deletes, documents: columns, schema: this.schema, sequence };
      memtable.release(memtable.apply(commit).dropped);
      const merged = runSteps(memtable.compactStep(1e6, this.schema));
      memtable.release(merged?.dropped ?? []);
    }
  }

  /** With codes and without; both with the same stored segments. */
  snapshots(stored: Snapshot["segments"] = []): [Snapshot, Snapshot] {
    const [coded, plain] = this.#memtables.map(({ memtable }): Snapshot => {
      const segments = [...stored, ...memtable.segments.map(({ frozen }) => frozen)];
      const { schema } = this;
      const sequence = sequenceNumber(1);
      return { sequence, schema, segments, unindexedCount: 0, logicalBytes: 0 };
    });
    return [coded, plain];
  }

  /** Stored segments with clusters. */
  stored(count: number): Snapshot["segments"] {
    const documents = Array.from({ length: count }, (_, i) => this.document(1e6 + i));
    const deleted = Array.from({ length: 20 }, (_, i) => this.document(2e6 + i));
    const near = openSnapshot(this.schema, [{ documents, deleted }]);
    return clusteredSnapshot(near, { clusterRows: 20 }).segments;
  }

  free(): void {
    for (const { memtable } of this.#memtables) memtable.release(memtable.clear().dropped);
  }
}

/** A namespace of enough documents for codes to be used. */
function namespaceOf(random: Random, drawn: Drawn): Namespace {
  const namespace = new Namespace(random, drawn);
  for (let first = 0; first < 66 * COMMIT; first += COMMIT) namespace.commit(first);
  return namespace;
}

interface Sought extends Partial<DocumentQuery> {
  readonly method: "ANN" | "kNN";
  readonly values: Float32Array;
}

function requestFor({ method, values, ...rest }: Sought) {
  const operand = { kind: "vector", values } as const;
  const rankBy = { kind: "vector", method, attribute: "vector", operand } as const;
  return requestOf(documentQuery(rankBy, { limit: 10, ...rest }));
}

function search(snapshot: Snapshot, sought: Sought) {
  const options = { kernels: KERNELS, probing: PROBING };
  const { results, stats } = runReads(runRequest(snapshot, requestFor(sought), options));
  const [result] = results;
  if (result.kind !== "documents") throw new Error("no documents");
  return { documents: result.documents, stats };
}

/** Live documents with a vector, in the segments that have codes and in the others. */
function countVectors({ segments }: Snapshot): { coded: number; others: number } {
  const counts = { coded: 0, others: 0 };
  for (const { view, liveBitmap } of segments) {
    const column = view.column("vector")?.column;
    for (let o = 0; o < view.documentCount; o++) {
      const isLive = ((liveBitmap[o >> 5] >>> (o & 31)) & 1) === 1;
      const presence = column?.presence;
      const isThere = presence === undefined || ((presence[o >> 3] >> (o & 7)) & 1) === 1;
      if (!isLive || !isThere) continue;
      if (view.hasIndex(BYTE_CODE_INDEX, "vector")) counts.coded++;
      else counts.others++;
    }
  }
  return counts;
}

test.each(CASES)("$metric of vectors that are $kind: the same to the bit", (given) => {
  const { metric, kind } = given;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const random = seededRandom(seed + 10 * KINDS.indexOf(kind));
    const element = ELEMENTS[random.below(2)];
    const dimensions = (element === "f16" ? 2 : 1) * [300, 320, 333][random.below(3)];
    const drawn = { metric, element, draw: VECTOR_KINDS[kind], dimensions };
    const namespace = namespaceOf(random, drawn);
    for (const stored of [[], namespace.stored(300)]) {
      const [coded, plain] = namespace.snapshots(stored);
      const values = namespace.vector();
      for (const rest of [
        { limit: 1 },
        { limit: 10 },
        { limit: 30, offset: 20 },
        { filter: filterOf(["n", "Lt", 9]) },
      ]) {
        for (const method of ["ANN", "kNN"] as const) {
          const sought = { ...rest, method, values };
          const where = `seed ${seed}, ${element}, ${dimensions}, ${method}`;
          const found = search(coded, sought);
          expect(found.documents, where).toEqual(search(plain, sought).documents);
        }
      }
    }
    namespace.free();
  }
});

describe.each(METRICS)("%s", (metric) => {
  /** True if this metric is tested: tests with many vectors use one metric in `npm test`. */
  const isTried = (usual: DistanceMetric) => effort({ usual: metric === usual, full: true });

  test.runIf(isTried("cosine_distance"))(
    "codes of all matches are looked at, and few vectors",
    () => {
      const drawn = { metric, element: "f32", draw: uniformVector, dimensions: 320 } as const;
      const namespace = namespaceOf(seededRandom(1), drawn);
      const [coded, plain] = namespace.snapshots();
      const counts = countVectors(coded);
      expect(counts.coded).toBeGreaterThan(5_900);
      const values = namespace.vector();
      for (const method of ["ANN", "kNN"] as const) {
        const { stats } = search(coded, { method, values });
        expect(stats).toMatchObject({ codesScanned: counts.coded, clustersProbed: 0 });
        expect(stats.candidatesReranked).toBeGreaterThanOrEqual(10);
        expect(stats.candidatesReranked).toBeLessThan(60);
        expect(stats.vectorsScored).toBe(stats.candidatesReranked + counts.others);
        const all = counts.coded + counts.others;
        const without = { codesScanned: 0, vectorsScored: all };
        expect(search(plain, { method, values }).stats).toMatchObject(without);
        // Few matches, and many results, are as fast without.
        const filter = filterOf(["n", "Lt", 5]);
        expect(search(coded, { method, values, filter }).stats.codesScanned).toBe(0);
        expect(search(coded, { method, values, limit: 160 }).stats).toMatchObject(without);
      }
      namespace.free();
    },
  );

  test.runIf(isTried("euclidean_squared"))(
    "beside clusters, few vectors in memory are compared",
    () => {
      const drawn = { metric, element: "f16", draw: uniformVector, dimensions: 600 } as const;
      const namespace = namespaceOf(seededRandom(2), drawn);
      const [coded, plain] = namespace.snapshots(namespace.stored(800));
      const fresh = countVectors(namespace.snapshots()[0]);
      const values = namespace.vector();
      const found = search(coded, { method: "ANN", values });
      const before = search(plain, { method: "ANN", values });
      expect(found.documents).toEqual(before.documents);
      expect(before.stats.clustersProbed).toBeGreaterThan(0);
      expect(found.stats.clustersProbed).toBe(before.stats.clustersProbed);
      expect(found.stats.codesScanned - before.stats.codesScanned).toBe(fresh.coded);
      const compared = found.stats.candidatesReranked - before.stats.candidatesReranked;
      expect(compared).toBeLessThan(60);
      const saved = before.stats.vectorsScored - found.stats.vectorsScored;
      expect(saved).toBe(fresh.coded - compared);
      namespace.free();
    },
  );

  test("plans tell of codes", () => {
    const drawn = { metric, element: "f32", draw: uniformVector, dimensions: 16 } as const;
    const namespace = new Namespace(seededRandom(3), drawn);
    for (let first = 0; first < 9 * COMMIT; first += COMMIT) namespace.commit(first);
    const explain = (snapshot: Snapshot, method: "ANN" | "kNN") => {
      const request = requestFor({ method, values: namespace.vector() });
      return runReads(explainRequest(snapshot, request, { kernels: KERNELS }));
    };
    const [coded, plain] = namespace.snapshots();
    const of =
      "of what may be among the best 10 by\n  codes of all matches, whose bounds always hold";
    for (const method of ["ANN", "kNN"] as const) {
      expect(explain(coded, method)).toContain(`  but in 1 of 2 segments ${of}`);
      expect(explain(plain, method)).not.toContain("codes");
    }
    const [beside] = namespace.snapshots(namespace.stored(100));
    expect(explain(beside, "ANN")).toContain("  but in 1 of 3 segments by codes, cluster by");
    expect(explain(beside, "ANN")).toContain(`  and in 1 of 3 segments ${of}`);
    namespace.free();
  });
});

test("vectors of bytes are compared as they are", () => {
  const metric = "euclidean_squared";
  const drawn = { metric, element: "i8", draw: uniformVector, dimensions: 64 } as const;
  const namespace = namespaceOf(seededRandom(4), drawn);
  const [coded] = namespace.snapshots();
  expect(countVectors(coded).coded).toBe(0);
  const { stats } = search(coded, { method: "ANN", values: namespace.vector() });
  expect(stats.codesScanned).toBe(0);
  namespace.free();
});
