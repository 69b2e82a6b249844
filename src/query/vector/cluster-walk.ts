/**
 * Which clusters a search looks into, decided while distances come in. How far a cluster is, and
 * how often rows of clusters so far away are hits (`vector/hit-rates.ts`), gives how many of its
 * rows are expected to be nearer than the worst result so far. The walk takes the clusters where
 * they are most, until so few are expected in all that remain that they may be missed.
 */

import { KthLeast } from "../../base/numbers/kth-least.ts";
import type { Steps } from "../../base/steps.ts";
import { rateBin } from "../../vector/hit-rates.ts";
import { BOUND_DEVIATIONS } from "../../vector/one-bit-codes.ts";
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
/** Share of what may be missed that clusters may have which are left out before all others. */
const DROPPED_SHARE = 1 / 4;
/** Clusters in which less is expected than in the next ones, by this factor, wait behind. */
const FRONT_RANGE = 64;
/** Share of what may be missed that is missed at most if what is likely was all. */
const LIKELY_SHARE = 1 / 8;
/** Clusters whose distances are computed between two pauses. */
const REFINED_PER_STEP = 1_024;
/** Where the nearest of three points lies between both bounds, √3 deviations from the middle. */
const NEAR_POINT = (1 - Math.sqrt(3) / BOUND_DEVIATIONS) / 2;
/** How much that point counts. */
const NEAR_WEIGHT = 1 / 6;
/** A float32 that is farther than any distance. */
const FAR = 2 ** 127;
/** Halvings in which the distance of the worst result is found. */
const BISECTIONS = 16;

/** See the file's head. */
export class ClusterWalk {
  readonly #clusters: WalkedClusters;
  readonly #plan: WalkPlan;
  /**
   * Clusters that may still be looked into, ascending, in two parts: in those in front more is
   * expected, and less in the rest than was when it was put behind.
   */
  #front: Uint32Array;
  #rest: Uint32Array;
  /** What was expected in all of the rest, and less than what in each; infinite: nobody looked. */
  #restSum = Number.POSITIVE_INFINITY;
  #restMost = Number.POSITIVE_INFINITY;
  /** Expected in clusters that are left out for good. */
  #missed = 0;
  #firstClusters: number;

  constructor(clusters: WalkedClusters, plan: WalkPlan) {
    this.#clusters = clusters;
    this.#plan = plan;
    this.#firstClusters = plan.firstClusters;
    this.#front = clusters.arrays.front.subarray(0, 0);
    this.#rest = allClusters(clusters);
  }

  /**
   * The next clusters to look into, ascending, whose distances are known then, where the squared
   * distance of the worst result so far is `worst`, infinite if there are too few; none at the end.
   */
  *next(worst: number): Steps<Uint32Array> {
    return worst === Number.POSITIVE_INFINITY
      ? yield* this.#nearest()
      : yield* this.#expected(worst);
  }

  /** The nearest clusters of each segment, mostly; each time twice as many. */
  *#nearest(): Steps<Uint32Array> {
    const { near, taken, counts } = this.#clusters.arrays;
    const some = nearestOf(this.#rest, LOOKS * this.#firstClusters, this.#clusters, near);
    yield* this.#refine(some);
    const next = nearestOf(some, this.#firstClusters, this.#clusters, taken);
    this.#firstClusters *= 2;
    // Nothing is left in them; they are dropped when the rest is divided.
    for (const c of next) counts[c] = 0;
    return next;
  }

  /** Makes the distances of some clusters known, and lists those that were not. */
  *#refine(some: Uint32Array): Steps<Uint32Array> {
    const { refine, arrays } = this.#clusters;
    const { lower, upper } = arrays;
    const unknown = some.filter((c) => lower[c] < upper[c]);
    for (let start = 0; start < unknown.length; start += REFINED_PER_STEP) {
      refine(unknown.subarray(start, start + REFINED_PER_STEP));
      yield;
    }
    return unknown;
  }

  /**
   * Clusters, ascending, that are likely to come next if nothing much nearer than `worst` is found;
   * where that is infinite, than what is expected to be found. Costs more than a walk.
   */
  *likely(worst: number): Steps<Uint32Array> {
    const left = this.#gathered();
    yield* this.#refine(left);
    const bound = worst === Number.POSITIVE_INFINITY ? this.#likelyWorst(left) : worst;
    const expected = this.#expectedIn(left, rootOf(bound));
    let missed = this.#missed;
    const least = expected.toSorted().find((count) => {
      missed += count;
      return missed > this.#plan.missedMax * LIKELY_SHARE;
    });
    return left.filter((_, i) => least !== undefined && expected[i] >= least);
  }

  /** The bound of the distance within which as many rows are expected as are wanted. */
  #likelyWorst(left: Uint32Array): number {
    const { arrays, boundShare } = this.#clusters;
    const { upper, inverseRadii } = arrays;
    let near = 0;
    let far = 0;
    for (const c of left) {
      const reach = upper[c] + 1 / inverseRadii[c] ** 2;
      if (reach > far) far = reach;
    }
    for (let round = 0; round < BISECTIONS; round++) {
      const middle = (near + far) / 2;
      const { sum } = sumAndGreatest(this.#expectedIn(left, rootOf(middle)));
      if (sum < this.#plan.wanted) near = middle;
      else far = middle;
    }
    return far * (1 + boundShare);
  }

  /** How many rows of each of some clusters are expected to be nearer than the square of `worst`. */
  #expectedIn(some: Uint32Array, worst: number): Float32Array {
    const expected = this.#clusters.arrays.numbers.subarray(0, some.length);
    expectRows(some, worst, this.#clusters, expected);
    return expected;
  }

  *#expected(worst: number): Steps<Uint32Array> {
    const { missedMax } = this.#plan;
    const { taken } = this.#clusters.arrays;
    const root = rootOf(worst);
    let expected = this.#expectedIn(this.#front, root);
    for (;;) {
      const { sum, greatest } = sumAndGreatest(expected);
      if (this.#missed + this.#restSum + sum <= missedMax) return this.#end();
      const least = greatest * BATCH_SHARE;
      if (least < this.#restMost) {
        expected = this.#divide(root);
        continue;
      }
      const next = atLeast(this.#front, expected, least, taken);
      const known = yield* this.#refine(next);
      if (known.length === 0) {
        this.#front = without(this.#front, next);
        return next;
      }
      // Some turn out to be farther than was expected, and wait for a later turn.
      const again = new Float32Array(known.length);
      expectRows(known, root, this.#clusters, again);
      for (let i = 0, j = 0; j < known.length; i++) {
        if (this.#front[i] === known[j]) expected[i] = again[j++];
      }
    }
  }

  /** Puts those in front in which most is expected now, which it returns, the others behind. */
  #divide(worst: number): Float32Array {
    const { arrays } = this.#clusters;
    const { numbers, front } = arrays;
    const left = this.#gathered();
    const expected = this.#expectedIn(left, worst);
    const { greatest } = sumAndGreatest(expected);
    const most = (greatest * BATCH_SHARE) / FRONT_RANGE;
    const mayMiss = this.#plan.missedMax * DROPPED_SHARE - this.#missed;
    const dropped = mayMiss / left.length;
    let [frontCount, restCount, restSum, missed] = [0, 0, 0, 0];
    for (let i = 0; i < left.length; i++) {
      const count = expected[i];
      if (count === 0 || count < dropped) missed += count;
      else if (count >= most) {
        front[frontCount] = left[i];
        numbers[frontCount++] = count;
      } else {
        left[restCount++] = left[i];
        restSum += count;
      }
    }
    this.#missed += missed;
    this.#front = front.subarray(0, frontCount);
    this.#rest = left.subarray(0, restCount);
    this.#restSum = restSum;
    this.#restMost = most;
    return numbers.subarray(0, frontCount);
  }

  /** All that are left, none of them in front. */
  #gathered(): Uint32Array {
    const { left } = this.#clusters.arrays;
    const [front, rest] = [this.#front, this.#rest];
    let at = front.length + rest.length;
    this.#rest = left.subarray(0, at);
    // The rest is where all will be: from the end on, none is written over before it is read.
    for (let i = front.length - 1, j = rest.length - 1; i >= 0; ) {
      left[--at] = j >= 0 && rest[j] > front[i] ? rest[j--] : front[i--];
    }
    this.#front = front.subarray(0, 0);
    this.#restSum = Number.POSITIVE_INFINITY;
    this.#restMost = Number.POSITIVE_INFINITY;
    return this.#rest;
  }

  #end(): Uint32Array {
    this.#front = this.#front.subarray(0, 0);
    this.#rest = this.#rest.subarray(0, 0);
    return this.#front;
  }
}

/** All clusters, ascending. */
function allClusters({ arrays, starts }: WalkedClusters): Uint32Array {
  const all = arrays.left.subarray(0, starts[starts.length - 1]);
  for (let c = 0; c < all.length; c++) all[c] = c;
  return all;
}

/** The nearest of some clusters, as many of each segment, by what is known of them. */
function nearestOf(
  some: Uint32Array,
  count: number,
  { arrays, starts }: WalkedClusters,
  into: Uint32Array,
): Uint32Array {
  const { lower, upper, counts, numbers } = arrays;
  let at = 0;
  for (let segment = 0, i = 0; segment + 1 < starts.length; segment++) {
    const end = starts[segment + 1];
    const nearest = new KthLeast(count);
    const first = at;
    let worst = nearest.worst;
    for (; i < some.length && some[i] < end; i++) {
      const c = some[i];
      const estimate = estimateOf(lower[c], upper[c]);
      if (estimate > worst || counts[c] === 0) continue;
      numbers[at] = estimate;
      into[at++] = c;
      nearest.offer(estimate);
      worst = nearest.worst;
    }
    const last = at;
    at = first;
    for (let j = first; j < last; j++) {
      into[at] = into[j];
      if (numbers[j] <= worst) at++;
    }
  }
  return into.subarray(0, at);
}

/** About how far a cluster is; what float32 cannot tell is far. */
function estimateOf(lower: number, upper: number): number {
  const estimate = upper === Number.POSITIVE_INFINITY ? lower : (lower + upper) / 2;
  return Number.isNaN(estimate) ? FAR : Math.fround(estimate);
}

/**
 * Writes how many rows of each of some clusters, ascending, are expected to be nearer than the
 * square of `worst`. Where distances are bounded it is the mean over what they may be, by Gauss and
 * Hermite's rule of three points, the farthest of which counts as the middle one.
 */
function expectRows(
  some: Uint32Array,
  worst: number,
  { arrays, starts, rates }: WalkedClusters,
  expected: Float32Array,
): void {
  const { lower, upper, inverseRadii, counts } = arrays;
  for (let segment = 0, i = 0; segment < rates.length; segment++) {
    const end = starts[segment + 1];
    const own = rates[segment];
    for (; i < some.length && some[i] < end; i++) {
      const c = some[i];
      const inverse = inverseRadii[c];
      const nearEnd = lower[c];
      const width = upper[c] - nearEnd;
      const near = nearEnd + NEAR_POINT * width;
      const isBounded = width > 0 && width < Number.POSITIVE_INFINITY;
      let rate = own[rateBin((Math.sqrt(isBounded ? near : nearEnd) - worst) * inverse)];
      if (isBounded) {
        const middle = own[rateBin((Math.sqrt(nearEnd + width / 2) - worst) * inverse)];
        rate = NEAR_WEIGHT * rate + (1 - NEAR_WEIGHT) * middle;
      }
      expected[i] = counts[c] * rate;
    }
  }
}

/** Those of some clusters in which at least so many rows are expected. */
function atLeast(
  some: Uint32Array,
  expected: Float32Array,
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

function sumAndGreatest(expected: Float32Array): { sum: number; greatest: number } {
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
