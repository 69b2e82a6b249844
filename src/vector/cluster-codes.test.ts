/** Codes of clusters against plain loops in float64, and the fast kernel against the scalar one. */

import { expect, test } from "vitest";
import { effort } from "../../test/support/effort.ts";
import { expectEqual } from "../../test/support/expect-equal.ts";
import { openKernelSpace, type TestKernelSpace } from "../../test/support/segments/kernel-space.ts";
import { ROW_FORMATS, rowsOfVectors } from "../../test/support/segments/rows-of-vectors.ts";
import { seededRandom } from "../base/random.ts";
import { runSteps } from "../base/steps.ts";
import { CodeBlocks } from "../kernel/code-blocks.ts";
import { codeBlockBytes, FOUND_WORDS } from "../kernel/code-scan.ts";
import type { RowFormat } from "../kernel/kernel.ts";
import { rotateVector } from "../kernel/scalar-rotation.ts";
import type { DistanceMetric } from "../model/schema.ts";
import { ClusterCodes } from "./cluster-codes.ts";
import { clusterRows, type RowClusters } from "./cluster-rows.ts";
import { codeTable, spreadOf } from "./one-bit-codes.ts";
import { VectorReader, type VectorRows } from "./vector-rows.ts";

const FAST = await openKernelSpace("auto");
const SCALAR = await openKernelSpace("scalar");
const METRICS = ["cosine_distance", "euclidean_squared"] as const;
const DIMENSIONS = 70;
const COUNT = 500;

const CASES = ROW_FORMATS.flatMap((format) => METRICS.map((metric) => ({ format, metric })));

/** Random vectors that are longer in some dimensions; one is the zero vector. */
function randomRows(seed: number, format: RowFormat): VectorRows {
  const random = seededRandom(seed);
  const scale = format === "i8" ? 25 : 1;
  const vectors = Array.from({ length: COUNT }, () =>
    Float32Array.from({ length: DIMENSIONS }, (_, d) => {
      return scale * (random.next() - 0.4) * (1 + (d % 5));
    }),
  );
  vectors[7].fill(0);
  return rowsOfVectors(vectors, format);
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
  return Array.from(new VectorReader(vectors).at(row), (x) => x * scale);
}

function meanOf({ centroids, lengths }: RowClusters, cluster: number): number[] {
  const centroid = centroids.subarray(cluster * DIMENSIONS, (cluster + 1) * DIMENSIONS);
  return Array.from(centroid, (x) => x * lengths[cluster]);
}

test.each(CASES)("codes of $format are signs of differences, by $metric", (of) => {
  const { format, metric } = of;
  const vectors = randomRows(1, format);
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

test.each(CASES)("shapes of $format tell how rows lie, by $metric", ({ format, metric }) => {
  const vectors = randomRows(2, format);
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

test.each(CASES)("every kernel gives the same codes of $format, by $metric", (of) => {
  const { format, metric } = of;
  const vectors = randomRows(3, format);
  const [fast, scalar] = [FAST, SCALAR].map((space) => coded(vectors, metric, space));
  expectEqual(fast.bytes, scalar.bytes);
  expect(fast.codes.shapes).toEqual(scalar.codes.shapes);
});

type Coded = ReturnType<typeof coded>;

/** What a scan tells of the rows of a cluster. */
function boundsOf({ codes, clusters, bytes }: Coded, cluster: number, query: readonly number[]) {
  const { kernels, memory } = FAST;
  const nibbles = codes.rotatedDimensions / 4;
  const moved = new Float32Array(codes.rotatedDimensions);
  moved.set(query.map((x, d) => x - codes.origin[d]));
  rotateVector(moved, codes.signs, codes.rounds);
  const table = codeTable(moved);
  const { bytes: placed, ...place } = memory.allocate(bytes.length);
  placed.set(bytes);
  const block = { ...place, bytes: placed.length };
  kernels.setCodeTable({ block, start: 0, nibbles }, table.table);
  const mean = meanOf(clusters, cluster);
  const base = query.reduce((sum, x, d) => sum + (x - mean[d]) ** 2, 0);
  const spread = spreadOf(base, table);
  const [first, end] = [clusters.starts[cluster], clusters.starts[cluster + 1]];
  const blocks = new CodeBlocks();
  for (let firstRow = first - (first % 32); firstRow < end; firstRow += 32) {
    const address = place.offset + (firstRow / 32) * codeBlockBytes(nibbles);
    const isWithin = (i: number) => firstRow + i >= first && firstRow + i < end;
    const mask = Array.from({ length: 32 }, (_, i) => (isWithin(i) ? 2 ** i : 0));
    blocks.add({ address, mask: mask.reduce((a, b) => a + b), firstRow, base, spread });
  }
  const sent = { ...table, worst: Number.POSITIVE_INFINITY };
  const found = kernels.scanCodes({ arena: place.arena, nibbles }, blocks, sent);
  memory.free(block);
  expect(found.count).toBe(end - first);
  return Array.from({ length: found.count }, (_, i) => ({
    row: clusters.order[found.rows[FOUND_WORDS * i]],
    lower: found.bounds[FOUND_WORDS * i + 1],
    upper: found.bounds[FOUND_WORDS * i + 2],
  }));
}

/** Queries whose distances to all rows are compared with their bounds. */
const TURNS = effort({ usual: 3, full: 20 });

test.each(CASES)("nearly all distances of $format are within bounds, by $metric", (of) => {
  const { format, metric } = of;
  const vectors = randomRows(4, format);
  const all = coded(vectors, metric, FAST);
  let [count, within, width] = [0, 0, 0];
  for (let turn = 0; turn < TURNS; turn++) {
    const query = codedVector(randomRows(5, format), turn, metric);
    for (let c = 0; c < all.clusters.starts.length - 1; c++) {
      for (const { row, lower, upper } of boundsOf(all, c, query)) {
        if (vectors.inverseNorms[row] === 0) continue;
        const vector = codedVector(vectors, row, metric);
        const truth = vector.reduce((sum, x, d) => sum + (x - query[d]) ** 2, 0);
        within += Number(lower <= truth && truth <= upper);
        width += (upper - lower) / truth;
        count++;
      }
    }
  }
  expect(count).toBeGreaterThan(450 * TURNS);
  // Some 97 of 100, and what one bit of each dimension can tell.
  expect(within / count).toBeGreaterThan(0.94);
  expect(width / count).toBeLessThan(0.8);
});
