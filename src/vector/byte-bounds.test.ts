import { expect, test } from "vitest";
import { effort } from "../../test/support/effort.ts";
import { ARENAS, KERNELS } from "../../test/support/queries/query-fixture.ts";
import { must } from "../base/assert.ts";
import { type Random, seededRandom } from "../base/random.ts";
import { byteCodeStride, paddedCodes } from "../kernel/byte-code-scan.ts";
import { FOUND_WORDS } from "../kernel/code-scan.ts";
import type { DistanceMetric } from "../model/schema.ts";
import { byteQuery, reachOf } from "./byte-bounds.ts";
import { ByteEncoder } from "./byte-codes.ts";
import { inverseNorm, measureOf, unitVector, vectorDistance } from "./metric.ts";

const METRICS: readonly DistanceMetric[] = ["cosine_distance", "euclidean_squared"];
const ROWS = 40;
/** The first draws among others of the most dimensions. */
const SEEDS = effort({ usual: 2, full: 12 });

type Draw = (random: Random, d: number) => number;

/** How elements may be, among them what is hard to code. */
const KINDS: Readonly<Record<string, Draw>> = {
  uniform: (random) => random.next() - 0.5,
  positive: (random) => random.next(),
  "one great element": (random, d) => (d === 3 ? 1e6 : random.next()),
  "halves of steps": (random) => (random.below(255) - 127 + 0.5) / 127,
  sparse: (random) => (random.below(20) === 0 ? random.next() : 0),
  tiny: (random) => (random.next() - 0.5) * 1e-30,
  "not normal": (random) => (random.next() - 0.5) * 1e-42,
  huge: (random) => (random.next() - 0.5) * 1e30,
  "of all sizes": (random) => (random.next() - 0.5) * 10 ** (random.below(61) - 30),
  greatest: (random) => (random.below(2) === 0 ? 1 : -1) * 3.4e38,
  equal: () => 0.1,
};

function drawn(random: Random, dimensions: number, draw: Draw): Float32Array {
  return Float32Array.from({ length: dimensions }, (_, d) => draw(random, d));
}

/** Distances of rows as exact searches measure them, by the kernel's sums. */
function measured(metric: DistanceMetric, query: Float32Array, rows: readonly Float32Array[]) {
  if (metric === "cosine_distance") return rows.map((row) => vectorDistance(metric, query, row));
  const dimensions = query.length;
  const bytes = 4 * dimensions * rows.length;
  const block = must(ARENAS.alloc(bytes), "no room");
  const all = new Float32Array(bytes / 4);
  rows.forEach((row, i) => {
    all.set(row, i * dimensions);
  });
  ARENAS.bytes(block).set(new Uint8Array(all.buffer));
  const strideBytes = 4 * dimensions;
  const matrix = { block, start: 0, format: "f32", dimensions, strideBytes } as const;
  KERNELS.setQuery(matrix, query);
  const scores = KERNELS.scoreRange(measureOf(metric), matrix, 0, rows.length);
  const found = Array.from(scores, (score) => Math.min(score, 3.4028234663852886e38));
  ARENAS.free(block);
  return found;
}

/** The bounds of all rows. */
function bounds(metric: DistanceMetric, query: Float32Array, given: Given) {
  const { rows, origin } = given;
  const dimensions = origin.length;
  const stride = byteCodeStride(dimensions);
  const block = must(ARENAS.alloc(stride * rows.length), "no room");
  const bytes = ARENAS.bytes(block);
  const vectors = Float32Array.from(rows.flatMap((row) => [...row]));
  const norms = rows.map((row) => inverseNorm(row.reduce((sum, x) => sum + x * x, 0)));
  const encoder = new ByteEncoder(
    {
      bytes: new Uint8Array(vectors.buffer),
      strideBytes: 4 * dimensions,
      format: "f32",
      dimensions,
      inverseNorms: Float32Array.from(norms),
    },
    metric,
    origin,
  );
  rows.forEach((_, i) => {
    encoder.write(i, bytes.subarray(i * stride, (i + 1) * stride));
  });
  const sent = metric === "cosine_distance" ? unitVector(query) : query;
  const coded = byteQuery(sent, metric, origin);
  const places = Uint32Array.from(rows, (_, i) => (block.offset + i * stride) / 16);
  const scan = { ...coded, worst: Number.POSITIVE_INFINITY };
  const found = KERNELS.scanByteCodes(block.arena, places, scan);
  expect(found.count).toBe(rows.length);
  const told = rows.map((_, i) => ({
    lower: found.bounds[i * FOUND_WORDS + 1],
    upper: found.bounds[i * FOUND_WORDS + 2],
  }));
  ARENAS.free(block);
  return told;
}

interface Given {
  readonly rows: readonly Float32Array[];
  readonly origin: Float32Array;
}

/** The length of the difference, in float64, for cosines of vectors of length 1. */
function lengthOf(metric: DistanceMetric, a: Float32Array, b: Float32Array): number {
  const sizes = [a, b].map((v) => (metric === "cosine_distance" ? Math.hypot(...v) || 1 : 1));
  return Math.hypot(...Array.from(a, (x, d) => x / sizes[0] - b[d] / sizes[1]));
}

test.each(METRICS)("%s: no row is outside of its bounds, whatever its elements", (metric) => {
  for (const [kind, draw] of Object.entries(KINDS)) {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const random = seededRandom(seed);
      const dimensions = [1, 2, 15, 16, 33, 128, 700, 10_752][random.below(seed === 1 ? 8 : 7)];
      const query = drawn(random, dimensions, draw);
      const rows = Array.from({ length: ROWS }, () => drawn(random, dimensions, draw));
      rows.push(
        query,
        query.map((x) => -x),
        new Float32Array(dimensions),
      );
      const origin = random.below(3) === 0 ? new Float32Array(dimensions) : rows[0].slice();
      if (metric === "cosine_distance") origin.set(unitVector(origin));
      const where = `${kind}, seed ${seed}, ${dimensions} dimensions`;
      if (query.every((x) => x === 0)) continue;
      const told = bounds(metric, query, { rows, origin });
      const found = measured(metric, query, rows);
      rows.forEach((row, i) => {
        const isZero = row.every((x) => x === 0);
        if (metric === "euclidean_squared" || !isZero) {
          const length = lengthOf(metric, query, row);
          // The length itself is rounded in float64.
          expect(told[i].lower, where).toBeLessThanOrEqual(length * (1 + 2 ** -40));
          expect(told[i].upper, where).toBeGreaterThanOrEqual(length * (1 - 2 ** -40));
        }
        // Who is measured to be as near as another is within its reach.
        rows.forEach((_, j) => {
          if (found[i] > found[j]) return;
          const reach = reachOf(told[j].upper, metric, dimensions);
          expect(told[i].lower, `${where}, rows ${i} and ${j}`).toBeLessThanOrEqual(reach);
        });
      });
    }
  }
});

test("bounds are a hundredth of the length of vectors apart, or less", () => {
  for (const metric of METRICS) {
    const random = seededRandom(7);
    const rows = Array.from({ length: ROWS }, () => drawn(random, 768, (r) => r.next() - 0.5));
    const query = drawn(random, 768, (r) => r.next() - 0.5);
    const size = metric === "cosine_distance" ? 1 : Math.hypot(...query);
    for (const { lower, upper } of bounds(metric, query, { rows, origin: new Float32Array(768) })) {
      expect((upper - lower) / size).toBeLessThan(0.01);
      expect(lower).toBeGreaterThan(0);
    }
  }
});

test("vectors of length 1 are off by what made them so, queries and rows", () => {
  // Codes lose nothing of these, so that all that is left is the error of the length.
  const exact = Float32Array.of(1, 0, 0, 0);
  const origin = new Float32Array(4);
  const widths = METRICS.map((metric) => {
    const [row] = bounds(metric, exact, { rows: [exact], origin });
    return row.upper - row.lower;
  });
  const errors = METRICS.map((metric) => byteQuery(exact, metric, origin).error);
  const cosine = METRICS.indexOf("cosine_distance");
  expect(errors[cosine] - errors[1 - cosine]).toBeCloseTo(2 ** -23, 12);
  expect(widths[cosine] - widths[1 - cosine]).toBeGreaterThan(1.9 * 2 ** -23);
});

test("errors are widened by what float64 may round", () => {
  const origin = new Float32Array(4);
  const queryError = (...elements: number[]) =>
    byteQuery(Float32Array.from(elements), "euclidean_squared", origin).error;
  // The unit is 1: products with it, then a rest of a quarter and its square.
  expect(queryError(32_767, 0, 0, 0)).toBe(2 * 2 ** -30);
  expect(queryError(32_767, 0, 0.25, 0)).toBe(0.25 * (1 + 2 ** -36) + 2 * 2 ** -30);
  const rowError = (...elements: number[]) => {
    const vectors = {
      bytes: new Uint8Array(Float32Array.from(elements).buffer),
      ...{ strideBytes: 16, dimensions: 4, inverseNorms: Float32Array.of(1) },
      format: "f32",
    } as const;
    const row = new Uint8Array(byteCodeStride(4));
    new ByteEncoder(vectors, "euclidean_squared", origin).write(0, row);
    return new DataView(row.buffer).getFloat32(paddedCodes(4) + 4, true);
  };
  expect(rowError(127, 0, 0, 0)).toBeGreaterThanOrEqual(2 * 2 ** -44);
  expect(rowError(127, 0, 0, 0)).toBeLessThan(3 * 2 ** -44);
  // Rounded up, though it is a float32 as it is.
  expect(rowError(127, 0, 0.25, 0)).toBe(Math.fround(0.25 * (1 + 2 ** -23)));
});

test("reach is farther than the row by what float32 may round", () => {
  // (768 / 16 + 32) · 2^-24 of a square, up and down.
  expect(reachOf(1, "euclidean_squared", 768)).toBeGreaterThan(1 + 4.76e-6);
  // 5.0e-6 of a half of a square, twice.
  expect(reachOf(1, "cosine_distance", 768)).toBeGreaterThan(1 + 0.99e-5);
  expect(reachOf(0, "cosine_distance", 768)).toBeGreaterThan(0.0044);
  expect(reachOf(0, "cosine_distance", 768)).toBeLessThan(0.0045);
});

test("what ends at the greatest number is within reach of all that does", () => {
  expect(reachOf(1.9e19, "euclidean_squared", 768)).toBe(Number.POSITIVE_INFINITY);
  expect(reachOf(1, "euclidean_squared", 768)).toBeLessThan(1.00001);
  expect(reachOf(1, "cosine_distance", 768)).toBeLessThan(1.00002);
  expect(reachOf(Number.POSITIVE_INFINITY, "cosine_distance", 4)).toBe(Number.POSITIVE_INFINITY);
});
