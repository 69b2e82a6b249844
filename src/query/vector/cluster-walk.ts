/**
 * Which clusters a search looks into, decided while distances come in. As the rows of a cluster lie
 * about normally along any direction, their squared distances from the query have a mean of
 * d + r and a variance of 4·d·s + v, for the squared distance d of the mean, the mean r and the
 * variance v of the rows' squared distances from it, and the mean square s of their differences
 * along a direction. That gives how many of its rows are expected to be nearer than the worst
 * result so far. The walk takes the clusters where they are most, until so few are expected in all
 * that remain that they may be missed.
 */

import { KthLeast } from "./kth-least.ts";

/** Clusters of all segments, as parallel arrays. */
export interface WalkedClusters {
  /** Squared distances of the clusters' means from the query. */
  readonly distances: Float64Array;
  /** Rows that match. */
  readonly counts: Float64Array;
  /** r, √v and s: see `ClusterShapes`. */
  readonly radii: Float64Array;
  readonly deviations: Float64Array;
  readonly spreads: Float64Array;
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
  /** Rows that are looked at first, in the nearest clusters, at least. */
  readonly firstRows: number;
}

/** Deviations from the mean beyond which no row is expected: one of 3·10^6. */
const DEVIATIONS_MAX = 5;
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
  #firstRows: number;

  constructor(clusters: WalkedClusters, plan: WalkPlan) {
    this.#clusters = clusters;
    this.#plan = plan;
    this.#firstRows = plan.firstRows;
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

  /** The nearest clusters that have enough rows, or some of them. */
  #nearest(): Uint32Array {
    const { distances, counts } = this.#clusters;
    let rows = 0;
    for (const c of this.#left) rows += counts[c];
    const wanted = Math.ceil((this.#firstRows * this.#left.length) / rows);
    this.#firstRows *= 2;
    const nearest = new KthLeast(Math.min(wanted, this.#left.length));
    for (const c of this.#left) nearest.offer(orFar(distances[c]));
    const { worst } = nearest;
    const left = this.#left;
    const taken = new Uint32Array(left.length);
    let takenCount = 0;
    let keptCount = 0;
    for (const c of left) {
      if (orFar(distances[c]) <= worst) taken[takenCount++] = c;
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
    const expected = [...this.#left].map((cluster) => ({
      cluster,
      count: this.#expectedIn(cluster, bound),
    }));
    expected.sort((a, b) => a.count - b.count);
    let missed = this.#missed;
    const least = expected.findIndex(({ count }) => {
      missed += count;
      return missed > this.#plan.missedMax * LIKELY_SHARE;
    });
    const likely = least < 0 ? [] : expected.slice(least);
    return Uint32Array.from(likely, ({ cluster }) => cluster).sort();
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
    const { distances, counts, radii, deviations, spreads } = this.#clusters;
    const d = distances[c];
    const beyond = d + radii[c] - worst;
    const variance = 4 * d * spreads[c] + deviations[c] * deviations[c];
    if (beyond > 0 && beyond * beyond > DEVIATIONS_MAX * DEVIATIONS_MAX * variance) return 0;
    const share = normalBelow(-beyond / Math.sqrt(variance));
    // Numbers that float32 cannot hold say nothing: then all may be nearer.
    return Number.isNaN(share) ? counts[c] : counts[c] * share;
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

/**
 * The share of a standard normal distribution below z, to 10^-5: Abramowitz and Stegun, Handbook of
 * Mathematical Functions, 26.2.16.
 */
function normalBelow(z: number): number {
  const t = 1 / (1 + 0.33267 * Math.abs(z));
  const density = 0.3989423 * Math.exp((-z * z) / 2);
  const above = density * t * (0.4361836 + t * (-0.1201676 + t * 0.937298));
  return z > 0 ? 1 - above : above;
}
