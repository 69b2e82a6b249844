/**
 * Which clusters a search looks into, decided while distances come in. How far a cluster is, and
 * how often rows of clusters so far away are hits (`vector/hit-rates.ts`), gives how many of its
 * rows are expected to be nearer than the worst result so far. The walk takes the clusters where
 * they are most, until so few are expected in all that remain that they may be missed.
 */

import { KthLeast } from "../../base/kth-least.ts";
import type { Steps } from "../../base/steps.ts";
import { rateBin } from "../../vector/hit-rates.ts";
import type { WalkArrays } from "./walk-arrays.ts";

/** Clusters of all segments. */
export interface WalkedClusters {
  /**
   * What is known of each. The bounds are those of its mean's squared distance from the query, the
   * same where that is known.
   */
  readonly arrays: WalkArrays;
  /** Makes the distances of some clusters, ascending, known. */
  readonly refine: (clusters: Uint32Array) => void;
  /** The number of each segment's first cluster and, last, how many there are. */
  readonly starts: readonly number[];
  /** Of each segment: see `vector/hit-rates.ts`. */
  readonly rates: readonly Float32Array[];
  /**
   * By what share the bounds of distances are above the truth, about. The worst result is known by
   * its bound.
   */
  readonly boundShare: number;
}

/** How far a walk goes. */
export interface WalkPlan {
  /** Results that are wanted. */
  readonly wanted: number;
  /** As many of them as may be expected to be missed. */
  readonly missedMax: number;
  /** Clusters of each segment that are looked into first, the nearest ones. */
  readonly firstClusters: number;
}

/** Of so many times as many clusters as are looked into first the distances are computed. */
const LOOKS = 4;
/** Share of the greatest expectation from which on clusters are taken together. */
const BATCH_SHARE = 1 / 3;
/** Share of what may be missed that is missed at most if what is likely was all. */
const LIKELY_SHARE = 1 / 8;
/** Clusters whose distances are computed between two pauses. */
const REFINED_PER_STEP = 1_024;
/** Halvings in which the distance of the worst result is found. */
const BISECTIONS = 16;

/** See the file's head. */
export class ClusterWalk {
  readonly #clusters: WalkedClusters;
  readonly #plan: WalkPlan;
  /** Clusters that may still be looked into, ascending. */
  #left: Uint32Array;
  /** Expected in clusters that are left out for good. */
  #missed = 0;
  #firstClusters: number;

  constructor(clusters: WalkedClusters, plan: WalkPlan) {
    this.#clusters = clusters;
    this.#plan = plan;
    this.#firstClusters = plan.firstClusters;
    this.#left = clustersWithRows(clusters);
  }

  /**
   * The next clusters to look into, ascending, whose distances are known then, where the squared
   * distance of the worst result so far is `worst`, infinite if there are too few; none at the end.
   */
  *next(worst: number): Steps<Uint32Array> {
    if (this.#left.length === 0) return this.#left;
    return worst === Number.POSITIVE_INFINITY
      ? yield* this.#nearest()
      : yield* this.#expected(worst);
  }

  /** The nearest clusters of each segment, mostly; each time twice as many. */
  *#nearest(): Steps<Uint32Array> {
    const { near, taken } = this.#clusters.arrays;
    const some = nearestOf(this.#left, LOOKS * this.#firstClusters, this.#clusters, near);
    yield* this.#refine(some);
    const next = nearestOf(some, this.#firstClusters, this.#clusters, taken);
    this.#firstClusters *= 2;
    this.#left = without(this.#left, next);
    return next;
  }

  /** Makes the distances of some clusters known, where they are not. */
  *#refine(some: Uint32Array): Steps<void> {
    const { refine, arrays } = this.#clusters;
    const { lower, upper } = arrays;
    const unknown = some.filter((c) => lower[c] < upper[c]);
    for (let start = 0; start < unknown.length; start += REFINED_PER_STEP) {
      refine(unknown.subarray(start, start + REFINED_PER_STEP));
      yield;
    }
  }

  /**
   * Clusters, ascending, that are likely to come next if nothing much nearer than `worst` is found;
   * where that is infinite, than what is expected to be found. Costs more than a walk.
   */
  *likely(worst: number): Steps<Uint32Array> {
    yield* this.#refine(this.#left);
    const bound = worst === Number.POSITIVE_INFINITY ? this.#likelyWorst() : worst;
    const expected = this.#expectedIn(this.#left, bound);
    let missed = this.#missed;
    const least = expected.toSorted().find((count) => {
      missed += count;
      return missed > this.#plan.missedMax * LIKELY_SHARE;
    });
    return this.#left.filter((_, i) => least !== undefined && expected[i] >= least);
  }

  /** The bound of the distance within which as many rows are expected as are wanted. */
  #likelyWorst(): number {
    const { arrays, boundShare } = this.#clusters;
    const { upper, inverseRadii } = arrays;
    let near = 0;
    let far = 0;
    for (const c of this.#left) {
      const reach = upper[c] + 1 / inverseRadii[c] ** 2;
      if (reach > far) far = reach;
    }
    for (let round = 0; round < BISECTIONS; round++) {
      const middle = (near + far) / 2;
      const sum = this.#expectedIn(this.#left, middle).reduce((all, count) => all + count, 0);
      if (sum < this.#plan.wanted) near = middle;
      else far = middle;
    }
    return far * (1 + boundShare);
  }

  /** How many rows of each of some clusters are expected to be nearer than what is so far away. */
  #expectedIn(some: Uint32Array, worst: number): Float64Array {
    const expected = this.#clusters.arrays.numbers.subarray(0, some.length);
    expectRows(some, rootOf(worst), this.#clusters, expected);
    return expected;
  }

  *#expected(worst: number): Steps<Uint32Array> {
    const { missedMax } = this.#plan;
    // What is expected in those that are dropped is a small part of what may be missed.
    const dropped = missedMax / (4 * this.#left.length);
    this.#drop(dropped, this.#expectedIn(this.#left, worst));
    yield* this.#refine(this.#left);
    const expected = this.#expectedIn(this.#left, worst);
    const { sum, greatest } = sumAndGreatest(expected);
    if (this.#missed + sum <= missedMax) {
      this.#left = this.#left.subarray(0, 0);
      return this.#left;
    }
    const { taken } = this.#clusters.arrays;
    const least = Math.max(greatest * BATCH_SHARE, dropped);
    const next = atLeast(this.#left, expected, least, taken);
    // Of what is looked into nothing is missed.
    for (let i = 0; i < expected.length; i++) if (expected[i] >= least) expected[i] = Infinity;
    this.#drop(dropped, expected);
    this.#left = without(this.#left, next);
    return next;
  }

  /** Leaves clusters out for good in which less is expected. */
  #drop(least: number, expected: Float64Array): void {
    const left = this.#left;
    let missed = 0;
    let at = 0;
    for (let i = 0; i < left.length; i++) {
      left[at] = left[i];
      if (expected[i] >= least) at++;
      else missed += expected[i];
    }
    this.#missed += missed;
    this.#left = left.subarray(0, at);
  }
}

/** The clusters that have rows that match, ascending. */
function clustersWithRows({ arrays, starts }: WalkedClusters): Uint32Array {
  const { left, counts } = arrays;
  const count = starts[starts.length - 1];
  let at = 0;
  for (let c = 0; c < count; c++) {
    left[at] = c;
    if (counts[c] > 0) at++;
  }
  return left.subarray(0, at);
}

/** The nearest of some clusters, as many of each segment, by what is known of them. */
function nearestOf(
  some: Uint32Array,
  count: number,
  { arrays, starts }: WalkedClusters,
  into: Uint32Array,
): Uint32Array {
  const { lower, upper, numbers } = arrays;
  let at = 0;
  for (let segment = 0, i = 0; segment + 1 < starts.length; segment++) {
    const end = starts[segment + 1];
    const nearest = new KthLeast(count);
    const first = i;
    let worst = nearest.worst;
    for (; i < some.length && some[i] < end; i++) {
      const estimate = estimateOf(lower[some[i]], upper[some[i]]);
      numbers[i] = estimate;
      if (estimate >= worst) continue;
      nearest.offer(estimate);
      worst = nearest.worst;
    }
    for (let j = first; j < i; j++) {
      into[at] = some[j];
      if (numbers[j] <= worst) at++;
    }
  }
  return into.subarray(0, at);
}

/** About how far a cluster is; what float32 cannot tell is far. */
function estimateOf(lower: number, upper: number): number {
  const estimate = upper === Number.POSITIVE_INFINITY ? lower : (lower + upper) / 2;
  return Number.isNaN(estimate) ? Number.MAX_VALUE : estimate;
}

/**
 * Writes how many rows of each of some clusters, ascending, are expected to be nearer than the
 * square of `worst`.
 */
function expectRows(
  some: Uint32Array,
  worst: number,
  { arrays, starts, rates }: WalkedClusters,
  expected: Float64Array,
): void {
  const { lower, inverseRadii, counts } = arrays;
  for (let segment = 0, i = 0; segment < rates.length; segment++) {
    const end = starts[segment + 1];
    const own = rates[segment];
    for (; i < some.length && some[i] < end; i++) {
      const c = some[i];
      const bin = rateBin((Math.sqrt(lower[c]) - worst) * inverseRadii[c]);
      expected[i] = counts[c] * own[bin];
    }
  }
}

/** Those of some clusters in which at least so many rows are expected. */
function atLeast(
  some: Uint32Array,
  expected: Float64Array,
  least: number,
  into: Uint32Array,
): Uint32Array {
  let at = 0;
  for (let i = 0; i < some.length; i++) {
    into[at] = some[i];
    if (expected[i] >= least) at++;
  }
  return into.subarray(0, at);
}

function sumAndGreatest(expected: Float64Array): { sum: number; greatest: number } {
  let sum = 0;
  let greatest = 0;
  for (let i = 0; i < expected.length; i++) {
    sum += expected[i];
    if (expected[i] > greatest) greatest = expected[i];
  }
  return { sum, greatest };
}

/** What is left of some clusters without others, both ascending; changes them. */
function without(some: Uint32Array, others: Uint32Array): Uint32Array {
  let at = 0;
  for (let i = 0, j = 0; i < some.length; i++) {
    if (j < others.length && others[j] === some[i]) j++;
    else some[at++] = some[i];
  }
  return some.subarray(0, at);
}

function rootOf(worst: number): number {
  return Math.sqrt(Math.max(worst, 0));
}
