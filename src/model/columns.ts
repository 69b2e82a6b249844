/**
 * Documents by attribute: the one in-memory form that parsed writes, WAL records and segments use.
 * The arrays may be views over shared memory that other threads read: nobody changes them once the
 * columns are handed on.
 */

import type { AttributeType, IdType } from "./attribute-type.ts";

/** One attribute for `count` documents; ordinals are positions from 0. */
export interface Column {
  readonly type: AttributeType;
  readonly count: number;
  /** Bit o (of byte o >> 3, bit o & 7) is set iff document o has a value. Absent: all have one. */
  readonly presence?: Uint8Array;
  readonly data: ColumnData;
}

/** Values end to end. Documents without a value have a zero or empty placeholder. */
export type ColumnData =
  /** string and bytes: value o is bytes[offsets[o] .. offsets[o + 1]); strings in UTF-8. */
  | { readonly kind: "string"; readonly offsets: Uint32Array; readonly bytes: Uint8Array }
  /** int and datetime. */
  | { readonly kind: "i64"; readonly values: BigInt64Array }
  /** uint. */
  | { readonly kind: "u64"; readonly values: BigUint64Array }
  /** float. */
  | { readonly kind: "f64"; readonly values: Float64Array }
  /** bool: 0 or 1. */
  | { readonly kind: "bool"; readonly values: Uint8Array }
  /** uuid: 16 bytes each, in the order of its hexadecimal digits. */
  | { readonly kind: "uuid"; readonly bytes: Uint8Array }
  /** []T: the elements of o are those from offsets[o] to offsets[o + 1]. */
  | { readonly kind: "array"; readonly offsets: Uint32Array; readonly elements: ColumnData }
  /** Dense vectors of `dimensions` elements, end to end. f16 as bit patterns. */
  | { readonly kind: "f32"; readonly dimensions: number; readonly values: Float32Array }
  | { readonly kind: "f16"; readonly dimensions: number; readonly values: Uint16Array }
  | { readonly kind: "i8"; readonly dimensions: number; readonly values: Int8Array }
  /** [][N]f32: document o has the vectors offsets[o] to offsets[o + 1], counted in vectors. */
  | {
      readonly kind: "multi_vector";
      readonly dimensions: number;
      readonly offsets: Uint32Array;
      readonly values: Float32Array;
    }
  /** {}f16: entries offsets[o] to offsets[o + 1]; names ascending by bytes; weights as f16 bits. */
  | {
      readonly kind: "sparse";
      readonly offsets: Uint32Array;
      readonly names: { readonly offsets: Uint32Array; readonly bytes: Uint8Array };
      readonly weights: Uint16Array;
    };

/** Ids of documents, of one type. */
export interface DocumentIds {
  readonly count: number;
  readonly idType: IdType;
  /** Kind `u64`, `string` or `uuid`, by `idType`. */
  readonly ids: ColumnData;
}

/** Whole documents by attribute, with distinct ids. All columns have `count` entries. */
export interface DocumentColumns extends DocumentIds {
  /** By attribute name. An attribute without any value may be left out. */
  readonly attributes: ReadonlyMap<string, Column>;
}
