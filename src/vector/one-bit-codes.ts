/**
 * One bit for each dimension of a vector, and what its squared distance from a query is then, with
 * an error that is mostly bounded: RaBitQ (Gao and Long, SIGMOD 2024, in the form of factors of its
 * authors' library). All vectors here are rotated (`kernel/rotation.ts`), and of the same length.
 *
 * For a row o near a centroid c, with r = o − c and x = ±½ by the signs of r, ⟨r, q − c⟩ is about
 * ‖r‖² ⟨x, q − c⟩ / ⟨x, r⟩. So ‖o − q‖² is about add + ‖q − c‖² + rescale · ⟨x, q⟩, where add and
 * rescale are known before the query; and ⟨x, q⟩ is the sum of what a table tells of the bits.
 */

import { CODE_BLOCK_ROWS, NIBBLE_BYTES } from "../kernel/code-scan.ts";
import { ROTATED_MULTIPLE } from "../kernel/rotation.ts";

/**
 * Standard deviations of an estimate that its bounds are away. The authors' value: 3 of 100 true
 * distances are outside.
 */
export const BOUND_DEVIATIONS = 1.9;
/** Standard deviation of a number that was rounded to a multiple of 1. */
const ROUNDING_DEVIATION = 1 / Math.sqrt(12);
/**
 * 2·√((s + 1) / s) for the quality s of a code, ‖x‖² ‖r‖² / ⟨x, r⟩² − 1, which is 0.5 or so: how
 * much more an error in ⟨x, q⟩ does than one of the bits.
 */
const ROUNDING_WEIGHT = 4;
/** Greatest value of a table. */
const TABLE_MAX = 255;

/** Square of a code's deviation from its vector, times dimensions: π/2 − 1 for normal ones. */
const CODE_VARIANCE = Math.PI / 2 - 1;

/** Dimensions of rotated vectors, of which those that are added are 0. */
export function rotatedDimensions(dimensions: number): number {
  return Math.ceil(dimensions / ROTATED_MULTIPLE) * ROTATED_MULTIPLE;
}

/**
 * By what share the upper bound of a squared distance is above it, where the row is as far from its
 * centroid as the query; less where one of them is nearer.
 */
export function boundShare(dimensions: number): number {
  return 2 * BOUND_DEVIATIONS * Math.sqrt(CODE_VARIANCE / dimensions);
}

/** What the kernel sums of a residual: see `CODE_SUMS`. */
export interface CodeSums {
  /** Of the residual. */
  readonly dimensions: number;
  readonly squared: number;
  readonly signed: number;
  readonly shift: number;
}

/**
 * Writes the factors of one of a block's rows. What no estimate is possible of is told to be near
 * anything.
 */
export function writeFactors(
  factors: Float32Array,
  row: number,
  { dimensions, squared, ...doubled }: CodeSums,
): void {
  // The codes are ±½.
  const signed = doubled.signed / 2;
  const shift = doubled.shift / 2;
  const isPoint = signed === 0;
  const quality = isPoint ? 0 : ((squared / signed / signed) * dimensions) / 4 - 1;
  const error =
    2 * BOUND_DEVIATIONS * Math.sqrt((squared * Math.max(quality, 0)) / (dimensions - 1));
  factors[row] = squared + (isPoint ? 0 : (2 * squared * shift) / signed);
  factors[CODE_BLOCK_ROWS + row] = isPoint ? 0 : (-2 * squared) / signed;
  factors[2 * CODE_BLOCK_ROWS + row] = error;
  const isKnown = [0, 1, 2].every((factor) =>
    Number.isFinite(factors[factor * CODE_BLOCK_ROWS + row]),
  );
  if (!isKnown) writeUnknownFactors(factors, row);
}

/** Writes the factors of a row of which nothing is known: it may be near anything. */
export function writeUnknownFactors(factors: Float32Array, row: number): void {
  factors[row] = 0;
  factors[CODE_BLOCK_ROWS + row] = 0;
  factors[2 * CODE_BLOCK_ROWS + row] = Number.NaN;
}

/** What a query's products with codes are looked up in. */
export interface CodeTable {
  /** 16 values for each nibble. */
  readonly table: Uint8Array;
  /** ⟨x, q⟩ is about sum · scale + offset. */
  readonly scale: number;
  readonly offset: number;
  /**
   * Standard deviation of what the values' rounding adds to ⟨x, q⟩, in the unit of ‖q − c‖; see
   * `spreadOf`.
   */
  readonly rounding: number;
}

/** The table of a rotated query. */
export function codeTable(query: Float32Array): CodeTable {
  const nibbles = query.length / 4;
  const values = new Float64Array(16);
  let range = 0;
  let offset = 0;
  // What a nibble counts at least: that of the code whose signs are the other ones.
  for (let n = 0; n < nibbles; n++) {
    let sum = 0;
    for (let d = 0; d < 4; d++) sum += Math.abs(query[4 * n + d]);
    offset -= sum / 2;
    range = Math.max(range, sum);
  }
  const scale = range === 0 ? 1 : range / TABLE_MAX;
  const table = new Uint8Array(nibbles * NIBBLE_BYTES);
  for (let n = 0; n < nibbles; n++) {
    let least = 0;
    for (let d = 0; d < 4; d++) least += Math.min(query[4 * n + d], 0);
    // Each value is that of the code without its lowest bit, and what that adds.
    values[0] = -least;
    for (let code = 1; code < 16; code++) {
      const bit = 31 - Math.clz32(code & -code);
      values[code] = values[code & (code - 1)] + query[4 * n + bit];
    }
    for (let code = 0; code < 16; code++) {
      table[n * NIBBLE_BYTES + code] = Math.round(values[code] / scale);
    }
  }
  const rounding = ROUNDING_WEIGHT * ROUNDING_DEVIATION * scale * Math.sqrt(nibbles);
  return { table, scale, offset, rounding };
}

/** How far estimates are apart from the truth, for a query so far from a cluster's centroid. */
export function spreadOf(squaredDistance: number, { rounding }: CodeTable): number {
  return Math.sqrt(squaredDistance + rounding * rounding);
}
