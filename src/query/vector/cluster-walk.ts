/**
 * Which clusters a search looks into, decided while distances come in. How far a cluster is, and
 * how often rows of clusters so far away are hits (`vector/hit-rates.ts`), gives how many of its
 * rows are expected to be nearer than the worst result so far. The walk takes the clusters where
 * they are most, until so few are expected in all that remain that they may be missed.
 */

import { KthLeast } from "../../base/kth-least.ts";
import type { Steps } from "../../base/steps.ts";
import { RATE_BINS, rateBin } from "../../vector/hit-rates.ts";

/** Clusters of all segments, as parallel arrays. */
export interface WalkedClusters {
  /**
   * Bounds of the squared distances of the clusters' means from the query; the same where the
   * distance is known.
   */
  readonly distances: { readonly lower: Float64Array; readonly upper: Float64Array };
  /** Makes the distances of some clusters, ascending, known. */
  readonly refine: (clusters: Uint32Array) => void;
  /** Rows that match. */
  readonly counts: Float64Array;
  /** Mean squared distances of their rows from their means. */
  readonly radii: Float64Array;
  /** Segment of each cluster, and the rates of each segment: see `vector/hit-rates.ts`. */
  readonly segments: Uint32Array;
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
  /** Roots of the clusters' lower distances and of their radii. */
  readonly #roots: Float64Array;
  readonly #radii: Float64Array;
  /** The rates of all segments, end to end. */
  readonly #rates: Float32Array;
  /** Clusters that may still be looked into, ascending. */
  #left: Uint32Array;
  /** Expected in clusters that are left out for good. */
  #missed = 0;
  #firstClusters: number;

  constructor(clusters: WalkedClusters, plan: WalkPlan) {
    this.#clusters = clusters;
    this.#plan = plan;
    this.#firstClusters = plan.firstClusters;
    const { counts, distances, radii, rates } = clusters;
    this.#roots = new Float64Array(counts.length);
    this.#radii = new Float64Array(counts.length);
    const left = new Uint32Array(counts.length);
    let count = 0;
    for (let c = 0; c < counts.length; c++) {
      if (counts[c] === 0) continue;
      left[count++] = c;
      this.#roots[c] = Math.sqrt(distances.lower[c]);
      this.#radii[c] = Math.sqrt(radii[c]);
    }
    this.#left = left.subarray(0, count);
    this.#rates = new Float32Array(rates.length * RATE_BINS);
    for (const [segment, own] of rates.entries()) this.#rates.set(own, segment * RATE_BINS);
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
    const left = this.#left;
    const near = this.#nearestOf(left, LOOKS * this.#firstClusters);
    yield* this.#refine(near);
    const taken = this.#nearestOf(near, this.#firstClusters);
    this.#firstClusters *= 2;
    let keptCount = 0;
    for (let i = 0, j = 0; i < left.length; i++) {
      if (j < taken.length && taken[j] === left[i]) j++;
      else left[keptCount++] = left[i];
    }
    this.#left = left.subarray(0, keptCount);
    return taken;
  }

  /** The nearest of some clusters, as many of each segment, by what is known of them. */
  #nearestOf(some: Uint32Array, count: number): Uint32Array {
    const { segments, rates } = this.#clusters;
    const nearest = rates.map(() => new KthLeast(count));
    const estimates = new Float64Array(some.length);
    for (let i = 0; i < some.length; i++) {
      estimates[i] = this.#estimate(some[i]);
      nearest[segments[some[i]]].offer(estimates[i]);
    }
    const taken = new Uint32Array(some.length);
    let takenCount = 0;
    for (let i = 0; i < some.length; i++) {
      if (estimates[i] <= nearest[segments[some[i]]].worst) taken[takenCount++] = some[i];
    }
    return taken.subarray(0, takenCount);
  }

  /** About how far a cluster is; what float32 cannot tell is far. */
  #estimate(c: number): number {
    const { lower, upper } = this.#clusters.distances;
    const estimate = upper[c] === Number.POSITIVE_INFINITY ? lower[c] : (lower[c] + upper[c]) / 2;
    return Number.isNaN(estimate) ? Number.MAX_VALUE : estimate;
  }

  /** Makes the distances of some clusters known, where they are not. */
  *#refine(some: Uint32Array): Steps<void> {
    const { refine, distances } = this.#clusters;
    const unknown = new Uint32Array(some.length);
    let count = 0;
    for (let i = 0; i < some.length; i++) {
      if (distances.lower[some[i]] < distances.upper[some[i]]) unknown[count++] = some[i];
    }
    for (let start = 0; start < count; start += REFINED_PER_STEP) {
      const part = unknown.subarray(start, Math.min(start + REFINED_PER_STEP, count));
      refine(part);
      for (const c of part) this.#roots[c] = Math.sqrt(distances.lower[c]);
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
    const root = rootOf(bound);
    const expected = Float64Array.from(this.#left, (c) => this.#expectedIn(c, root));
    let missed = this.#missed;
    const least = expected.toSorted().find((count) => {
      missed += count;
      return missed > this.#plan.missedMax * LIKELY_SHARE;
    });
    return this.#left.filter((_, i) => least !== undefined && expected[i] >= least);
  }

  /** The bound of the distance within which as many rows are expected as are wanted. */
  #likelyWorst(): number {
    const { distances, radii, boundShare } = this.#clusters;
    let near = 0;
    let far = 0;
    for (const c of this.#left) {
      const reach = distances.upper[c] + radii[c];
      if (reach > far) far = reach;
    }
    for (let round = 0; round < BISECTIONS; round++) {
      const middle = (near + far) / 2;
      const root = rootOf(middle);
      let sum = 0;
      for (const c of this.#left) sum += this.#expectedIn(c, root);
      if (sum < this.#plan.wanted) near = middle;
      else far = middle;
    }
    return far * (1 + boundShare);
  }

  /** How many of a cluster's rows are expected to be nearer than what is so far away. */
  #expectedIn(c: number, worstRoot: number): number {
    const { counts, segments } = this.#clusters;
    const bin = rateBin(this.#roots[c], worstRoot, this.#radii[c]);
    return counts[c] * this.#rates[segments[c] * RATE_BINS + bin];
  }

  *#expected(worst: number): Steps<Uint32Array> {
    const { missedMax } = this.#plan;
    const root = rootOf(worst);
    const left = this.#left;
    // What is expected in those that are dropped is a small part of what may be missed.
    const dropped = missedMax / (4 * left.length);
    const expected = new Float64Array(left.length);
    const perhaps = new Uint32Array(left.length);
    let perhapsCount = 0;
    for (let i = 0; i < left.length; i++) {
      expected[i] = this.#expectedIn(left[i], root);
      if (expected[i] >= dropped) perhaps[perhapsCount++] = i;
    }
    yield* this.#refine(perhaps.subarray(0, perhapsCount).map((i) => left[i]));
    for (let i = 0; i < perhapsCount; i++) {
      expected[perhaps[i]] = this.#expectedIn(left[perhaps[i]], root);
    }
    let sum = this.#missed;
    let greatest = 0;
    for (let i = 0; i < left.length; i++) {
      sum += expected[i];
      if (expected[i] > greatest) greatest = expected[i];
    }
    if (sum <= missedMax) {
      this.#left = left.subarray(0, 0);
      return this.#left;
    }
    const least = Math.max(greatest * BATCH_SHARE, dropped);
    const taken = new Uint32Array(left.length);
    let takenCount = 0;
    let keptCount = 0;
    for (let i = 0; i < left.length; i++) {
      if (expected[i] >= least) taken[takenCount++] = left[i];
      else if (expected[i] > dropped) left[keptCount++] = left[i];
      else this.#missed += expected[i];
    }
    this.#left = left.subarray(0, keptCount);
    return taken.subarray(0, takenCount);
  }
}

function rootOf(worst: number): number {
  return Math.sqrt(Math.max(worst, 0));
}
