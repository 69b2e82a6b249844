/**
 * Scans of byte codes: how far rows are from one query, between two bounds that always hold, from
 * one byte for each dimension.
 *
 * A row is its codes as signed bytes, up to a multiple of 16 of them, where the padding is 0; then
 * 16 bytes: its scale and its error (float32), the sum of its codes' squares (uint32), and nothing.
 * The row is no farther than its error from scale · codes.
 */

/** Codes of a row are padded to a multiple of this, and rows begin at multiples of it. */
export const BYTE_CODE_ALIGNMENT = 16;
/** Bytes of what follows the codes of a row. */
export const BYTE_FACTOR_BYTES = 16;
/** Greatest code; the least is its negative. */
export const BYTE_CODE_MAX = 127;

/** Bytes of the codes of a row, with their padding. */
export function paddedCodes(dimensions: number): number {
  return Math.ceil(dimensions / BYTE_CODE_ALIGNMENT) * BYTE_CODE_ALIGNMENT;
}

/** Bytes of a row of so many dimensions. */
export function byteCodeStride(dimensions: number): number {
  return paddedCodes(dimensions) + BYTE_FACTOR_BYTES;
}

/**
 * Some rows against one query of whole numbers, all in the kernel's memory; see `RowScan` for
 * addresses. The query is no farther than `error` from half of `scale` · its elements.
 *
 * With p, the sum of the products of codes and elements, which is exact, and all that follows in
 * float64, a step after the other:
 *
 * - size = base + scaleOfRow² · squares; middle = size − (scaleOfRow · scale) · p
 * - width = (errorOfRow + error) · (1 + 2^-40)
 * - lower = (√max(middle − size · 2^-49, 0) − width) · (1 − 2^-22) − 2^-148, at least 0,
 *   and at most the greatest float32
 * - upper = (√(middle + size · 2^-49) + width) · (1 + 2^-22) + 2^-148
 *
 * Both are rounded to float32 then, of which they have room.
 */
export interface ByteCodeScan {
  /** Address of a uint32 for each row: its address divided by 16. */
  readonly gather: number;
  /** Rows to scan. */
  readonly count: number;
  /** Padded codes of a row. */
  readonly codes: number;
  /**
   * Address of as many int16, where the padding is 0. A multiple of 16. Their products with any
   * codes sum up to no more than 32 bits.
   */
  readonly query: number;
  /** Square of the length of half of `scale` · the query's elements. */
  readonly base: number;
  readonly scale: number;
  readonly error: number;
  /** Rows whose lower bound is greater are left out. */
  readonly worst: number;
  /**
   * Address where three words are written for each row that is not left out, in order: its place in
   * `gather` (uint32), its lower and its upper bound (float32). A multiple of 4.
   */
  readonly found: number;
}
