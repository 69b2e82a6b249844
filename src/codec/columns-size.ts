/**
 * Logical bytes, which billing counts: what users stored, not what it takes here. A scalar number
 * or datetime counts 8, a bool 1, a uuid 16, strings and bytes their length (UTF-8), arrays the
 * sum of their elements, vectors their elements (f32 4, f16 2, i8 1), sparse entries their name
 * and 2.
 */

import { Pace } from "../base/pace.ts";
import { runSteps, type Steps } from "../base/steps.ts";
import { ELEMENT_BYTES } from "../kernel/kernel.ts";
import type { AttributeType } from "../model/attribute-type.ts";
import type { Column, ColumnData, DocumentColumns } from "../model/columns.ts";
import { UUID_BYTES } from "../model/uuid.ts";
import { hasValue } from "./columns-value.ts";

const NUMBER_BYTES = 8;
const HALF_BYTES = ELEMENT_BYTES.f16;
const FLOAT_BYTES = ELEMENT_BYTES.f32;
/** Values, absent ones included, that one step counts. */
const STEP_VALUES = 65_536;

/** Logical bytes of values `start` to `end`; absent ones must be left out by the caller. */
export function dataLogicalBytes(data: ColumnData, start: number, end: number): number {
  switch (data.kind) {
    case "string":
      return data.offsets[end] - data.offsets[start];
    case "i64":
    case "u64":
    case "f64":
      return NUMBER_BYTES * (end - start);
    case "bool":
      return end - start;
    case "uuid":
      return UUID_BYTES * (end - start);
    case "array":
      return dataLogicalBytes(data.elements, data.offsets[start], data.offsets[end]);
    case "f32":
      return FLOAT_BYTES * data.dimensions * (end - start);
    case "f16":
      return HALF_BYTES * data.dimensions * (end - start);
    case "i8":
      return data.dimensions * (end - start);
    case "multi_vector":
      return FLOAT_BYTES * data.dimensions * (data.offsets[end] - data.offsets[start]);
    case "sparse": {
      const [first, last] = [data.offsets[start], data.offsets[end]];
      return data.names.offsets[last] - data.names.offsets[first] + HALF_BYTES * (last - first);
    }
  }
}

/** Logical bytes of one document's value; 0 if it has none. */
export function valueLogicalBytes(column: Column, ordinal: number): number {
  if (!hasValue(column, ordinal)) return 0;
  // The data of vectors is left alone: where they are padded it is a copy that has to be made.
  if (column.type.kind === "vector") return vectorBytes(column.type);
  return dataLogicalBytes(column.data, ordinal, ordinal + 1);
}

/** Bytes of one dense vector. */
export function vectorBytes(type: Extract<AttributeType, { kind: "vector" }>): number {
  return ELEMENT_BYTES[type.element] * type.dimensions;
}

/** Logical bytes of all values of a column. */
export function columnLogicalBytes(column: Column): number {
  const { type, presence, count } = column;
  if (presence === undefined) {
    return type.kind === "vector"
      ? count * vectorBytes(type)
      : dataLogicalBytes(column.data, 0, count);
  }
  let bytes = 0;
  for (let ordinal = 0; ordinal < count; ordinal++) {
    const end = ordinal + 8;
    const eight = ordinal % 8 === 0 && end <= count ? presence[ordinal >> 3] : undefined;
    // Most often eight in a row have a value, or none has one.
    if (eight === 0xff) {
      if (type.kind === "vector") bytes += 8 * vectorBytes(type);
      else bytes += dataLogicalBytes(column.data, ordinal, end);
      ordinal += 7;
    } else if (eight === 0) ordinal += 7;
    else bytes += valueLogicalBytes(column, ordinal);
  }
  return bytes;
}

/**
 * Logical bytes of documents, ids included, in steps: there may be a thousand columns of values
 * that nearly all documents lack. `shareOf` says how much of an attribute's bytes counts.
 */
export function* logicalBytesInSteps(
  documents: DocumentColumns,
  shareOf: (attribute: string) => number = () => 1,
): Steps<number> {
  const pace = new Pace(STEP_VALUES);
  let bytes = dataLogicalBytes(documents.ids, 0, documents.count);
  for (const [name, column] of documents.attributes) {
    if (pace.isDue(column.count)) yield;
    bytes += columnLogicalBytes(column) * shareOf(name);
  }
  return bytes;
}

/** Logical bytes of documents, ids included. */
export function documentsLogicalBytes(documents: DocumentColumns): number {
  return runSteps(logicalBytesInSteps(documents));
}

/**
 * Bytes that the values of documents take in memory, places of absent ones included. O(attributes).
 */
export function documentsBytes(documents: DocumentColumns): number {
  let bytes = dataLogicalBytes(documents.ids, 0, documents.count);
  for (const { data, count } of documents.attributes.values()) {
    bytes += dataLogicalBytes(data, 0, count);
  }
  return bytes;
}
