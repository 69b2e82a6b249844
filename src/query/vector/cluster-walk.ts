/**
 * Which clusters a search looks into, decided while distances come in. How far a cluster is, and
 * how often rows of clusters so far away are hits (`vector/hit-rates.ts`), gives how many of its
 * rows are expected to be nearer than the worst result so far. The walk takes the clusters where
 * they are most, until so few are expected in all that remain that they may be missed: more where
 * no cluster promises enough to be worth its cost.
 */

import { KthLeast } from "../../base/numbers/kth-least.ts";
import type { Steps } from "../../base/steps.ts";
import { RATED_BLOCK } from "../../kernel/rate-scan.ts";
import { countExpecting, type ExpectingClusters, expectAll, expectSome } from "./expected-rows.ts";
import type { WalkArrays } from "./walk-arrays.ts";
import type { WalkLimit } from "./walk-limit.ts";

/**
 * Clusters of all segments. The bounds in `arrays` are those of their means' squared distances from
 * the query, the same where that is known.
 */
export interface WalkedClusters extends ExpectingClusters {
  /** Makes the distances of some clusters, ascending, known. */
  readonly refine: (clusters: Uint32Array) => void;
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
  /**
   * More may be missed where fewer than `worthRows` are expected in each cluster that remains.
   * Absent: all clusters are worth their cost.
   */
  readonly atCost?: { readonly missedMax: number; readonly worthRows: number } | undefined;
  /** Clusters of each segment that are looked into first, the nearest ones. */
  readonly firstClusters: number;
}

/** How many clusters a walk may look into where its search has another way. */
export interface WalkChoice extends WalkLimit {
  /** Tells whether the walk may be given up. Asked once at most. */
  readonly mayGiveUp: () => Steps<boolean>;
}

/** Of so many times as many clusters as are looked into first the distances are computed. */
const LOOKS = 4;
/** Share of the greatest expectation from which on clusters are taken together. */
const BATCH_SHARE = 1 / 3;
/** Clusters in which less is expected than in the next ones, by this factor, wait behind. */
const FRONT_RANGE = 64;
/** Share of what may be missed that is missed at most if what is likely was all. */
const LIKELY_SHARE = 1 / 8;
/** Clusters whose distances are computed between two pauses. */
const REFINED_PER_STEP = 1_024;
/** A float32 that is farther than any distance. */
const FAR = 2 ** 127;
/** Halvings in which the distance of the worst result is found. */
const BISECTIONS = 16;

/** See the file's head. */
export class ClusterWalk {
  readonly #clusters: WalkedClusters;
  readonly #plan: WalkPlan;
  /** None once the walk was asked how many are to come. */
  #choice: WalkChoice | undefined;
  #lookedInto = 0;
  #isGivenUp = false;
  /** Clusters that come next, ascending; in the rest less was expected when these were chosen. */
  #front: Uint32Array;
  /** What was expected in all of the rest, and less than what in each; infinite: nobody looked. */
  #restSum = Number.POSITIVE_INFINITY;
  #restMost = Number.POSITIVE_INFINITY;
  #firstClusters: number;

  /** Clusters that are looked into have no rows in `arrays.counts` from then on. */
  constructor(clusters: WalkedClusters, plan: WalkPlan, choice?: WalkChoice) {
    this.#clusters = clusters;
    this.#plan = plan;
    this.#choice = choice;
    this.#firstClusters = plan.firstClusters;
    this.#front = clusters.arrays.front.subarray(0, 0);
  }

  /** It ended since the other way costs less, and has not found what was wanted. */
  get isGivenUp(): boolean {
    return this.#isGivenUp;
  }

  /**
   * The next clusters to look into, ascending, whose distances are known then, where the squared
   * distance of the worst result so far is `worst`, infinite if there are too few; none at the end.
   */
  *next(worst: number): Steps<Uint32Array> {
    const next =
      worst === Number.POSITIVE_INFINITY
        ? yield* this.#nearest()
        : yield* this.#expected(rootOf(worst));
    const { counts } = this.#clusters.arrays;
    for (const c of next) counts[c] = 0;
    this.#lookedInto += next.length;
    return next;
  }

  /** The nearest clusters of each segment, mostly; each time twice as many. */
  *#nearest(): Steps<Uint32Array> {
    const { near, taken } = this.#clusters.arrays;
    const looks = LOOKS * this.#firstClusters;
    const some = nearestOf(nearestAbout(looks, this.#clusters), looks, this.#clusters, near);
    yield* this.#refine(some);
    const next = nearestOf(some, this.#firstClusters, this.#clusters, taken);
    this.#firstClusters *= 2;
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
    const left = this.#left();
    yield* this.#refine(left);
    const bound = worst === Number.POSITIVE_INFINITY ? yield* this.#likelyWorst(left) : worst;
    yield* expectAll(this.#clusters, rootOf(bound));
    const { expected } = this.#clusters.arrays;
    let missed = 0;
    const least = expectedOf(left, expected)
      .sort()
      .find((rows) => {
        missed += rows;
        return missed > LIKELY_SHARE * this.#mayMiss(rows);
      });
    return left.filter((c) => least !== undefined && expected[c] >= least);
  }

  /** All clusters that have rows and were not looked into, ascending. */
  #left(): Uint32Array {
    const { counts, left } = this.#clusters.arrays;
    let at = 0;
    for (let c = 0; c < this.#count; c++) if (counts[c] > 0) left[at++] = c;
    return left.subarray(0, at);
  }

  get #count(): number {
    const { starts } = this.#clusters;
    return starts[starts.length - 1];
  }

  /** The bound of the distance within which as many rows are expected as are wanted. */
  *#likelyWorst(left: Uint32Array): Steps<number> {
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
      yield* expectAll(this.#clusters, rootOf(middle));
      const { sum } = sumAndGreatest(arrays.sums.subarray(0, this.#count / RATED_BLOCK));
      if (sum < this.#plan.wanted) near = middle;
      else far = middle;
    }
    return far * (1 + boundShare);
  }

  /** How many results may be missed where so many rows are expected in a cluster, and no more. */
  #mayMiss(rows: number): number {
    const { missedMax, atCost } = this.#plan;
    return atCost !== undefined && rows < atCost.worthRows ? atCost.missedMax : missedMax;
  }

  *#expected(worst: number): Steps<Uint32Array> {
    const { taken, numbers } = this.#clusters.arrays;
    let expected = numbers.subarray(0, this.#front.length);
    expectSome(this.#clusters, this.#front, worst, expected);
    for (;;) {
      const { sum, greatest } = sumAndGreatest(expected);
      const mayMiss = this.#mayMiss(Math.max(greatest, this.#restMost));
      if (this.#restSum + sum <= mayMiss) return this.#front.subarray(0, 0);
      const least = greatest * BATCH_SHARE;
      if (least < this.#restMost) {
        expected = yield* this.#chooseFront(worst);
        continue;
      }
      const next = atLeast(this.#front, expected, least, taken);
      if (yield* this.#isTooLong(next.length, worst)) {
        this.#isGivenUp = true;
        return this.#front.subarray(0, 0);
      }
      const known = yield* this.#refine(next);
      if (known.length === 0) {
        this.#front = without(this.#front, next);
        return next;
      }
      // Some turn out to be farther than was expected, and wait for a later turn.
      const again = new Float32Array(known.length);
      expectSome(this.#clusters, known, worst, again);
      for (let i = 0, j = 0; j < known.length; i++) {
        if (this.#front[i] === known[j]) expected[i] = again[j++];
      }
    }
  }

  /** Whether too many clusters are to come if the next ones are so many; asked once in a walk. */
  *#isTooLong(nextCount: number, worst: number): Steps<boolean> {
    const choice = this.#choice;
    if (choice === undefined || this.#lookedInto + nextCount <= choice.unasked) return false;
    this.#choice = undefined;
    yield* expectAll(this.#clusters, worst);
    const expected = this.#clusters.arrays.expected.subarray(0, this.#count);
    const left = countExpecting(expected, (rows) => this.#mayMiss(rows));
    return left > choice.most && (yield* choice.mayGiveUp());
  }

  /** Puts those in front in which most is expected now, which it returns. */
  *#chooseFront(worst: number): Steps<Float32Array> {
    const { arrays } = this.#clusters;
    yield* expectAll(this.#clusters, worst);
    const blocks = this.#count / RATED_BLOCK;
    const { greatest } = sumAndGreatest(arrays.mosts.subarray(0, blocks));
    const most = (greatest * BATCH_SHARE) / FRONT_RANGE;
    const { count, restSum } = listFront(arrays, blocks, most);
    this.#front = arrays.front.subarray(0, count);
    this.#restSum = restSum;
    this.#restMost = most;
    return arrays.numbers.subarray(0, count);
  }
}

/**
 * Writes clusters of which `most` or more is expected to `front`, and what is to `numbers`; tells
 * how many they are, and what is expected in the rest. A function of its own: V8 keeps the numbers
 * of generators on the heap.
 */
function listFront(
  { mosts, sums, expected, front, numbers }: WalkArrays,
  blocks: number,
  most: number,
): { readonly count: number; readonly restSum: number } {
  let count = 0;
  let restSum = 0;
  for (let block = 0; block < blocks; block++) {
    if (mosts[block] < most) {
      restSum += sums[block];
      continue;
    }
    const end = (block + 1) * RATED_BLOCK;
    for (let c = block * RATED_BLOCK; c < end; c++) {
      const rows = expected[c];
      if (rows < most) restSum += rows;
      else if (rows > 0) {
        front[count] = c;
        numbers[count++] = rows;
      }
    }
  }
  return { count, restSum };
}

/**
 * The nearest clusters of each segment with rows, as many of each, and some more, ascending, by the
 * middle of what is known of them.
 */
function nearestAbout(count: number, { arrays, starts }: WalkedClusters): Uint32Array {
  const { lower, upper, counts, left } = arrays;
  let at = 0;
  for (let segment = 0; segment + 1 < starts.length; segment++) {
    const nearest = new KthLeast(count);
    // Twice as far, as both bounds are added up.
    let worst = Number.POSITIVE_INFINITY;
    for (let c = starts[segment]; c < starts[segment + 1]; c++) {
      const sum = lower[c] + upper[c];
      if (sum > worst || counts[c] === 0) continue;
      left[at++] = c;
      nearest.offer(sum);
      worst = nearest.worst;
    }
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

function expectedOf(some: Uint32Array, expected: Float32Array): Float32Array {
  return Float32Array.from(some, (c) => expected[c]);
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
