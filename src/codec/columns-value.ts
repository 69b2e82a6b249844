/** Single values out of columns: for answers, conditions and tests, not for loops over many. */

import { assert } from "../base/assert.ts";
import type { Steps } from "../base/steps.ts";
import type { AttributeType, IdType, ScalarKind } from "../model/attribute-type.ts";
import type { Column, ColumnData } from "../model/columns.ts";
import { formatUuid, UUID_BYTES } from "../model/uuid.ts";
import type { AttributeValue, DocumentId, ScalarValue, SparseVector } from "../model/value.ts";
import { utf8Slice } from "./columns-packing.ts";

const NO_BYTES = new Uint8Array(0);
const ONE_OFFSET = new Uint32Array(1);

/** The arrays of data without values: numbers of 32 bits are offsets, of which there is one more. */
const NO_ARRAYS: ArraySource = {
  u8: () => NO_BYTES,
  i8: () => new Int8Array(0),
  u16: () => new Uint16Array(0),
  u32: () => ONE_OFFSET,
  f32: () => new Float32Array(0),
  f64: () => new Float64Array(0),
  i64: () => new BigInt64Array(0),
  u64: () => new BigUint64Array(0),
};

/** Type whose columns hold the ids of a type. */
export function idAttributeType(idType: IdType): AttributeType {
  return { kind: "scalar", of: idType };
}

/** Which documents have a value; absent: all of them. */
interface Presence {
  readonly presence?: Uint8Array | undefined;
}

/** Tells whether a document has a value; an empty array is one. */
export function hasValue(column: Presence, ordinal: number): boolean {
  const { presence } = column;
  return presence === undefined || ((presence[ordinal >> 3] >> (ordinal & 7)) & 1) === 1;
}

/** Tells whether any document has a value. */
export function hasAnyValue(column: Column): boolean {
  const { presence, count } = column;
  return count > 0 && (presence === undefined || presence.some((bits) => bits !== 0));
}

/** A document's value, decoded to the form that its type has; null if it has none. */
export function columnValue(column: Column, ordinal: number): AttributeValue {
  if (!hasValue(column, ordinal)) return null;
  const { data } = column;
  switch (data.kind) {
    case "string": {
      const [start, end] = [data.offsets[ordinal], data.offsets[ordinal + 1]];
      if (column.type.kind === "bytes") return Uint8Array.from(data.bytes.subarray(start, end));
      return utf8Slice(data.bytes, start, end);
    }
    case "array":
      return elementsOf(data, data.offsets[ordinal], data.offsets[ordinal + 1]);
    case "f32":
    case "f16":
    case "i8":
      return vectorAt(data, ordinal);
    case "multi_vector":
      return vectorsOf(data, data.offsets[ordinal], data.offsets[ordinal + 1]);
    case "sparse":
      return sparseAt(data, ordinal);
    default:
      return scalarAt(data, ordinal);
  }
}

/** Place of a document's value in a column. */
export interface ValuePlace {
  readonly column: Column;
  readonly ordinal: number;
}

/** Elements of a value that are decoded between two pauses: up to .4 µs each. */
const ELEMENTS_PER_STEP = 16_384;

/** Elements of an array or of several vectors; 1 for other values. */
export function elementCount({ column: { data }, ordinal }: ValuePlace): number {
  if (data.kind !== "array" && data.kind !== "multi_vector") return 1;
  return data.offsets[ordinal + 1] - data.offsets[ordinal];
}

/** Tells whether a value has more elements than one step decodes. */
export function hasManyElements(place: ValuePlace): boolean {
  return elementCount(place) > ELEMENTS_PER_STEP;
}

/** Decodes a long value as `columnValue` does, in steps. */
export function* longValue({ column, ordinal }: ValuePlace): Steps<AttributeValue> {
  const { data } = column;
  if (data.kind !== "array" && data.kind !== "multi_vector") return columnValue(column, ordinal);
  const values: (ScalarValue | Float32Array)[] = [];
  const last = data.offsets[ordinal + 1];
  for (let start = data.offsets[ordinal]; start < last; start += ELEMENTS_PER_STEP) {
    if (values.length > 0) yield;
    const end = Math.min(last, start + ELEMENTS_PER_STEP);
    const some = data.kind === "array" ? elementsOf(data, start, end) : vectorsOf(data, start, end);
    for (const value of some) values.push(value);
  }
  return values as AttributeValue;
}

/** The id at a position of an id column. */
export function idAt(ids: ColumnData, ordinal: number): DocumentId {
  if (ids.kind === "u64") return ids.values[ordinal];
  assert(ids.kind === "string" || ids.kind === "uuid", `no ids are of kind ${ids.kind}`);
  return scalarAt(ids, ordinal) as string;
}

/** Hands out arrays one after the other, such as those that are packed in a block. */
export interface ArraySource {
  u8(): Uint8Array;
  i8(): Int8Array;
  u16(): Uint16Array;
  u32(): Uint32Array;
  f32(): Float32Array;
  f64(): Float64Array;
  i64(): BigInt64Array;
  u64(): BigUint64Array;
}

/** Data of the kind that columns of a type have, of arrays in the order of their declaration. */
export function dataFrom(type: AttributeType, source: ArraySource): ColumnData {
  switch (type.kind) {
    case "scalar":
      return scalarsFrom(type.of, source);
    case "bytes":
      return { kind: "string", offsets: source.u32(), bytes: source.u8() };
    case "array": {
      const offsets = source.u32();
      const of = type.of === "unknown" ? "string" : type.of;
      return { kind: "array", offsets, elements: scalarsFrom(of, source) };
    }
    case "vector": {
      const dimensions = type.dimensions;
      if (type.element === "f32") return { kind: "f32", dimensions, values: source.f32() };
      if (type.element === "f16") return { kind: "f16", dimensions, values: source.u16() };
      return { kind: "i8", dimensions, values: source.i8() };
    }
    case "multi_vector": {
      const offsets = source.u32();
      return {
        kind: "multi_vector",
        dimensions: type.dimensions,
        offsets,
        values: source.f32(),
      };
    }
    case "sparse": {
      const offsets = source.u32();
      const names = { offsets: source.u32(), bytes: source.u8() };
      return { kind: "sparse", offsets, names, weights: source.u16() };
    }
  }
}

function scalarsFrom(of: ScalarKind, source: ArraySource): ColumnData {
  switch (of) {
    case "string":
      return { kind: "string", offsets: source.u32(), bytes: source.u8() };
    case "int":
    case "datetime":
      return { kind: "i64", values: source.i64() };
    case "uint":
      return { kind: "u64", values: source.u64() };
    case "float":
      return { kind: "f64", values: source.f64() };
    case "bool":
      return { kind: "bool", values: source.u8() };
    case "uuid":
      return { kind: "uuid", bytes: source.u8() };
  }
}

/** Data without any value, of the kind that columns of a type have. */
export function emptyData(type: AttributeType): ColumnData {
  return dataFrom(type, NO_ARRAYS);
}

function elementsOf(
  { elements }: Extract<ColumnData, { kind: "array" }>,
  start: number,
  end: number,
): ScalarValue[] {
  const values: ScalarValue[] = [];
  for (let e = start; e < end; e++) values.push(scalarAt(elements, e));
  return values;
}

function vectorsOf(
  { values, dimensions }: Extract<ColumnData, { kind: "multi_vector" }>,
  start: number,
  end: number,
): Float32Array[] {
  const vectors: Float32Array[] = [];
  for (let v = start; v < end; v++) {
    vectors.push(Float32Array.from(values.subarray(v * dimensions, (v + 1) * dimensions)));
  }
  return vectors;
}

function scalarAt(data: ColumnData, index: number): ScalarValue {
  switch (data.kind) {
    case "string":
      return utf8Slice(data.bytes, data.offsets[index], data.offsets[index + 1]);
    case "uuid":
      return formatUuid(data.bytes, index * UUID_BYTES);
    case "bool":
      return data.values[index] === 1;
    case "i64":
    case "u64":
    case "f64":
      return data.values[index];
    default:
      throw new Error(`assertion failed: ${data.kind} is no scalar`);
  }
}

function vectorAt(
  data: Extract<ColumnData, { kind: "f32" | "f16" | "i8" }>,
  ordinal: number,
): Float32Array {
  const start = ordinal * data.dimensions;
  const end = start + data.dimensions;
  const elements = data.values.subarray(start, end);
  return new Float32Array(elements instanceof Uint16Array ? halves(elements) : elements);
}

function sparseAt(data: Extract<ColumnData, { kind: "sparse" }>, ordinal: number): SparseVector {
  const start = data.offsets[ordinal];
  const end = data.offsets[ordinal + 1];
  const names: string[] = [];
  for (let e = start; e < end; e++) {
    names.push(utf8Slice(data.names.bytes, data.names.offsets[e], data.names.offsets[e + 1]));
  }
  return { names, weights: Float32Array.from(halves(data.weights.subarray(start, end))) };
}

/** Reads the bit patterns of f16 as numbers. */
export function halves(bits: Uint16Array): Float16Array {
  return new Float16Array(bits.buffer, bits.byteOffset, bits.length);
}
