import { RATED_BLOCK } from "../../kernel/rate-scan.ts";

/** What a walk notes of each cluster: arrays with room for all of them. */
export class WalkArrays {
  /** Bounds of squared distances of the clusters' means. */
  readonly lower: Float32Array;
  readonly upper: Float32Array;
  /** Rows that match. */
  readonly counts: Uint32Array;
  readonly inverseRadii: Float32Array;
  /** Numbers of clusters, and a number for each of those. */
  readonly left: Uint32Array;
  readonly front: Uint32Array;
  readonly near: Uint32Array;
  readonly taken: Uint32Array;
  readonly numbers: Float32Array;
  /** Rows that are expected in each cluster, and in each block of them the sum and the greatest. */
  readonly expected: Float32Array;
  readonly sums: Float32Array;
  readonly mosts: Float32Array;

  /** `count` is a multiple of RATED_BLOCK. */
  constructor(count: number) {
    this.lower = new Float32Array(count);
    this.upper = new Float32Array(count);
    this.counts = new Uint32Array(count);
    this.inverseRadii = new Float32Array(count);
    this.left = new Uint32Array(count);
    this.front = new Uint32Array(count);
    this.near = new Uint32Array(count);
    this.taken = new Uint32Array(count);
    this.numbers = new Float32Array(count);
    this.expected = new Float32Array(count);
    this.sums = new Float32Array(count / RATED_BLOCK);
    this.mosts = new Float32Array(count / RATED_BLOCK);
  }
}

/** Clusters whose arrays are kept for the walks that follow: 2.5 MiB, of some 4 million rows. */
const KEPT_MAX = 65_536;
/** Kept at most: for as many walks as take turns in a thread, mostly. */
const SPARES_MAX = 4;

/** Each is lent to one walk at a time; others make their own. The smallest first. */
const spares: WalkArrays[] = [];

/** Arrays for at least so many clusters, with anything in them. */
export function lendWalkArrays(count: number): WalkArrays {
  const at = spares.findIndex(({ lower }) => lower.length >= count);
  return at < 0 ? new WalkArrays(count) : spares.splice(at, 1)[0];
}

/** Takes arrays back that nobody uses any more. */
export function returnWalkArrays(arrays: WalkArrays): void {
  const { length } = arrays.lower;
  if (length > KEPT_MAX) return;
  const behind = spares.findIndex(({ lower }) => lower.length >= length);
  spares.splice(behind < 0 ? spares.length : behind, 0, arrays);
  if (spares.length > SPARES_MAX) spares.shift();
}
