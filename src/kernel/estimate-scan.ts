/**
 * Many vectors against many rows by codes of one byte for each element: which rows are about the
 * nearest to each, in a quarter to a half of the time that float32 takes (ADR 64). Addresses are
 * multiples of 4, and not checked; see `RowScan`.
 *
 * A coded vector or row is its codes, up to a multiple of 16 of them, then 16 bytes: its scale
 * (float32), the sum of its codes and of their squares (int32), and nothing. Codes are differences
 * to an origin: scale · codes. Vectors have signed bytes, rows have ROW_CODE_SHIFT more, which is
 * left out of sums and squares, so that theirs are 1 to 127: products with such bytes are what
 * processors sum up fastest.
 */

import type { NearestLists } from "./nearest-scan.ts";

/** Codes are padded to a multiple of this. */
const ELEMENT_CODE_ALIGNMENT = 16;
/** Bytes of what follows the codes. */
export const ELEMENT_FACTOR_BYTES = 16;
/** Greatest code of a vector; the least is its negative. */
export const VECTOR_CODE_MAX = 127;
/** Greatest code of a row, less what is added. */
export const ROW_CODE_MAX = 63;
/** What is added to codes of rows. */
export const ROW_CODE_SHIFT = 64;

/** Codes of a vector or row with their padding. */
export function paddedElements(dimensions: number): number {
  return Math.ceil(dimensions / ELEMENT_CODE_ALIGNMENT) * ELEMENT_CODE_ALIGNMENT;
}

/** Bytes from one coded vector or row to the next. */
export function elementCodeStride(dimensions: number): number {
  return paddedElements(dimensions) + ELEMENT_FACTOR_BYTES;
}

/**
 * Which rows' codes are nearest to those of each vector.
 *
 * With p, the sum of the products of both codes without what is added, the closeness is
 * p · scaleOfRow · scaleOfVector − half of scaleOfRow · squares · scaleOfRow, rounded to float32
 * operation by operation, from left to right. That is half of the negative squared distance but for
 * what is the same for all rows: closenesses are those of one vector alone.
 */
export interface EstimateScan extends NearestLists {
  /** Padded codes of each vector and row, which lie end to end. */
  readonly codes: number;
}

/**
 * The codes of some vectors or rows. Of each, elements · weight − origin, multiplied by a factor
 * and rounded to whole numbers, of two as near the even one; each operation is one of float32. The
 * factor is the greatest code / the greatest difference, at most the greatest float32, and 1 where
 * all are 0; the scale is 1 / factor. Where one is not finite, all codes are 0, and the scale is no
 * number: such a row is never near, and such a vector near to none.
 */
export interface ElementEncoding {
  readonly kind: "vector" | "row";
  /** Address of the elements of the first, float32; others follow. */
  readonly elements: number;
  /** Address of `count` weights, float32. */
  readonly weights: number;
  readonly count: number;
  /** Address of the origin, as many float32 as there are dimensions. */
  readonly origin: number;
  readonly dimensions: number;
  /** Address where all is written, `elementCodeStride` bytes for each. A multiple of 16. */
  readonly coded: number;
}
