/**
 * Typed values. The JavaScript form of each attribute type:
 *
 * | type            | form                                                     |
 * |-----------------|----------------------------------------------------------|
 * | string          | string                                                   |
 * | int, uint       | bigint                                                   |
 * | float           | number (finite)                                          |
 * | bool            | boolean                                                  |
 * | uuid            | string, lower case with dashes                           |
 * | datetime        | bigint, milliseconds since the epoch                     |
 * | bytes           | Uint8Array                                               |
 * | []T             | array of the form of T                                   |
 * | [N]f32/f16/i8   | Float32Array, already rounded to the stored precision    |
 * | [][N]f32        | array of Float32Array                                    |
 * | {}f16           | SparseVector                                             |
 *
 * Null and absent are the same: `null`.
 */

import { assert } from "../base/assert.ts";

/** A value of a scalar type. */
export type ScalarValue = string | bigint | number | boolean;

/** Dimension names, ascending by bytes and unique, and their weights rounded to f16. */
export interface SparseVector {
  readonly names: readonly string[];
  readonly weights: Float32Array;
}

/** A value of any type, or null. */
export type AttributeValue =
  | null
  | ScalarValue
  | Uint8Array
  | readonly ScalarValue[]
  | Float32Array
  | readonly Float32Array[]
  | SparseVector;

/** A document's id: bigint for `uint`, string for `string` and `uuid` (lower case with dashes). */
export type DocumentId = bigint | string;

/**
 * Orders two strings by their UTF-8 bytes, which is the order of code points. JavaScript's own
 * order is by UTF-16 units and differs between surrogates and U+E000 to U+FFFF.
 */
export function compareStrings(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    let x = a.charCodeAt(i);
    let y = b.charCodeAt(i);
    if (x === y) continue;
    // Moves surrogates above the rest of the basic plane, as their code points are.
    if (x >= 0xd800) x = x >= 0xe000 ? x - 0x800 : x + 0x2000;
    if (y >= 0xd800) y = y >= 0xe000 ? y - 0x800 : y + 0x2000;
    return x - y;
  }
  return a.length - b.length;
}

/** Orders two values of one scalar type: false before true, numbers by size, strings by bytes. */
export function compareScalars(a: ScalarValue, b: ScalarValue): number {
  if (typeof a === "string") {
    assert(typeof b === "string", "compared values differ in type");
    return compareStrings(a, b);
  }
  return a < b ? -1 : a > b ? 1 : 0;
}
