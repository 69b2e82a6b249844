import { beforeAll, expect, test } from "vitest";
import { ARENAS, KERNELS } from "../../../test/support/queries/query-fixture.ts";
import { seededRandom } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import { RATE_BINS, RATED_BLOCK, RATED_MAX } from "../../kernel/rate-scan.ts";
import { rateBin } from "../../vector/hit-rates.ts";
import { countExpecting, expectAll, expectSome } from "./expected-rows.ts";
import { WalkArrays } from "./walk-arrays.ts";

/** Kernels work in an arena. */
beforeAll(() => void ARENAS.alloc(64));

/** Three segments, of which one has none and one more clusters than a call of the kernel takes. */
function randomClusters(seed: number) {
  const random = seededRandom(seed);
  const sizes = [RATED_BLOCK * (1 + random.below(4)), 0, RATED_MAX + 3 * RATED_BLOCK];
  const starts = [0];
  for (const size of sizes) starts.push(starts[starts.length - 1] + size);
  const arrays = new WalkArrays(starts[3]);
  for (let c = 0; c < starts[3]; c++) {
    arrays.lower[c] = 4 * random.next();
    arrays.upper[c] = arrays.lower[c];
    arrays.inverseRadii[c] = 0.5 + random.next();
    arrays.counts[c] = random.below(3) === 0 ? 0 : random.below(64);
  }
  const rates = sizes.map(() => Float32Array.from({ length: RATE_BINS }, () => random.next()));
  return { random, clusters: { arrays, starts, rates, kernels: KERNELS } };
}

test("what is expected of clusters is that of their segment, of all and of some", () => {
  for (let seed = 1; seed <= 10; seed++) {
    const { random, clusters } = randomClusters(seed);
    const { arrays, starts, rates } = clusters;
    const worst = 2 * random.next();
    runSteps(expectAll(clusters, worst));
    const all = arrays.expected.slice();
    let different = 0;
    for (let c = 0; c < all.length; c++) {
      const own = rates[c < starts[1] ? 0 : 2];
      const gap = (Math.sqrt(arrays.lower[c]) - worst) * arrays.inverseRadii[c];
      const wanted = arrays.counts[c] * own[rateBin(gap)];
      // Rounding may put a gap into the next bin.
      if (Math.abs(all[c] - wanted) > 1e-4) different++;
    }
    expect(different, `seed ${seed}`).toBeLessThan(10);
    const some = Uint32Array.from(all.keys()).filter(() => random.below(2) === 0);
    const found = new Float32Array(some.length);
    expectSome(clusters, some, worst, found);
    expect([...found], `seed ${seed}`).toEqual([...some].map((c) => all[c]));
    for (let block = 0; block < all.length / RATED_BLOCK; block++) {
      const own = all.subarray(block * RATED_BLOCK, (block + 1) * RATED_BLOCK);
      expect(arrays.mosts[block]).toBe(Math.max(...own));
      expect(arrays.sums[block]).toBeCloseTo(
        own.reduce((sum, rows) => sum + rows, 0),
        2,
      );
    }
  }
});

/** So many of those in which most is expected, until all others together may be missed. */
function countedOneByOne(expected: Float32Array, mayMiss: (rows: number) => number): number {
  const ascending = expected.toSorted();
  let missed = 0;
  for (const [i, rows] of ascending.entries()) {
    missed += rows;
    if (missed > mayMiss(rows)) return ascending.length - i;
  }
  return 0;
}

test("clusters that a walk has to look into are counted, about, without sorting them", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = seededRandom(seed);
    const length = random.below(3_000);
    const span = 1 + random.below(40);
    const expected = Float32Array.from({ length }, () =>
      random.below(4) === 0 ? 0 : 2 ** (-span * random.next() - 5),
    );
    const most = 2 ** (4 - 12 * random.next());
    const worthRows = random.below(2) === 0 ? 0 : 2 ** -12;
    const mayMiss = (rows: number) => (rows < worthRows ? 10 : 1) * most;
    const counted = countExpecting(expected, mayMiss);
    const shown = `seed ${seed}`;
    // Where a power of two has the last one that may be missed, half of it is told apart.
    expect(counted, shown).toBeGreaterThanOrEqual(countedOneByOne(expected, mayMiss));
    const half = countedOneByOne(expected, (rows) => mayMiss(rows) / 2);
    expect(counted, shown).toBeLessThanOrEqual(half + 1);
  }
  expect(countExpecting(new Float32Array(64), () => 0)).toBe(0);
});
