import { describe, expect, test } from "vitest";
import { type Random, seededRandom } from "../../base/random.ts";
import { ClusterWalk, type WalkedClusters, type WalkPlan } from "./cluster-walk.ts";

const PLAN: WalkPlan = { wanted: 10, missedMax: 0.3, firstRows: 100 };

/** Clusters of 20 rows each, so far from the query, in 32 dimensions of deviation 1. */
function clustersAt(distances: readonly number[], counts?: readonly number[]): WalkedClusters {
  const all = (value: number) => new Float64Array(distances.length).fill(value);
  return {
    distances: Float64Array.from(distances),
    counts: counts === undefined ? all(20) : Float64Array.from(counts),
    radii: all(32),
    deviations: all(8),
    spreads: all(1),
    boundShare: 0,
  };
}

/** All clusters by batch, with the same worst result from the second batch on. */
function walked(walk: ClusterWalk, worst: number): number[][] {
  const batches: number[][] = [[...walk.next(Number.POSITIVE_INFINITY)]];
  for (;;) {
    const next = [...walk.next(worst)];
    if (next.length === 0) return batches;
    batches.push(next);
  }
}

test("the nearest clusters with enough rows come first, each once, none without rows", () => {
  for (let seed = 1; seed <= 100; seed++) {
    const random = seededRandom(seed);
    const count = 1 + random.below(40);
    const distances = Array.from({ length: count }, () => random.below(1000));
    const counts = Array.from({ length: count }, () => random.below(4) * 10);
    const walk = new ClusterWalk(clustersAt(distances, counts), PLAN);
    const seen: number[] = [];
    for (let farthest = 0; ; ) {
      // Nothing is ever found.
      const next = [...walk.next(Number.POSITIVE_INFINITY)];
      if (next.length === 0) break;
      expect(next, `seed ${seed}`).toEqual(next.toSorted((a, b) => a - b));
      const nearest = Math.min(...next.map((c) => distances[c]));
      expect(nearest, `seed ${seed}`).toBeGreaterThanOrEqual(farthest);
      farthest = Math.max(...next.map((c) => distances[c]));
      seen.push(...next);
    }
    const withRows = counts.flatMap((rows, c) => (rows > 0 ? [c] : []));
    expect(seen.toSorted((a, b) => a - b)).toEqual(withRows);
  }
});

describe("once there are results", () => {
  test("clusters without any chance are left out, whatever their number", () => {
    const far = Array.from({ length: 5000 }, () => 10_000);
    const walk = new ClusterWalk(clustersAt([1, 2, 3, 4, 5, ...far]), PLAN);
    expect(walked(walk, 40).flat()).toEqual([0, 1, 2, 3, 4]);
  });

  test("many clusters with a small chance each are looked into, few are not", () => {
    // 5 rows of 1,000 clusters are expected to be so near, and 0.05 of 10.
    const some = clustersAt([0, 0, 0, 0, 0, ...Array.from({ length: 10 }, () => 35)]);
    const many = clustersAt([0, 0, 0, 0, 0, ...Array.from({ length: 1000 }, () => 35)]);
    const worst = expectedAt(35, 0.005 / 20);
    expect(walked(new ClusterWalk(some, PLAN), worst).flat()).toHaveLength(5);
    expect(walked(new ClusterWalk(many, PLAN), worst).flat()).toHaveLength(1005);
  });

  test("those with the greatest chance come before the others", () => {
    const distances = [0, 0, 0, 0, 0, 30, 60, 40, 55, 35];
    const batches = walked(new ClusterWalk(clustersAt(distances), PLAN), 60);
    const found = batches.slice(1).map((batch) => batch.map((c) => distances[c]));
    for (let i = 1; i < found.length; i++) {
      expect(Math.min(...found[i])).toBeGreaterThanOrEqual(Math.max(...found[i - 1]));
    }
    expect(found.length).toBeGreaterThan(1);
  });

  test("a wide cluster counts more than a narrow one that is nearer", () => {
    const clusters = clustersAt([0, 0, 0, 0, 0, 60, 70]);
    clusters.spreads[5] = 0.1;
    clusters.radii[5] = 60;
    clusters.spreads[6] = 4;
    const batches = walked(new ClusterWalk(clusters, PLAN), 45);
    expect(batches[1]).toEqual([6]);
  });

  test("numbers that say nothing are looked at", () => {
    const huge = Number.POSITIVE_INFINITY;
    const clusters = clustersAt([0, 0, 0, 0, 0, Number.NaN, huge, 1e300]);
    clusters.radii[6] = Number.NaN;
    const seen = walked(new ClusterWalk(clusters, PLAN), 40).flat();
    expect(seen.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });
});

test("as much is missed as is told: rows that are normal around their clusters", () => {
  let missed = 0;
  let looked = 0;
  let total = 0;
  const rounds = 60;
  for (let seed = 1; seed <= rounds; seed++) {
    const { clusters, rows } = normalClusters(seededRandom(seed));
    const walk = new ClusterWalk(clusters, PLAN);
    const found: number[] = [];
    const worst = () =>
      found.toSorted((a, b) => a - b)[PLAN.wanted - 1] ?? Number.POSITIVE_INFINITY;
    for (let next = walk.next(worst()); next.length > 0; next = walk.next(worst())) {
      for (const c of next) found.push(...rows[c]);
    }
    const truth = rows.flat().toSorted((a, b) => a - b)[PLAN.wanted - 1];
    missed += PLAN.wanted - found.filter((distance) => distance <= truth).length;
    looked += found.length;
    total += rows.flat().length;
  }
  expect(missed / rounds).toBeLessThan(2 * PLAN.missedMax);
  expect(looked / total).toBeLessThan(0.5);
});

test("what is likely comes next, and little else", () => {
  for (let seed = 1; seed <= 30; seed++) {
    const { clusters, rows } = normalClusters(seededRandom(seed));
    const walk = new ClusterWalk(clusters, PLAN);
    const found: number[] = [];
    const worst = () =>
      found.toSorted((a, b) => a - b)[PLAN.wanted - 1] ?? Number.POSITIVE_INFINITY;
    const likely = new Set(walk.likely(worst()));
    const seen: number[] = [];
    for (let next = walk.next(worst()); next.length > 0; next = walk.next(worst())) {
      seen.push(...next);
      for (const c of next) found.push(...rows[c]);
    }
    const surprises = seen.filter((c) => !likely.has(c)).length;
    expect(surprises, `seed ${seed}`).toBeLessThan(0.2 * seen.length + 4);
    expect(likely.size, `seed ${seed}`).toBeLessThan(3 * seen.length + 10);
  }
});

/** The worst distance at which this share of a cluster's rows is expected to be nearer. */
function expectedAt(distance: number, share: number): number {
  // The share of a normal distribution below −3.48 deviations is 0.00025.
  expect(share).toBeCloseTo(0.00025);
  return distance + 32 - 3.48 * Math.sqrt(4 * distance + 64);
}

const DIMENSIONS = 16;

/** Clusters of 20 rows around random points, and how far each row is from the origin. */
function normalClusters(random: Random) {
  const normal = () => {
    let sum = -6;
    for (let i = 0; i < 12; i++) sum += random.next();
    return sum;
  };
  const centres = Array.from({ length: 200 }, () =>
    Array.from({ length: DIMENSIONS }, () => 3 * normal()),
  );
  const squared = (point: readonly number[]) => point.reduce((sum, x) => sum + x * x, 0);
  const rows = centres.map((centre) =>
    Array.from({ length: 20 }, () => squared(centre.map((x) => x + normal()))),
  );
  const all = (value: number) => new Float64Array(centres.length).fill(value);
  const clusters: WalkedClusters = {
    distances: Float64Array.from(centres, squared),
    counts: all(20),
    radii: all(DIMENSIONS),
    deviations: all(Math.sqrt(2 * DIMENSIONS)),
    spreads: all(1),
    boundShare: 0,
  };
  return { clusters, rows };
}
