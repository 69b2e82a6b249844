/**
 * Which clusters a search looks into, decided while distances come in. How far a cluster is, and
 * how often rows of clusters so far away are hits (`vector/hit-rates.ts`), gives how many of its
 * rows are expected to be nearer than the worst result so far. The walk takes the clusters where
 * they are most, until so few are expected in all that remain that they may be missed.
 */

import { KthLeast } from "../../base/kth-least.ts";
import { rateBin } from "../../vector/hit-rates.ts";

/** Clusters of all segments, as parallel arrays. */
export interface WalkedClusters {
  /** Squared distances of the clusters' means from the query. */
  readonly distances: Float64Array;
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

/** Share of the greatest expectation from which on clusters are taken together. */
const BATCH_SHARE = 1 / 3;
/** Share of what may be missed that is missed at most if what is likely was all. */
const LIKELY_SHARE = 1 / 8;
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
    const { counts } = clusters;
    let count = 0;
    const left = new Uint32Array(counts.length);
    for (let c = 0; c < counts.length; c++) if (counts[c] > 0) left[count++] = c;
    this.#left = left.subarray(0, count);
  }

  /**
   * The next clusters to look into, ascending, where the squared distance of the worst result so
   * far is `worst`, infinite if there are too few; none at the end.
   */
  next(worst: number): Uint32Array {
    if (this.#left.length === 0) return this.#left;
    return worst === Number.POSITIVE_INFINITY ? this.#nearest() : this.#expected(worst);
  }

  /** The nearest clusters of each segment; each time twice as many. */
  #nearest(): Uint32Array {
    const { distances, segments, rates } = this.#clusters;
    const left = this.#left;
    const nearest = rates.map(() => new KthLeast(this.#firstClusters));
    this.#firstClusters *= 2;
    for (const c of left) nearest[segments[c]].offer(orFar(distances[c]));
    const taken = new Uint32Array(left.length);
    let takenCount = 0;
    let keptCount = 0;
    for (const c of left) {
      if (orFar(distances[c]) <= nearest[segments[c]].worst) taken[takenCount++] = c;
      else left[keptCount++] = c;
    }
    this.#left = left.subarray(0, keptCount);
    return taken.subarray(0, takenCount);
  }

  /**
   * Clusters, ascending, that are likely to come next if nothing much nearer than `worst` is found;
   * where that is infinite, than what is expected to be found. Costs more than a walk.
   */
  likely(worst: number): Uint32Array {
    const bound = worst === Number.POSITIVE_INFINITY ? this.#likelyWorst() : worst;
    const expected = Float64Array.from(this.#left, (c) => this.#expectedIn(c, bound));
    let missed = this.#missed;
    const least = expected.toSorted().find((count) => {
      missed += count;
      return missed > this.#plan.missedMax * LIKELY_SHARE;
    });
    return this.#left.filter((_, i) => least !== undefined && expected[i] >= least);
  }

  /** The bound of the distance within which as many rows are expected as are wanted. */
  #likelyWorst(): number {
    let near = 0;
    let far = 0;
    for (const c of this.#left) {
      const reach = this.#clusters.distances[c] + this.#clusters.radii[c];
      if (reach > far) far = reach;
    }
    for (let round = 0; round < BISECTIONS; round++) {
      const middle = (near + far) / 2;
      let sum = 0;
      for (const c of this.#left) sum += this.#expectedIn(c, middle);
      if (sum < this.#plan.wanted) near = middle;
      else far = middle;
    }
    return far * (1 + this.#clusters.boundShare);
  }

  /** How many of a cluster's rows are expected to be nearer than `worst`. */
  #expectedIn(c: number, worst: number): number {
    const { distances, counts, radii, segments, rates } = this.#clusters;
    return counts[c] * rates[segments[c]][rateBin(distances[c], worst, radii[c])];
  }

  #expected(worst: number): Uint32Array {
    const left = this.#left;
    const expected = new Float64Array(left.length);
    let sum = this.#missed;
    let greatest = 0;
    for (let i = 0; i < left.length; i++) {
      expected[i] = this.#expectedIn(left[i], worst);
      sum += expected[i];
      if (expected[i] > greatest) greatest = expected[i];
    }
    const { missedMax } = this.#plan;
    if (sum <= missedMax) {
      this.#left = left.subarray(0, 0);
      return this.#left;
    }
    const least = greatest * BATCH_SHARE;
    // What is expected in those that are dropped is a small part of what may be missed.
    const dropped = missedMax / (16 * left.length);
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

function orFar(distance: number): number {
  return Number.isNaN(distance) ? Number.MAX_VALUE : distance;
}
