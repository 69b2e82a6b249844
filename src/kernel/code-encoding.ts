/**
 * One row's one-bit code, all in the kernel's memory; see `RowScan` for addresses. Its difference
 * to the origin, row · weight − origin, is rotated (`rotation.ts`), and from that the centroid is
 * subtracted: each operation is rounded to float32. Bits of dimensions whose residual is at least 0
 * are set, others stay; the sums are of float64, those of dimensions i, i + 4 … first, and joined
 * as 0 + 2 and 1 + 3.
 */
export interface CodeEncoding {
  /** Address of the row, float32: as many as the rotation's dimensions. A multiple of 4. */
  readonly row: number;
  /** A float32. */
  readonly weight: number;
  /** Address of as many float32. */
  readonly origin: number;
  /** See `Rotation`. */
  readonly signs: number;
  readonly dimensions: number;
  readonly rounds: number;
  /** Address of the rotated centroid, as many float32. */
  readonly centroid: number;
  /** Address where the residual is written, as many float32. A multiple of 16. */
  readonly residual: number;
  /** Address of the row's first byte in its block; see `code-scan.ts`. */
  readonly codes: number;
  /** Whether its bits are the lower or the upper half of each byte. */
  readonly half: "lower" | "upper";
  /** Address where the sums are written: CODE_SUMS float64. A multiple of 8. */
  readonly sums: number;
}

/**
 * Sums of a residual's dimensions: their squares; their absolute values; the centroid's elements,
 * the negative of those whose bits are not set.
 */
export const CODE_SUMS = 3;
