/**
 * How many rows of clusters are expected to be nearer to the query than some distance, by how far
 * the clusters are and the rates of their segments; see `kernel/rate-scan.ts`.
 */

import type { Steps } from "../../base/steps.ts";
import type { ArenaKernels, RatedClusters } from "../../kernel/arena-kernels.ts";
import { RATED_BLOCK, RATED_MAX } from "../../kernel/rate-scan.ts";
import { BOUND_DEVIATIONS } from "../../vector/one-bit-codes.ts";
import type { WalkArrays } from "./walk-arrays.ts";

/** Where the nearest of three points lies between both bounds, √3 deviations from the middle. */
const NEAR_POINT = (1 - Math.sqrt(3) / BOUND_DEVIATIONS) / 2;
/** How much that point counts. */
const NEAR_WEIGHT = 1 / 6;

/** A float32 that is not negative is its exponent, with a bias, and a mantissa of so many bits. */
const MANTISSA_BITS = 23;
const EXPONENTS = 256;
const EXPONENT_BIAS = 127;

/** Clusters of all segments and what says how many of their rows are near. */
export interface ExpectingClusters {
  readonly arrays: WalkArrays;
  /**
   * The number of each segment's first cluster and, last, how many there are: multiples of
   * RATED_BLOCK, with clusters without rows behind those of a segment.
   */
  readonly starts: readonly number[];
  /** Of each segment: see `vector/hit-rates.ts`. */
  readonly rates: readonly Float32Array[];
  readonly kernels: ArenaKernels;
}

/**
 * Writes what is expected of all clusters within the distance `worst` to `arrays.expected`, and
 * what of each block of RATED_BLOCK to `sums` and `mosts`. Pauses between segments.
 */
export function* expectAll(clusters: ExpectingClusters, worst: number): Steps<void> {
  const { arrays, starts, rates, kernels } = clusters;
  const query = { worst, nearPoint: NEAR_POINT, nearWeight: NEAR_WEIGHT };
  const { lower, upper, inverseRadii, counts } = arrays;
  for (let segment = 0; segment < rates.length; segment++) {
    if (segment > 0) yield;
    const room = beginSegment(kernels, rates[segment]);
    for (let first = starts[segment]; first < starts[segment + 1]; first += RATED_MAX) {
      const end = Math.min(first + RATED_MAX, starts[segment + 1]);
      room.lower.set(lower.subarray(first, end));
      room.upper.set(upper.subarray(first, end));
      room.inverseRadii.set(inverseRadii.subarray(first, end));
      room.counts.set(counts.subarray(first, end));
      const { expected, sums, mosts } = kernels.scanRates(end - first, query);
      const blocks = (end - first) / RATED_BLOCK;
      arrays.expected.set(expected.subarray(0, end - first), first);
      arrays.sums.set(sums.subarray(0, blocks), first / RATED_BLOCK);
      arrays.mosts.set(mosts.subarray(0, blocks), first / RATED_BLOCK);
    }
  }
}

/** Writes what is expected of each of some clusters, ascending, within the distance `worst`. */
export function expectSome(
  { arrays, starts, rates, kernels }: ExpectingClusters,
  some: Uint32Array,
  worst: number,
  target: Float32Array,
): void {
  const query = { worst, nearPoint: NEAR_POINT, nearWeight: NEAR_WEIGHT };
  const { lower, upper, inverseRadii, counts } = arrays;
  for (let segment = 0, from = 0; from < some.length; segment++) {
    const room = beginSegment(kernels, rates[segment]);
    for (let to = from; from < some.length && some[from] < starts[segment + 1]; from = to) {
      const most = Math.min(some.length, from + RATED_MAX);
      for (let at = 0; to < most && some[to] < starts[segment + 1]; to++, at++) {
        const c = some[to];
        room.lower[at] = lower[c];
        room.upper[at] = upper[c];
        room.inverseRadii[at] = inverseRadii[c];
        room.counts[at] = counts[c];
      }
      const { expected } = kernels.scanRates(to - from, query);
      target.set(expected.subarray(0, to - from), from);
    }
  }
}

/**
 * How many clusters, of those in which most is expected, have to be looked into until so little is
 * expected in all others that it may be missed: `mayMiss` of what is expected in each of these at
 * most. About, as clusters count by powers of two. A function without pauses, of some ns a cluster.
 */
export function countExpecting(expected: Float32Array, mayMiss: (rows: number) => number): number {
  const bits = new Uint32Array(expected.buffer, expected.byteOffset, expected.length);
  const counts = new Uint32Array(EXPONENTS);
  const sums = new Float64Array(EXPONENTS);
  for (let i = 0; i < bits.length; i++) {
    const exponent = bits[i] >>> MANTISSA_BITS;
    counts[exponent]++;
    sums[exponent] += expected[i];
  }
  let missed = 0;
  let count = expected.length;
  for (let exponent = 0; exponent < EXPONENTS && count > 0; exponent++) {
    const room = Math.max(0, mayMiss(2 ** (exponent - EXPONENT_BIAS)) - missed);
    if (sums[exponent] > room)
      return count - Math.floor((counts[exponent] * room) / sums[exponent]);
    missed += sums[exponent];
    count -= counts[exponent];
  }
  return 0;
}

function beginSegment(kernels: ArenaKernels, rates: Float32Array): RatedClusters {
  const room = kernels.ratedClusters();
  room.rates.set(rates);
  return room;
}
