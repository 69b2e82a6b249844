import { beforeAll, describe, expect, test } from "vitest";
import { ARENAS, KERNELS } from "../../../test/support/queries/query-fixture.ts";
import { type Random, seededRandom } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import { RATE_BINS, RATED_BLOCK } from "../../kernel/rate-scan.ts";
import { rateBin } from "../../vector/hit-rates.ts";
import { ClusterWalk, type WalkedClusters, type WalkPlan } from "./cluster-walk.ts";
import { WalkArrays } from "./walk-arrays.ts";

const PLAN: WalkPlan = { wanted: 10, missedMax: 0.3, firstClusters: 5 };

/** Kernels work in an arena. */
beforeAll(() => void ARENAS.alloc(64));

/** How many of a cluster's rows are hits, by the gap to it in radii. */
type Rate = (gap: number) => number;

const steep: Rate = (gap) => (gap < 0.2 ? 1 - 4 * gap : gap < 0.5 ? 0.01 : 0);

/** Clusters of 20 rows each, of radius 1, whose means are so far away. */
function clustersAt(
  distances: readonly number[],
  { counts, rate = steep }: { readonly counts?: readonly number[]; readonly rate?: Rate } = {},
): WalkedClusters {
  const rates = new Float32Array(RATE_BINS);
  // From the farthest to the nearest, so that a bin has the rate of its nearest end.
  for (let gap = 2; gap >= -0.4; gap -= 0.001) rates[rateBin(gap)] = rate(gap);
  rates.fill(1, 0, rateBin(-0.3));
  const end = Math.ceil(distances.length / RATED_BLOCK) * RATED_BLOCK;
  const arrays = new WalkArrays(end);
  arrays.lower.set(distances.map((distance) => distance * distance));
  arrays.upper.set(arrays.lower);
  arrays.counts.fill(20, 0, distances.length).set(counts ?? []);
  arrays.inverseRadii.fill(1);
  return {
    arrays,
    refine: () => expect.unreachable(),
    starts: [0, end],
    rates: [rates],
    kernels: KERNELS,
    boundShare: 0,
  };
}

/** All clusters by batch, with the same worst result from the second batch on. */
function walked(walk: ClusterWalk, worst: number): number[][] {
  const batches: number[][] = [[...runSteps(walk.next(Number.POSITIVE_INFINITY))]];
  for (;;) {
    const next = [...runSteps(walk.next(worst))];
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
    const walk = new ClusterWalk(clustersAt(distances, { counts }), PLAN);
    const seen: number[] = [];
    for (let farthest = 0; ; ) {
      // Nothing is ever found.
      const next = [...runSteps(walk.next(Number.POSITIVE_INFINITY))];
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
  const near = [0, 0, 0, 0, 0];

  test("clusters without any chance are left out, whatever their number", () => {
    const far = Array.from({ length: 5000 }, () => 1.6);
    const walk = new ClusterWalk(clustersAt([...near, ...far]), PLAN);
    expect(walked(walk, 1).flat()).toEqual([0, 1, 2, 3, 4]);
  });

  test("many clusters with a small chance each are looked into, few are not", () => {
    const rate: Rate = (gap) => (gap < 0.2 ? 1 : 0.0005);
    const few = [...near, ...Array.from({ length: 10 }, () => 1.3)];
    const many = [...near, ...Array.from({ length: 1000 }, () => 1.3)];
    expect(walked(new ClusterWalk(clustersAt(few, { rate }), PLAN), 1).flat()).toHaveLength(5);
    expect(walked(new ClusterWalk(clustersAt(many, { rate }), PLAN), 1).flat()).toHaveLength(1005);
  });

  test("more may be missed where no cluster is worth its cost", () => {
    // In each of the far ones .01 is expected, in all of them 10.
    const rate: Rate = (gap) => (gap < 0.2 ? 1 : gap < 0.35 ? 0.0005 : 0);
    const many = [...near, ...Array.from({ length: 1000 }, () => 1.3)];
    const seen = (atCost: WalkPlan["atCost"], distances = many) =>
      walked(new ClusterWalk(clustersAt(distances, { rate }), { ...PLAN, atCost }), 1).flat();
    expect(seen({ missedMax: 12, worthRows: 0.02 })).toHaveLength(5);
    expect(seen({ missedMax: 8, worthRows: 0.02 })).toHaveLength(1005);
    expect(seen({ missedMax: 12, worthRows: 0.009 })).toHaveLength(1005);
    expect(seen({ missedMax: 12, worthRows: 0.02 }, [...many, 1.1])).toHaveLength(6);
  });

  test("a walk is given up where too many are to come, and the search has another way", () => {
    const far = Array.from({ length: 100 }, () => 1.15);
    const walkWith = (limit: { unasked: number; most: number }, mayGiveUp = true) => {
      let asked = 0;
      const choice = {
        ...limit,
        mayGiveUp: function* () {
          asked++;
          yield;
          return mayGiveUp;
        },
      };
      const walk = new ClusterWalk(clustersAt([...near, ...far]), PLAN, choice);
      const seen = walked(walk, 1).flat().length;
      return { seen, asked, isGivenUp: walk.isGivenUp };
    };
    const whole = { seen: 105, asked: 0, isGivenUp: false };
    expect(walkWith({ unasked: 5, most: 99 })).toEqual({ seen: 5, asked: 1, isGivenUp: true });
    expect(walkWith({ unasked: 5, most: 100 })).toEqual(whole);
    expect(walkWith({ unasked: 105, most: 0 })).toEqual(whole);
    expect(walkWith({ unasked: 104, most: 0 })).toEqual({ seen: 5, asked: 1, isGivenUp: true });
    expect(walkWith({ unasked: 5, most: 0 }, false)).toEqual({ ...whole, asked: 1 });
  });

  test("those with the greatest chance come before the others", () => {
    const distances = [...near, 1.05, 1.3, 1.15, 1.25, 1.1];
    const batches = walked(new ClusterWalk(clustersAt(distances), PLAN), 1);
    const found = batches.slice(1).map((batch) => batch.map((c) => distances[c]));
    for (let i = 1; i < found.length; i++) {
      expect(Math.min(...found[i])).toBeGreaterThanOrEqual(Math.max(...found[i - 1]));
    }
    expect(found.length).toBeGreaterThan(1);
  });

  test("a wide cluster counts more than a narrow one that is nearer", () => {
    const clusters = clustersAt([...near, 1.19, 1.3]);
    clusters.arrays.inverseRadii[6] = 1 / 4;
    expect(walked(new ClusterWalk(clusters, PLAN), 1)[1]).toEqual([6]);
  });

  test("each segment's rates are its own, and its nearest clusters come first", () => {
    const first = [...near, 1.1];
    const behind = Array.from({ length: RATED_BLOCK - first.length }, () => 0);
    const distances = [...first, ...behind, 1.1, ...near.map(() => 1.5), 1.6];
    const clusters = clustersAt(distances);
    clusters.arrays.counts.fill(0, first.length, RATED_BLOCK);
    const { rates } = clusters;
    const starts = [0, RATED_BLOCK, 2 * RATED_BLOCK];
    const none = rates[0].map(() => 0);
    const walk = new ClusterWalk({ ...clusters, starts, rates: [rates[0], none] }, PLAN);
    const second = [0, 1, 2, 3, 4, 5].map((c) => RATED_BLOCK + c);
    expect(walked(walk, 1)).toEqual([[0, 1, 2, 3, 4, ...second], [5]]);
  });

  test("what float32 cannot tell is looked at", () => {
    const clusters = clustersAt([...near, Number.NaN, 1e30]);
    const seen = walked(new ClusterWalk(clusters, PLAN), 1).flat();
    expect(seen.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5]);
  });
});

describe("of clusters whose distances are bounded", () => {
  /** Bounds that are so much off to both sides, and what was asked for. */
  function boundedAt(distances: readonly number[], share: number, random: Random) {
    const clusters = clustersAt(distances);
    const { lower, upper } = clusters.arrays;
    const known = lower.slice();
    known.forEach((distance, c) => {
      lower[c] = distance * (1 - share * random.next());
      upper[c] = distance * (1 + share * random.next());
    });
    const asked: number[] = [];
    const refine = (some: Uint32Array) => {
      for (const c of some) {
        lower[c] = known[c];
        upper[c] = known[c];
      }
      asked.push(...some);
    };
    return { ...clusters, refine, asked };
  }

  test("what is taken is known, each is asked for once, and mostly the same are taken", () => {
    let different = 0;
    for (let seed = 1; seed <= 100; seed++) {
      const random = seededRandom(seed);
      const distances = Array.from({ length: 300 }, () => 0.5 + 2 * random.next());
      const { asked, ...bounded } = boundedAt(distances, 0.1, random);
      const exact = walked(new ClusterWalk(clustersAt(distances), PLAN), 1.2);
      const seen = walked(new ClusterWalk(bounded, PLAN), 1.2);
      expect(new Set(asked).size, `seed ${seed}`).toBe(asked.length);
      expect(
        seen.flat().every((c) => asked.includes(c)),
        `seed ${seed}`,
      ).toBe(true);
      const all = [...seen.flat(), ...exact.flat()];
      // What both have is there twice.
      different += (2 * new Set(all).size - all.length) / exact.flat().length;
      expect(seen[0], `seed ${seed}`).toEqual(exact[0]);
    }
    expect(different / 100).toBeLessThan(0.02);
  });

  test("those without any chance are never asked for", () => {
    const random = seededRandom(1);
    const far = Array.from({ length: 5000 }, () => 1.8);
    const { asked, ...bounded } = boundedAt([0, 0, 0, 0, 0, ...far], 0.1, random);
    expect(walked(new ClusterWalk(bounded, PLAN), 1).flat()).toEqual([0, 1, 2, 3, 4]);
    expect(asked.length).toBeLessThan(25);
  });

  test("those of which nothing is known are asked for", () => {
    const distances = [1, 2, 3, 1.1];
    const { asked, ...bounded } = boundedAt(distances, 0, seededRandom(1));
    bounded.arrays.lower.fill(0, 2);
    bounded.arrays.upper.fill(Number.POSITIVE_INFINITY, 2);
    expect(walked(new ClusterWalk(bounded, PLAN), 4).flat().sort()).toEqual([0, 1, 2, 3]);
    expect(asked.sort()).toEqual([2, 3]);
  });
});

test("what is likely is what comes, if what is expected is found", () => {
  for (let seed = 1; seed <= 50; seed++) {
    const random = seededRandom(seed);
    const distances = Array.from({ length: 300 }, () => 0.5 + 2 * random.next());
    const make = () => new ClusterWalk(clustersAt(distances), PLAN);
    const likely = new Set(runSteps(make().likely(Number.POSITIVE_INFINITY)));
    const worst = worstOf(distances);
    const seen = walked(make(), worst).flat();
    const surprises = seen.filter((c) => !likely.has(c)).length;
    expect(surprises, `seed ${seed}`).toBeLessThanOrEqual(PLAN.firstClusters);
    expect(likely.size, `seed ${seed}`).toBeLessThan(2 * seen.length + 10);
  }
});

/** The squared distance within which as many rows are expected as are wanted. */
function worstOf(distances: readonly number[]): number {
  for (let root = 0.01; ; root += 0.01) {
    const rows = distances.map((distance) => 20 * steep(Math.max(-0.1, distance - root)));
    if (rows.reduce((sum, x) => sum + x, 0) >= PLAN.wanted) return root * root;
  }
}
