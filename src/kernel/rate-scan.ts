/**
 * Scans of clusters: how many rows of each are expected to be nearer to a query than some distance,
 * by the rates that `vector/hit-rates.ts` measures.
 *
 * A cluster is known by bounds of its mean's squared distance, which lies between them as a normal
 * number does. What is expected is the mean over what it may be, by Gauss and Hermite's rule of
 * three points, the farthest of which counts as the middle one.
 */

/** Rates of gaps. */
export const RATE_BINS = 256;
/** Bins of a gap of 1. */
export const BINS_PER_GAP = 100;
/** The first bin begins here, and has all that is less, or no number. */
export const FIRST_GAP = -0.5;
/** Clusters whose expectations are summed up together. */
export const RATED_BLOCK = 32;
/** Clusters that one call scans: some 10 µs of work. */
export const RATED_MAX = 2_048;

/** Some clusters, and a query, all in the kernel's memory; see `RowScan` for addresses. */
export interface RateScan {
  /** Clusters, a multiple of RATED_BLOCK: those that are too many have no rows. */
  readonly count: number;
  /**
   * Addresses of a float32 for each cluster: bounds of the squared distance, and 1 by the length
   * that its rows have from its mean. Multiples of 16, as all other ones. Where the difference of
   * the bounds is infinite or no number, the lower one is the distance. What is below zero is 0.
   */
  readonly lower: number;
  readonly upper: number;
  readonly inverseRadii: number;
  /** Address of an uint32 for each cluster: rows that count. */
  readonly counts: number;
  /** Address of RATE_BINS float32. */
  readonly rates: number;
  /** The distance within which rows are hits. */
  readonly worst: number;
  /** Where the nearest of the three points lies, as a share of the way from bound to bound. */
  readonly nearPoint: number;
  /** How much that point counts, of 1. */
  readonly nearWeight: number;
  /** Address where a float32 is written for each cluster: its rows times their rate. */
  readonly expected: number;
  /** Addresses where a float32 is written for each block of clusters: the sum, and the greatest. */
  readonly sums: number;
  readonly mosts: number;
}
