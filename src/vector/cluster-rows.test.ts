/** Clusters against plain loops in float64, and the fast kernel against the scalar one. */

import { expect, test, vi } from "vitest";
import { effort } from "../../test/support/effort.ts";
import { expectEqual } from "../../test/support/expect-equal.ts";
import { openKernelSpace } from "../../test/support/segments/kernel-space.ts";
import { ROW_FORMATS, rowsOfVectors } from "../../test/support/segments/rows-of-vectors.ts";
import { type Random, seededRandom } from "../base/random.ts";
import type { DistanceMetric } from "../model/schema.ts";
import { type ClusterChoice, clusterRows, type RowClusters } from "./cluster-rows.ts";
import { vectorDistance } from "./metric.ts";
import { VectorReader, type VectorRows } from "./vector-rows.ts";

const FAST = await openKernelSpace("auto");
const SCALAR = await openKernelSpace("scalar");
const METRICS = ["cosine_distance", "euclidean_squared"] as const;

/** Vectors around some centres, of which some are crowded. */
function clustered(random: Random, count: number, dimensions: number): Float32Array[] {
  const centre = () => Float32Array.from({ length: dimensions }, () => 100 * random.next() - 50);
  const centres = Array.from({ length: 1 + random.below(40) }, centre);
  return Array.from({ length: count }, () => {
    const { next } = random;
    const from = centres[Math.floor(next() * next() * centres.length)];
    return from.map((x) => x + 20 * (random.next() - 0.5));
  });
}

function allRows(count: number): Uint32Array {
  return Uint32Array.from({ length: count }, (_, row) => row);
}

function clustersOf({ starts, order }: RowClusters): number[][] {
  return Array.from(starts.subarray(1), (end, i) => [...order.subarray(starts[i], end)]);
}

/** Checks that every row is in one cluster, and returns the greatest size. */
function checkShape(found: RowClusters, rows: Uint32Array, dimensions: number): number {
  const clusters = clustersOf(found);
  expect(found.centroids.length).toBe(clusters.length * dimensions);
  expectEqual(found.order.slice().sort(), rows);
  for (const cluster of clusters) {
    expectEqual(
      cluster,
      cluster.toSorted((a, b) => a - b),
    );
  }
  return Math.max(...clusters.map(({ length }) => length));
}

/** Every n-th row is compared with all centroids; comparing each row is slower than clustering. */
const COMPARED = effort({ usual: 9, full: 1 });

/** Mean distance of compared rows to their centroids, and to the nearest of all. */
function meanDistances(vectors: VectorRows, found: RowClusters, metric: DistanceMetric) {
  const reader = new VectorReader(vectors);
  const { dimensions } = vectors;
  const centroids = clustersOf(found).map((_, i) =>
    found.centroids.subarray(i * dimensions, (i + 1) * dimensions),
  );
  let own = 0;
  let nearest = 0;
  let count = 0;
  clustersOf(found).forEach((cluster, c) => {
    for (const row of cluster) {
      if (row % COMPARED > 0) continue;
      count++;
      const vector = reader.at(row);
      own += vectorDistance(metric, vector, centroids[c]);
      let least = Number.POSITIVE_INFINITY;
      for (const other of centroids) least = Math.min(least, vectorDistance(metric, vector, other));
      nearest += least;
    }
  });
  return { own: own / count, nearest: nearest / count };
}

/** Plain k-means over all rows: the mean distance to the nearest centroid. */
function naiveMeanDistance(vectors: readonly Float32Array[], count: number, random: Random) {
  let centroids = Array.from({ length: count }, () => vectors[random.below(vectors.length)]);
  let mean = 0;
  for (let round = 0; round < 8; round++) {
    const sums = centroids.map((centroid) => ({ sum: new Float64Array(centroid.length), n: 0 }));
    mean = 0;
    for (const vector of vectors) {
      const distances = centroids.map((c) => vectorDistance("euclidean_squared", vector, c));
      const least = Math.min(...distances);
      mean += least / vectors.length;
      const nearest = sums[distances.indexOf(least)];
      nearest.n++;
      for (let d = 0; d < vector.length; d++) nearest.sum[d] += vector[d];
    }
    centroids = sums.map(({ sum, n }, i) => {
      return n === 0 ? centroids[i] : Float32Array.from(sum, (value) => value / n);
    });
  }
  return mean;
}

test("every row is in one cluster of bounded size, whatever the kernel and the run", () => {
  for (let seed = 1; seed <= effort({ usual: 2, full: 12 }); seed++) {
    const random = seededRandom(seed);
    const count = 1 + random.below(effort({ usual: 1000, full: 3000 }));
    const dimensions = 1 + random.below(seed % 2 === 0 ? 40 : 120);
    const vectors = rowsOfVectors(clustered(random, count, dimensions), ROW_FORMATS[seed % 3]);
    const rows = allRows(count).filter(() => random.below(10) > 0);
    if (rows.length === 0) continue;
    const wanted = 8 + random.below(40);
    const choice: ClusterChoice = { metric: METRICS[seed % 2], clusterRows: wanted };
    const found = clusterRows(vectors, rows, choice, FAST);
    expect(checkShape(found, rows, dimensions), `seed ${seed}`).toBeLessThanOrEqual(4 * wanted);
    const least = Math.min(...clustersOf(found).map(({ length }) => length));
    expect(least, `seed ${seed}`).toBeGreaterThanOrEqual(Math.min(rows.length, wanted / 8));
    for (const space of [FAST, SCALAR]) {
      const again = clusterRows(vectors, rows, choice, space);
      for (const part of ["starts", "order", "centroids", "lengths"] as const) {
        expectEqual(again[part], found[part], `seed ${seed}, ${part}`);
      }
    }
  }
  expect(FAST.usedBytes).toBe(0);
});

const SPACES = [12, 64, 100].flatMap((dimensions) =>
  [0, 1_000].flatMap((offset) => METRICS.map((metric) => ({ dimensions, offset, metric }))),
);

test.each(SPACES.filter((_, i) => i % effort({ usual: 3, full: 1 }) === 0))(
  "rows of $dimensions dimensions around $offset are in clusters that are near \
them by $metric",
  ({ dimensions, offset, metric }) => {
    const drawn = clustered(seededRandom(1), 4000, dimensions);
    const vectors = rowsOfVectors(
      drawn.map((vector) => vector.map((x) => x + offset)),
      "f32",
    );
    const found = clusterRows(vectors, allRows(4000), { metric, clusterRows: 20 }, FAST);
    expect(found.starts.length).toBeGreaterThan(100);
    const { own, nearest } = meanDistances(vectors, found, metric);
    expect(own).toBeLessThan(1.01 * nearest);
  },
);

const APART = effort({ usual: [1e3], full: [1, 1e3, 1e5] }).flatMap((distance) =>
  METRICS.map((metric) => ({ distance, metric })),
);

test.each(APART)(
  "rows in two parts that are $distance apart are in near clusters by $metric",
  (of) => {
    const { distance, metric } = of;
    const drawn = clustered(seededRandom(15), 4_000, 64);
    const vectors = rowsOfVectors(
      drawn.map((vector, row) => vector.map((x) => x + (row % 5 < 2 ? distance : 0))),
      "f32",
    );
    const found = clusterRows(vectors, allRows(4_000), { metric, clusterRows: 20 }, FAST);
    const { own, nearest } = meanDistances(vectors, found, metric);
    expect(own).toBeLessThan(1.02 * nearest);
  },
);

test("rounds that move next to nothing are not made", () => {
  const count = 12_000;
  /** Distances between a vector and a centroid that are computed, for each row. */
  const distances = (groupRows: number) => {
    const random = seededRandom(9);
    const centre = () => Float32Array.from({ length: 24 }, () => 100 * random.next() - 50);
    const centres = Array.from({ length: count / groupRows }, centre);
    const draw = () => centres[random.below(centres.length)].map((x) => x + 10 * random.next());
    const vectors = rowsOfVectors(Array.from({ length: count }, draw), "f32");
    const scans = vi.spyOn(FAST.kernels, "nearestRows");
    const { starts } = clusterRows(vectors, allRows(count), { metric: "euclidean_squared" }, FAST);
    const pairs = scans.mock.calls.reduce((sum, [, , scan]) => sum + scan.count * scan.rowCount, 0);
    scans.mockRestore();
    return [count / (starts.length - 1), pairs / count].map(Math.round);
  };
  // Where eight rounds are made of each, it is 310 and 1,386.
  const groups = [
    { groupRows: 80, size: 60, eachMax: 280 },
    { groupRows: 24, size: 16, eachMax: 1_150 },
  ];
  for (const { groupRows, size, eachMax } of groups.slice(0, effort({ usual: 1, full: 2 }))) {
    const [found, each] = distances(groupRows);
    expect(found).toBe(size);
    expect(each).toBeLessThan(eachMax);
  }
  expect(FAST.usedBytes).toBe(0);
});

test.each([
  { dimensions: 63, areCoded: false },
  { dimensions: 64, areCoded: true },
])("vectors of $dimensions dimensions are compared by codes: $areCoded", (of) => {
  const { dimensions, areCoded } = of;
  const vectors = rowsOfVectors(clustered(seededRandom(6), 8_000, dimensions), "f32");
  const floats = vi.spyOn(FAST.kernels, "nearestRows");
  const codes = vi.spyOn(FAST.kernels, "nearestCodes");
  clusterRows(vectors, allRows(8_000), { metric: "euclidean_squared" }, FAST);
  const [byFloats, byCodes] = [
    floats.mock.calls.map(([, , scan]) => scan),
    codes.mock.calls.map(([, scan]) => scan),
  ].map((scans) => scans.reduce((sum, { count, rowCount }) => sum + count * rowCount, 0));
  vi.restoreAllMocks();
  // Some rows are compared by both, to tell whether codes are fine enough.
  if (areCoded) expect(byFloats).toBeLessThan(byCodes / 100);
  else expect(byCodes).toBe(0);
});

test("clusters are smaller where groups of vectors are hardly larger than they are", () => {
  const random = seededRandom(8);
  const meanRows = (groupRows: number) => {
    const count = effort({ usual: 2_000, full: 4_000 });
    const centres = Array.from({ length: Math.ceil(count / groupRows) }, () =>
      Float32Array.from({ length: 24 }, () => 100 * random.next() - 50),
    );
    const vectors = Array.from({ length: count }, () =>
      centres[random.below(centres.length)].map((x) => x + 20 * (random.next() - 0.5)),
    );
    const rows = allRows(count);
    const choice = { metric: "euclidean_squared" } as const;
    return (
      count / clustersOf(clusterRows(rowsOfVectors(vectors, "f32"), rows, choice, FAST)).length
    );
  };
  // No groups, those of many clusters each, of about one, and of a part of one.
  expect(meanRows(1)).toBeGreaterThan(45);
  expect(meanRows(500)).toBeGreaterThan(45);
  expect(meanRows(50)).toBeLessThan(45);
  expect(meanRows(24)).toBeLessThan(28);
});

test("known centroids of the smallest clusters are kept, however loose their clusters are", () => {
  const random = seededRandom(12);
  // What lies evenly in two dimensions is loose in clusters of any size.
  const vectors = Array.from({ length: 4_000 }, () => random.bytes(2).map((x) => x >> 1));
  const rows = rowsOfVectors(vectors, "i8");
  const scans = vi.spyOn(FAST.kernels, "nearestRows");
  const scansOf = (known?: Float32Array) => {
    scans.mockClear();
    const choice = { metric: "euclidean_squared", known } as const;
    const found = clusterRows(rows, allRows(4_000), choice, FAST);
    return { found, count: scans.mock.calls.length };
  };
  const anew = scansOf();
  const again = scansOf(anew.found.centroids);
  scans.mockRestore();
  expect(4_000 / clustersOf(anew.found).length).toBeLessThan(24);
  expect(4_000 / clustersOf(again.found).length).toBeLessThan(28);
  expect(again.count).toBeLessThan(anew.count / 4);
});

test("two levels are about as near as plain k-means", () => {
  const count = effort({ usual: 1200, full: 3000 });
  const vectors = clustered(seededRandom(2), count, 8);
  const choice = { metric: "euclidean_squared", clusterRows: 30 } as const;
  const rows = rowsOfVectors(vectors, "f32");
  const found = clusterRows(rows, allRows(count), choice, FAST);
  const naive = naiveMeanDistance(vectors, count / 30, seededRandom(3));
  expect(meanDistances(rows, found, "euclidean_squared").own).toBeLessThan(1.1 * naive);
});

test.each(METRICS)("centroids are the means of their rows by %s", (metric) => {
  const vectors = rowsOfVectors(clustered(seededRandom(4), 300, 5), "f32");
  const found = clusterRows(vectors, allRows(300), { metric, clusterRows: 25 }, FAST);
  const reader = new VectorReader(vectors);
  clustersOf(found).forEach((cluster, c) => {
    const mean = new Float64Array(5);
    for (const row of cluster) {
      const weight = metric === "cosine_distance" ? vectors.inverseNorms[row] : 1;
      reader.at(row).forEach((x, d) => {
        mean[d] += (x * weight) / cluster.length;
      });
    }
    const length = metric === "cosine_distance" ? Math.hypot(...mean) : 1;
    mean.forEach((x, d) => {
      expect(found.centroids[c * 5 + d]).toBeCloseTo(x / length, 4);
    });
  });
});

test("vectors that cannot be told apart are divided by their order", () => {
  const odd: [string, readonly number[]][] = [
    ["equal", [1, 2, 3]],
    ["zero", [0, 0, 0]],
    ["huge", [3e38, -3e38, 3e38]],
  ];
  for (const [name, elements] of odd) {
    for (const times of [1, 25]) {
      const vector = () => Float32Array.from(Array.from({ length: times }, () => elements).flat());
      const vectors = rowsOfVectors(Array.from({ length: 1000 }, vector), "f32");
      for (const metric of METRICS) {
        const found = clusterRows(vectors, allRows(1000), { metric, clusterRows: 10 }, FAST);
        expect(checkShape(found, allRows(1000), 3 * times), name).toBeLessThanOrEqual(40);
      }
    }
  }
});

test("a few vectors that are too long to be compared are clustered with all others", () => {
  const all = [0.002, 0.05, 0.5, 1].flatMap((share) => [4, 64].map((dims) => [share, dims]));
  // A few of 64 dimensions, and all of four.
  const shares = all.filter((_, i) => effort({ usual: i === 3 || i === 6, full: true }));
  for (const [share, dimensions] of shares) {
    const random = seededRandom(5);
    const long = Array.from({ length: 3000 }, () => {
      const scale = random.next() < share ? [1e21, 6e38][random.below(2)] : 1;
      return Float32Array.from({ length: dimensions }, () => scale * (random.next() - 0.5));
    });
    const vectors = rowsOfVectors(long, "f32");
    for (const metric of METRICS) {
      const found = clusterRows(vectors, allRows(3000), { metric, clusterRows: 25 }, FAST);
      expect(checkShape(found, allRows(3000), dimensions)).toBeGreaterThan(0);
    }
  }
  expect(FAST.usedBytes).toBe(0);
});

test.each(METRICS)("a few vectors far away or of no length leave others apart, by %s", (metric) => {
  const random = seededRandom(14);
  const dimensions = 64;
  const vectors = clustered(random, 4_000, dimensions);
  const isOdd = (row: number) => row % 100 === 0;
  const mixed = vectors.map((vector, row) => {
    if (!isOdd(row)) return vector;
    return vector.map((x) => x * (row % 200 === 0 ? 1e30 : 0));
  });
  const found = clusterRows(
    rowsOfVectors(mixed, "f32"),
    allRows(4_000),
    { metric, clusterRows: 20 },
    FAST,
  );
  expect(checkShape(found, allRows(4_000), dimensions)).toBeLessThanOrEqual(80);
  let [own, nearest] = [0, 0];
  const centroids = Array.from({ length: found.starts.length - 1 }, (_, c) =>
    found.centroids.subarray(c * dimensions, (c + 1) * dimensions),
  );
  clustersOf(found).forEach((rows, cluster) => {
    if (rows.some(isOdd)) return;
    for (const row of rows) {
      if (row % COMPARED > 0) continue;
      const distances = centroids.map((other) => vectorDistance(metric, mixed[row], other));
      own += distances[cluster];
      nearest += Math.min(...distances);
    }
  });
  expect(own).toBeGreaterThan(0);
  expect(own).toBeLessThan(1.02 * nearest);
});

test.each([
  ["fewer rows", 300, 200],
  ["as many rows", 300, 400],
  ["many more rows", 300, 3000],
])("known centroids are used again for %s", (_, before, after) => {
  for (let seed = 1; seed <= effort({ usual: 2, full: 4 }); seed++) {
    const all = clustered(seededRandom(seed), before + after, 6);
    const vectors = rowsOfVectors(all, "f32");
    const metric = METRICS[seed % 2];
    const choice = { metric, clusterRows: 4 };
    const first = clusterRows(vectors, allRows(before), choice, FAST);
    const again = { ...choice, known: first.centroids };
    const found = clusterRows(vectors, allRows(all.length), again, FAST);
    expect(checkShape(found, allRows(all.length), 6)).toBeLessThanOrEqual(16);
    const { own, nearest } = meanDistances(vectors, found, metric);
    expect(own, `seed ${seed}`).toBeLessThan(1.35 * nearest);
    const fresh = clusterRows(vectors, allRows(all.length), choice, FAST);
    const trained = meanDistances(vectors, fresh, metric).own;
    // They are half as many as would be trained, at worst.
    expect(own, `seed ${seed}`).toBeLessThan(1.6 * trained);
  }
  expect(FAST.usedBytes).toBe(0);
});

test.each([
  ["fewer rows", 900, 500],
  ["as many rows", 700, 700],
  ["many more rows", 300, 3_000],
  ["most rows gone", 3_000, 300],
])("clusters of known centroids are of bounded size, with %s", (_, before, after) => {
  for (let seed = 1; seed <= effort({ usual: 3, full: 12 }); seed++) {
    const random = seededRandom(seed);
    const dimensions = 1 + random.below(12);
    const all = clustered(random, before + after, dimensions);
    const vectors = rowsOfVectors(all, "f32");
    const choice = { metric: METRICS[seed % 2], clusterRows: 16 };
    const first = clusterRows(vectors, allRows(before), choice, FAST);
    // What was there goes for the most part, and others come.
    const rows = allRows(before + after).filter((row) => row >= before || row % 5 === 0);
    const found = clusterRows(vectors, rows, { ...choice, known: first.centroids }, FAST);
    expect(checkShape(found, rows, dimensions), `seed ${seed}`).toBeLessThanOrEqual(64);
    const least = Math.min(...clustersOf(found).map(({ length }) => length));
    expect(least, `seed ${seed}`).toBeGreaterThanOrEqual(2);
  }
  expect(FAST.usedBytes).toBe(0);
});
