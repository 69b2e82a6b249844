/** Codes of clusters against plain loops in float64, and the fast kernel against the scalar one. */

import { expect, test } from "vitest";
import { openKernelSpace, type TestKernelSpace } from "../../test/support/segments/kernel-space.ts";
import { seededRandom } from "../base/random.ts";
import { runSteps } from "../base/steps.ts";
import { rotateVector } from "../kernel/scalar-rotation.ts";
import type { DistanceMetric } from "../model/schema.ts";
import { ClusterCodes } from "./cluster-codes.ts";
import { clusterRows, type RowClusters } from "./cluster-rows.ts";
import { inverseNorm } from "./metric.ts";
import type { VectorRows } from "./vector-rows.ts";

const FAST = await openKernelSpace("auto");
const SCALAR = await openKernelSpace("scalar");
const METRICS = ["cosine_distance", "euclidean_squared"] as const;
const DIMENSIONS = 70;
const COUNT = 500;

/** Random vectors that are longer in some dimensions; one is the zero vector. */
function randomRows(seed: number): VectorRows {
  const random = seededRandom(seed);
  const values = Float32Array.from({ length: COUNT * DIMENSIONS }, (_, i) => {
    return (random.next() - 0.4) * (1 + (i % 5));
  });
  values.fill(0, 7 * DIMENSIONS, 8 * DIMENSIONS);
  const norms = Array.from({ length: COUNT }, (_, row) => {
    const vector = values.subarray(row * DIMENSIONS, (row + 1) * DIMENSIONS);
    return inverseNorm(vector.reduce((sum, x) => sum + x * x, 0));
  });
  return {
    bytes: new Uint8Array(values.buffer),
    strideBytes: 4 * DIMENSIONS,
    format: "f32",
    dimensions: DIMENSIONS,
    inverseNorms: Float32Array.from(norms),
  };
}

function coded(vectors: VectorRows, metric: DistanceMetric, space: TestKernelSpace) {
  const rows = Uint32Array.from({ length: COUNT }, (_, row) => row);
  const clusters = clusterRows(vectors, rows, { metric, clusterRows: 40 }, FAST);
  const codes = new ClusterCodes({ vectors, metric, clusters }, space);
  const bytes = new Uint8Array(codes.bytes);
  runSteps(codes.writeTo(bytes));
  expect(space.usedBytes).toBe(0);
  return { codes, clusters, bytes };
}

/** What is coded of a row: the vector, or that of length 1. */
function codedVector(vectors: VectorRows, row: number, metric: DistanceMetric): number[] {
  const scale = metric === "cosine_distance" ? vectors.inverseNorms[row] : 1;
  const vector = new Float32Array(vectors.bytes.buffer, 4 * row * DIMENSIONS, DIMENSIONS);
  return Array.from(vector, (x) => x * scale);
}

function meanOf({ centroids, lengths }: RowClusters, cluster: number): number[] {
  const centroid = centroids.subarray(cluster * DIMENSIONS, (cluster + 1) * DIMENSIONS);
  return Array.from(centroid, (x) => x * lengths[cluster]);
}

test.each(METRICS)("codes are signs of rotated differences to means, by %s", (metric) => {
  const vectors = randomRows(1);
  const { codes, clusters, bytes } = coded(vectors, metric, FAST);
  const blockBytes = (codes.rotatedDimensions / 4) * 16 + 3 * 4 * 32;
  let alike = 0;
  let bits = 0;
  for (let c = 0; c < clusters.starts.length - 1; c++) {
    const mean = meanOf(clusters, c);
    for (let at = clusters.starts[c]; at < clusters.starts[c + 1]; at++) {
      const block = bytes.subarray(Math.floor(at / 32) * blockBytes);
      const factors = new Float32Array(block.slice(blockBytes - 384, blockBytes).buffer);
      const row = clusters.order[at];
      if (vectors.inverseNorms[row] === 0 && metric === "cosine_distance") {
        expect(factors[64 + (at % 32)]).toBeNaN();
        continue;
      }
      const difference = new Float32Array(codes.rotatedDimensions);
      difference.set(codedVector(vectors, row, metric).map((x, d) => x - mean[d]));
      rotateVector(difference, codes.signs, codes.rounds);
      for (let d = 0; d < difference.length; d++) {
        const byte = block[(d >> 2) * 16 + (at % 16)];
        const bit = (byte >> ((at % 32 < 16 ? 0 : 4) + (d & 3))) & 1;
        alike += Number(bit === Number(difference[d] >= 0));
        bits++;
      }
      expect(factors[64 + (at % 32)]).toBeGreaterThan(0);
    }
  }
  // Those next to zero depend on how numbers are rounded.
  expect(alike / bits).toBeGreaterThan(0.999);
});

test.each(METRICS)("shapes tell how rows lie around their means, by %s", (metric) => {
  const vectors = randomRows(2);
  const { codes, clusters } = coded(vectors, metric, FAST);
  const { radii } = codes.shapes;
  for (let c = 0; c < clusters.starts.length - 1; c++) {
    const mean = meanOf(clusters, c);
    const rows = [...clusters.order.subarray(clusters.starts[c], clusters.starts[c + 1])];
    const squares = rows
      .filter((row) => metric !== "cosine_distance" || vectors.inverseNorms[row] > 0)
      .map((row) => {
        return codedVector(vectors, row, metric).reduce((sum, x, d) => sum + (x - mean[d]) ** 2, 0);
      });
    const radius = squares.reduce((sum, x) => sum + x, 0) / squares.length;
    expect(radii[c] / radius).toBeCloseTo(1, 4);
  }
});

test.each(METRICS)("every kernel gives the same codes, by %s", (metric) => {
  const vectors = randomRows(3);
  const [fast, scalar] = [FAST, SCALAR].map((space) => coded(vectors, metric, space));
  expect(fast.bytes).toEqual(scalar.bytes);
  expect(fast.codes.shapes).toEqual(scalar.codes.shapes);
});
