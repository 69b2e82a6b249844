/** Single values out of columns: for answers, conditions and tests, not for loops over many. */

import { assert } from "../base/assert.ts";
import type { AttributeType, IdType, ScalarKind } from "../model/attribute-type.ts";
import type { Column, ColumnData } from "../model/columns.ts";
import { formatUuid, UUID_BYTES } from "../model/uuid.ts";
import type { AttributeValue, DocumentId, ScalarValue, SparseVector } from "../model/value.ts";
import { utf8Slice } from "./columns-packing.ts";

const NO_BYTES = new Uint8Array(0);
const ONE_OFFSET = new Uint32Array(1);

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
    case "array": {
      const values: ScalarValue[] = [];
      for (let e = data.offsets[ordinal]; e < data.offsets[ordinal + 1]; e++) {
        values.push(scalarAt(data.elements, e));
      }
      return values;
    }
    case "f32":
    case "f16":
    case "i8":
      return vectorAt(data, ordinal);
    case "multi_vector": {
      const { values, dimensions } = data;
      const vectors: Float32Array[] = [];
      for (let v = data.offsets[ordinal]; v < data.offsets[ordinal + 1]; v++) {
        vectors.push(Float32Array.from(values.subarray(v * dimensions, (v + 1) * dimensions)));
      }
      return vectors;
    }
    case "sparse":
      return sparseAt(data, ordinal);
    default:
      return scalarAt(data, ordinal);
  }
}

/** The id at a position of an id column. */
export function idAt(ids: ColumnData, ordinal: number): DocumentId {
  if (ids.kind === "u64") return ids.values[ordinal];
  assert(ids.kind === "string" || ids.kind === "uuid", `no ids are of kind ${ids.kind}`);
  return scalarAt(ids, ordinal) as string;
}

/** Data without any value, of the kind that columns of a type have. */
export function emptyData(type: AttributeType): ColumnData {
  switch (type.kind) {
    case "scalar":
      return emptyScalars(type.of);
    case "bytes":
      return emptyScalars("string");
    case "array": {
      const elements = emptyScalars(type.of === "unknown" ? "string" : type.of);
      return { kind: "array", offsets: ONE_OFFSET, elements };
    }
    case "vector":
      return emptyVectors(type.dimensions, type.element);
    case "multi_vector": {
      const values = new Float32Array(0);
      return { kind: "multi_vector", dimensions: type.dimensions, offsets: ONE_OFFSET, values };
    }
    case "sparse": {
      const names = { offsets: ONE_OFFSET, bytes: NO_BYTES };
      return { kind: "sparse", offsets: ONE_OFFSET, names, weights: new Uint16Array(0) };
    }
  }
}

function emptyScalars(of: ScalarKind): ColumnData {
  switch (of) {
    case "string":
      return { kind: "string", offsets: ONE_OFFSET, bytes: NO_BYTES };
    case "int":
    case "datetime":
      return { kind: "i64", values: new BigInt64Array(0) };
    case "uint":
      return { kind: "u64", values: new BigUint64Array(0) };
    case "float":
      return { kind: "f64", values: new Float64Array(0) };
    case "bool":
      return { kind: "bool", values: NO_BYTES };
    case "uuid":
      return { kind: "uuid", bytes: NO_BYTES };
  }
}

function emptyVectors(dimensions: number, element: "f32" | "f16" | "i8"): ColumnData {
  if (element === "f32") return { kind: "f32", dimensions, values: new Float32Array(0) };
  if (element === "f16") return { kind: "f16", dimensions, values: new Uint16Array(0) };
  return { kind: "i8", dimensions, values: new Int8Array(0) };
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
