import { expect, test } from "vitest";
import { openKernelSpace } from "../../test/support/segments/kernel-space.ts";
import { seededRandom } from "../base/random.ts";
import { runSteps } from "../base/steps.ts";
import { RATE_BINS } from "../kernel/rate-scan.ts";
import { ClusterCodes } from "./cluster-codes.ts";
import { clusterRows } from "./cluster-rows.ts";
import { measureHitRates, rateBin } from "./hit-rates.ts";
import { inverseNorm } from "./metric.ts";
import type { VectorRows } from "./vector-rows.ts";

const SPACE = await openKernelSpace("auto");
const METRICS = ["cosine_distance", "euclidean_squared"] as const;
const DIMENSIONS = 16;

/** Rows in an arena, so many in each group; the groups lie around random points. */
function groupedRows(groups: number, each: number, width: number) {
  const random = seededRandom(1);
  const count = groups * each;
  const { arena, offset, bytes } = SPACE.memory.allocate(4 * DIMENSIONS * count);
  const values = new Float32Array(bytes.buffer, bytes.byteOffset, DIMENSIONS * count);
  const centres = Float32Array.from({ length: groups * DIMENSIONS }, () => random.next() - 0.5);
  for (let i = 0; i < values.length; i++) {
    const centre = (Math.floor(i / DIMENSIONS) % groups) * DIMENSIONS + (i % DIMENSIONS);
    values[i] = centres[centre] + width * (random.next() - 0.5);
  }
  const norm = (_: unknown, row: number) =>
    inverseNorm(
      values.subarray(row * DIMENSIONS, (row + 1) * DIMENSIONS).reduce((sum, x) => sum + x * x, 0),
    );
  const vectors: VectorRows = {
    bytes,
    strideBytes: 4 * DIMENSIONS,
    format: "f32",
    dimensions: DIMENSIONS,
    inverseNorms: Float32Array.from({ length: count }, norm),
    place: { arena, offset },
  };
  const free = () => SPACE.memory.free({ arena, offset, bytes: bytes.length });
  return { vectors, rows: Uint32Array.from({ length: count }, (_, row) => row), free };
}

function ratesOf(metric: (typeof METRICS)[number], groups: number, each: number, width: number) {
  const { vectors, rows, free } = groupedRows(groups, each, width);
  const clusters = clusterRows(vectors, rows, { metric, clusterRows: 20 }, SPACE);
  const codes = new ClusterCodes({ vectors, metric, clusters }, SPACE);
  runSteps(codes.writeTo(new Uint8Array(codes.bytes)));
  free();
  return codes;
}

test.each(METRICS)("rates fall with the gap, and are shares, by %s", (metric) => {
  const { rates } = ratesOf(metric, 40, 40, 0.3);
  expect(rates).toHaveLength(RATE_BINS);
  for (let bin = 0; bin < RATE_BINS; bin++) {
    expect(rates[bin]).toBeGreaterThanOrEqual(0);
    expect(rates[bin]).toBeLessThanOrEqual(bin === 0 ? 1 : rates[bin - 1]);
  }
});

test.each(METRICS)("clusters of tight groups are far, and have no hits there, by %s", (metric) => {
  const { rates } = ratesOf(metric, 60, 20, 0.05);
  expect(rates[RATE_BINS - 1]).toBeLessThan(1e-5);
});

test.each(METRICS)("queries that are measured together have the same rates, by %s", (metric) => {
  const { vectors, rows, free } = groupedRows(150, 60, 0.3);
  const clusters = clusterRows(vectors, rows, { metric }, SPACE);
  const { shapes } = new ClusterCodes({ vectors, metric, clusters }, SPACE);
  shapes.radii.fill(0.1);
  const measured = (atOnceMax: number) => {
    const scans: number[] = [];
    const kernels = Object.create(SPACE.kernels, {
      setQuery: { value: SPACE.kernels.setQuery.bind(SPACE.kernels) },
      scoreRange: {
        value: (...call: Parameters<typeof SPACE.kernels.scoreRange>) => {
          scans.push(call[2]);
          return SPACE.kernels.scoreRange(...call);
        },
      },
    });
    const of = { vectors, metric, clusters };
    const steps = measureHitRates(of, shapes, { ...SPACE, kernels }, atOnceMax);
    return { rates: runSteps(steps), scans };
  };
  const alone = measured(1);
  expect(new Set(alone.rates).size).toBeGreaterThan(2);
  for (const atOnceMax of [3, 8]) {
    const together = measured(atOnceMax);
    expect(together.rates).toEqual(alone.rates);
    expect(together.scans).toHaveLength(alone.scans.length);
    // Rows that were read from memory serve several queries, one after the other.
    expect(together.scans.slice(0, atOnceMax + 1).map((start) => start > 0)).toEqual([
      ...Array(atOnceMax).fill(false),
      true,
    ]);
  }
  free();
});

test("of rows that are in no arena all may be hits", () => {
  const { vectors, rows, free } = groupedRows(10, 10, 1);
  const metric = "euclidean_squared";
  const clusters = clusterRows(vectors, rows, { metric, clusterRows: 20 }, SPACE);
  const { place: _, ...elsewhere } = vectors;
  const { shapes } = new ClusterCodes({ vectors, metric, clusters }, SPACE);
  const of = { vectors: elsewhere, metric, clusters } as const;
  expect(runSteps(measureHitRates(of, shapes, SPACE)).every((rate) => rate === 1)).toBe(true);
  free();
});

test("numbers that say nothing are in the first bin, great ones in the last", () => {
  expect(rateBin(Number.NaN)).toBe(0);
  expect(rateBin(Number.NEGATIVE_INFINITY)).toBe(0);
  expect(rateBin(Number.POSITIVE_INFINITY)).toBe(RATE_BINS - 1);
  expect(rateBin(2.061)).toBe(RATE_BINS - 1);
  expect([-0.6, -0.5, -0.485, 0.005, 2.045].map(rateBin)).toEqual([0, 0, 1, 50, 254]);
});
