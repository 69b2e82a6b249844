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

/**
 * Standard deviations of an estimate that its bounds are away. The authors' value: 3 of 100 true
 * distances are outside.
 */
const DEVIATIONS = 1.9;
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

/**
 * By what share the upper bound of a squared distance is above it, where the row is as far from its
 * centroid as the query; less where one of them is nearer.
 */
export function boundShare(dimensions: number): number {
  return 2 * DEVIATIONS * Math.sqrt(CODE_VARIANCE / dimensions);
}

/** A block of 32 rows: its nibbles, and its factors. */
export interface CodeBlock {
  readonly bytes: Uint8Array;
  readonly factors: Float32Array;
}

/** Writes codes into a block of 32 rows: see `kernel/code-scan.ts`. */
export class CodeWriter {
  readonly #nibbles: number;

  /** `dimensions` of rotated vectors. */
  constructor(dimensions: number) {
    this.#nibbles = dimensions / 4;
  }

  /** Writes a row of which nothing is known: it may be near anything. */
  writeUnknown({ factors }: CodeBlock, row: number): void {
    factors[2 * CODE_BLOCK_ROWS + row] = Number.NaN;
  }

  /**
   * Writes one row, from its difference to its centroid; the row's place in `block` is zeros. What
   * no estimate is possible of is told to be near anything.
   */
  write(
    block: CodeBlock,
    row: number,
    { residual, centroid }: { readonly residual: Float32Array; readonly centroid: Float32Array },
  ): void {
    const { bytes, factors } = block;
    const half = row < NIBBLE_BYTES ? 0 : 4;
    let squared = 0;
    let signed = 0;
    let shift = 0;
    for (let n = 0; n < this.#nibbles; n++) {
      let bits = 0;
      for (let d = 0; d < 4; d++) {
        const value = residual[4 * n + d];
        const other = centroid[4 * n + d];
        squared += value * value;
        if (value >= 0) {
          bits |= 1 << d;
          signed += value;
          shift += other;
        } else {
          signed -= value;
          shift -= other;
        }
      }
      bytes[n * NIBBLE_BYTES + (row % NIBBLE_BYTES)] |= bits << half;
    }
    // The codes are ±½.
    signed /= 2;
    shift /= 2;
    const dimensions = 4 * this.#nibbles;
    const isPoint = signed === 0;
    const quality = isPoint ? 0 : ((squared / signed / signed) * dimensions) / 4 - 1;
    const error = 2 * DEVIATIONS * Math.sqrt((squared * Math.max(quality, 0)) / (dimensions - 1));
    factors[row] = squared + (isPoint ? 0 : (2 * squared * shift) / signed);
    factors[CODE_BLOCK_ROWS + row] = isPoint ? 0 : (-2 * squared) / signed;
    factors[2 * CODE_BLOCK_ROWS + row] = Number.isFinite(squared) ? error : Number.NaN;
  }
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
