/**
 * Random rotations: they keep lengths and angles, and make the elements of a vector alike, so that
 * one bit of each says about as much (Ailon and Chazelle, 2006; with halves as in Kac's walk where
 * the dimensions are no power of two).
 *
 * Each round changes the signs of the elements whose bits are set; multiplies the first 2^k
 * elements, in odd rounds the last, with Hadamard's matrix and 2^(-k/2), where 2^k is the greatest
 * power of two that fits; and where that is not all, replaces elements i and i + dimensions / 2 by
 * their sum and their difference, times √½. Hadamard's transform takes sums and differences of
 * elements that are 1, 2, 4 … apart. All is rounded to float32, operation by operation.
 */

/** Dimensions of rotated vectors are a multiple of this. */
export const ROTATED_MULTIPLE = 64;

/** One vector that is rotated where it lies, in the kernel's memory; see `RowScan` for addresses. */
export interface Rotation {
  /** Address of the vector, float32. A multiple of 16. */
  readonly vector: number;
  /** A multiple of ROTATED_MULTIPLE. */
  readonly dimensions: number;
  /** Address of the bits of signs: those of a round follow each other, the first lowest. */
  readonly signs: number;
  readonly rounds: number;
}

/** The greatest power of two that is at most `dimensions`. */
export function transformedCount(dimensions: number): number {
  return 2 ** (31 - Math.clz32(dimensions));
}

/** 1 / √count as a float32. */
export function transformScale(count: number): number {
  return Math.fround(1 / Math.sqrt(count));
}
