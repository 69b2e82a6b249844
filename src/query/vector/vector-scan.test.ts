/**
 * Distances through kernels and columns against those of the float64 twin; those of remote vectors
 * against those in memory.
 */

import { expect, test } from "vitest";
import { filterOf } from "../../../test/support/queries/filter-notation.ts";
import {
  ARENAS,
  documentOf,
  documentQuery,
  KERNELS,
  openSnapshot,
  requestOf,
  schemaOf,
} from "../../../test/support/queries/query-fixture.ts";
import { planSegment } from "../../../test/support/segments/plan-segment.ts";
import { RemoteSource, runReads } from "../../../test/support/segments/remote-segment.ts";
import type { SegmentId } from "../../base/ids.ts";
import { type Random, seededRandom } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import { bitmapOrdinals, clearBit, fullBitmap } from "../../codec/bitmap.ts";
import { buildDocuments } from "../../codec/columns-builder.ts";
import { SCAN_ROWS_MAX } from "../../kernel/kernel.ts";
import { headOf } from "../../segment/format/segment-format.ts";
import type { SegmentMemory } from "../../segment/format/segment-memory.ts";
import { OpenSegment, openSegment } from "../../segment/segment-reader.ts";
import type { SegmentView } from "../../segment/view/segment-view.ts";
import { cosineErrorMax, NEAR_COSINE_DISTANCE, vectorDistance } from "../../vector/metric.ts";
import { type MatchedDocuments, matchedBits } from "../documents/matched-documents.ts";
import { runRequest } from "../executor/run-request.ts";
import { together } from "../operator/missing-bytes.ts";
import { newWorkStats } from "../operator/work-stats.ts";
import { scanVectors, type VectorScan } from "./vector-scan.ts";

const ELEMENTS = ["f32", "f16", "i8"] as const;
type Element = (typeof ELEMENTS)[number];

/** A vector as the type stores it, at most `size` in each element. */
function storable(random: Random, element: Element, dimensions: number, size: number) {
  const values = Array.from({ length: dimensions }, () => (2 * random.next() - 1) * size);
  if (element === "i8") return Float32Array.from(Int8Array.from(values));
  return Float32Array.from(element === "f16" ? Float16Array.from(values) : values);
}

/** `$dist` of each document by its id, which is its index. */
function distances(
  type: string,
  metric: "cosine_distance" | "euclidean_squared",
  vectors: readonly Float32Array[],
  query: Float32Array,
): number[] {
  const options = { distanceMetric: metric };
  const ann = { ...options, lateInteraction: false };
  const schema = schemaOf({ vector: { type, ann } }, options);
  const documents = vectors.map((vector, i) => documentOf(BigInt(i), { vector }));
  const operand = { kind: "vector", values: query } as const;
  const rankBy = { kind: "vector", method: "ANN", attribute: "vector", operand } as const;
  const snapshot = openSnapshot(schema, [{ documents }]);
  const request = requestOf(documentQuery(rankBy));
  const [result] = runReads(runRequest(snapshot, request, { kernels: KERNELS })).results;
  if (result.kind !== "documents") throw new Error("no documents");
  const found: number[] = [];
  for (const { id, dist } of result.documents) found[Number(id)] = dist ?? Number.NaN;
  return found;
}

/** Sizes of elements: everyday ones, and the ends of float32's range. */
const SIZES: Record<Element, readonly number[]> = {
  f32: [1, 1e-45, 1e-40, 1e-38, 1e-25, 1e20, 1e38, 3.4e38],
  f16: [1, 6e-8, 1e-5, 60_000],
  i8: [128],
};

test.each(ELEMENTS)("cosine distances of %s vectors are those of the twin", (element) => {
  for (let seed = 1; seed <= 40; seed++) {
    const random = seededRandom(seed);
    const dimensions = 1 + random.below(200);
    const sizes = SIZES[element];
    const size = () => sizes[random.below(sizes.length)];
    const query = storable(random, element, dimensions, size());
    const vectors = Array.from({ length: 30 }, () => storable(random, element, dimensions, size()));
    vectors.push(
      query,
      new Float32Array(dimensions),
      query.map((x) => x / 2),
    );
    const found = distances(`[${dimensions}]${element}`, "cosine_distance", vectors, query);
    vectors.forEach((vector, i) => {
      const stored = element === "i8" ? Float32Array.from(Int8Array.from(vector)) : vector;
      const wanted = vectorDistance("cosine_distance", query, stored);
      const where = `seed ${seed}, vector ${i}`;
      expect(found[i], where).toBeGreaterThanOrEqual(0);
      expect(found[i], where).toBeLessThanOrEqual(2);
      if (wanted <= NEAR_COSINE_DISTANCE && element !== "f16") expect(found[i], where).toBe(wanted);
      if (element === "f16" && i === vectors.length - 1) return; // Half of it may be rounded.
      expect(Math.abs(found[i] - wanted), where).toBeLessThanOrEqual(cosineErrorMax(dimensions));
    });
    const [same, zero] = [vectors.length - 3, vectors.length - 2];
    const isZero = query.every((x) => x === 0);
    expect(found[same], `seed ${seed}`).toBe(isZero ? 1 : 0);
    expect(found[zero], `seed ${seed}`).toBe(1);
  }
});

test("the nearest by cosine are those of the twin to the bit, however they are found", () => {
  for (let seed = 1; seed <= 30; seed++) {
    const random = seededRandom(seed);
    const dimensions = 2 + random.below(60);
    const query = storable(random, "f32", dimensions, 1);
    const documents = Array.from({ length: 120 }, (_, i) => {
      // Some of the query's direction, some of them near, some anywhere.
      const size = [0, 1e-7, 1e-4, 1e-2, 1][random.below(5)];
      const other = storable(random, "f32", dimensions, size);
      const factor = 1 + random.below(4);
      return documentOf(BigInt(i), { vector: query.map((x, d) => (x + other[d]) * factor) });
    });
    const options = { distanceMetric: "cosine_distance" } as const;
    const ann = { ...options, lateInteraction: false };
    const schema = schemaOf({ vector: { type: `[${dimensions}]f32`, ann } }, options);
    const ranked = documents
      .map(({ id, attributes }) => {
        const vector = attributes.get("vector") as Float32Array;
        return { id, dist: vectorDistance("cosine_distance", query, vector) };
      })
      .sort((a, b) => a.dist - b.dist || Number(a.id) - Number(b.id));
    const near = ranked.filter(({ dist }) => dist <= NEAR_COSINE_DISTANCE);
    const limit = 1 + random.below(near.length);
    const operand = { kind: "vector", values: query } as const;
    for (const method of ["ANN", "kNN"] as const) {
      const rankBy = { kind: "vector", method, attribute: "vector", operand } as const;
      const request = requestOf(
        documentQuery(rankBy, {
          limit,
          filter: filterOf(["id", "Gte", 0n]),
          computed: new Map([["d", { kind: "vector_dist", attribute: "vector", operand }]]),
        }),
      );
      for (const parts of [1, 3]) {
        const segments = Array.from({ length: parts }, (_, part) => ({
          documents: documents.filter(({ id }) => Number(id) % parts === part),
        }));
        const snapshot = openSnapshot(schema, segments);
        const [result] = runReads(runRequest(snapshot, request, { kernels: KERNELS })).results;
        if (result.kind !== "documents") throw new Error("no documents");
        const found = result.documents.map(({ id, dist, computed }) => {
          expect(computed, `seed ${seed}`).toEqual([["d", dist]]);
          return { id, dist };
        });
        expect(found, `seed ${seed}, ${method}`).toEqual(ranked.slice(0, limit));
      }
    }
  }
});

test("squared distances of equal vectors are 0, and those beyond float32 its greatest", () => {
  const remote = Float32Array.of(3e38, -3e38, 1);
  const vectors = [remote, remote.map((x) => -x), Float32Array.of(0, 0, 1e-45)];
  const found = distances("[3]f32", "euclidean_squared", vectors, remote);
  expect(found).toEqual([0, 3.4028234663852886e38, 3.4028234663852886e38]);
});

/** Memory that the kernels read. */
const MEMORY: SegmentMemory = {
  allocate: (bytes) => {
    const block = ARENAS.alloc(bytes);
    if (block === undefined) throw new Error("the fixture's arenas are full");
    return { arena: block.arena, offset: block.offset, bytes: ARENAS.bytes(block) };
  },
  free: (place) => ARENAS.free(place),
};

/** What a scan visits, and what it counts. */
function visited(
  view: SegmentView,
  scan: Omit<VectorScan, "work" | "kernels" | "together">,
  within: MatchedDocuments,
) {
  const work = newWorkStats();
  const found: [ordinal: number, distance: number][] = [];
  runSteps(
    scanVectors(
      { ...scan, kernels: KERNELS, work, together },
      view,
      within,
      (ordinals, distances) => {
        for (let i = 0; i < ordinals.length; i++) found.push([ordinals[i], distances[i]]);
      },
    ),
  );
  return { found, work };
}

test.each(ELEMENTS)("remote %s vectors are scanned by chunk, at equal distances", (element) => {
  for (let seed = 1; seed <= 30; seed++) {
    const random = seededRandom(seed);
    const dimensions = 1 + random.below(40);
    const schema = schemaOf({ vector: `[${dimensions}]${element}` });
    const types = new Map([...schema.attributes].map(([name, { type }]) => [name, type]));
    const documents = Array.from({ length: 1 + random.below(200) }, (_, i) => {
      const isAbsent = i > 0 && random.below(5) === 0;
      const vector = storable(random, element, dimensions, 1);
      return documentOf(BigInt(i), isAbsent ? {} : { vector });
    });
    const plan = planSegment(buildDocuments("uint", types, documents), schema);
    const block = MEMORY.allocate(plan.bytes);
    runSteps(plan.writeTo(block.bytes));
    const id = "remote" as SegmentId;
    const near = openSegment(id, block.bytes, block);
    const source = new RemoteSource(near.block.slice(), MEMORY);
    const remote = new OpenSegment(id, headOf(near.block).slice(), source);
    const liveBitmap = fullBitmap(documents.length);
    const deletedShare = random.below(11);
    for (let o = 0; o < documents.length; o++)
      if (random.below(10) < deletedShare) clearBit(liveBitmap, o);
    for (const access of ["scan", "gather"] as const) {
      for (const metric of ["cosine_distance", "euclidean_squared"] as const) {
        const query = storable(random, element, dimensions, 1);
        const scan = { target: { attribute: "vector", metric, query }, access };
        const before = source.rounds;
        const live = matchedBits(liveBitmap);
        const result = source.run(() => visited(remote, scan, live));
        expect(result, `seed ${seed}`).toEqual(visited(near, scan, live));
        expect(source.rounds - before, `seed ${seed}`).toBeLessThanOrEqual(2);
        const listed = { form: "list", ordinals: bitmapOrdinals(liveBitmap) } as const;
        source.drop();
        expect(
          source.run(() => visited(remote, scan, listed)),
          `seed ${seed}, listed`,
        ).toEqual(result);
        source.drop();
      }
    }
    MEMORY.free({ ...block, bytes: block.bytes.length });
  }
});

test("rows that are far apart are scanned, with those between them or without", () => {
  const schema = schemaOf({ vector: "[2]f32" });
  const types = new Map([...schema.attributes].map(([name, { type }]) => [name, type]));
  const documents = Array.from({ length: 3 * SCAN_ROWS_MAX }, (_, i) =>
    documentOf(BigInt(i), { vector: Float32Array.of(i, 1) }),
  );
  const plan = planSegment(buildDocuments("uint", types, documents), schema);
  const block = MEMORY.allocate(plan.bytes);
  runSteps(plan.writeTo(block.bytes));
  const view = openSegment("apart" as SegmentId, block.bytes, block);
  for (const step of [1, 2, 5, 700, SCAN_ROWS_MAX]) {
    const liveBitmap = fullBitmap(documents.length);
    for (let o = 0; o < documents.length; o++) if (o % step > 0) clearBit(liveBitmap, o);
    const live = documents.flatMap((_, o) => (o % step === 0 ? [[o, Math.fround(o * o)]] : []));
    for (const access of ["scan", "gather"] as const) {
      const metric = "euclidean_squared";
      const target = { attribute: "vector", metric, query: Float32Array.of(0, 1) } as const;
      expect(
        visited(view, { target, access }, matchedBits(liveBitmap)).found,
        `step ${step}`,
      ).toEqual(live);
    }
  }
  MEMORY.free({ ...block, bytes: block.bytes.length });
});
