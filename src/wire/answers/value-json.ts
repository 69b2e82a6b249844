/** Typed values as JSON. */

import { assert } from "../../base/assert.ts";
import type { Steps } from "../../base/steps.ts";
import type { AttributeType, ScalarKind } from "../../model/attribute-type.ts";
import { formatDatetime } from "../../model/datetime.ts";
import type { AttributeValue, DocumentId, ScalarValue, SparseVector } from "../../model/value.ts";
import type { JsonWriter } from "../json/json-writer.ts";

/** How vectors are written: as arrays of numbers, or as base64 of little-endian float32. */
export type VectorEncoding = "float" | "base64";

/** Writes a document's id. */
export function writeId(json: JsonWriter, id: DocumentId): void {
  if (typeof id === "bigint") json.integer(id);
  else json.string(id);
}

/** Writes a value of the given type. Vectors of every stored precision are written as float32. */
export function writeValue(
  json: JsonWriter,
  type: AttributeType,
  value: AttributeValue,
  encoding: VectorEncoding,
): void {
  if (value === null) {
    json.null();
    return;
  }
  switch (type.kind) {
    case "scalar":
      writeScalar(json, type.of, value as ScalarValue);
      return;
    case "array":
      writeArray(json, type.of, value as readonly ScalarValue[]);
      return;
    case "bytes":
      json.base64(value as Uint8Array);
      return;
    case "vector":
      writeVector(json, value as Float32Array, encoding);
      return;
    case "multi_vector":
      writeVectors(json, value as readonly Float32Array[], encoding);
      return;
    case "sparse":
      writeSparse(json, value as SparseVector);
      return;
  }
}

/** Elements that are written between two pauses: up to .4 µs each. */
const ELEMENTS_PER_STEP = 16_384;

/** Tells whether a value has more elements than one step writes. */
export function isLongValue(value: AttributeValue): boolean {
  return Array.isArray(value) && value.length > ELEMENTS_PER_STEP;
}

/** Writes a long value as `writeValue` does, in steps. */
export function* writeLongValue(
  json: JsonWriter,
  type: AttributeType,
  value: AttributeValue,
  encoding: VectorEncoding,
): Steps<void> {
  const elements = value as readonly (ScalarValue | Float32Array)[];
  json.raw("[");
  for (const [i, element] of elements.entries()) {
    if (i > 0) json.raw(",");
    if (type.kind === "array" && type.of !== "unknown") {
      writeScalar(json, type.of, element as ScalarValue);
    } else writeVector(json, element as Float32Array, encoding);
    if (i % ELEMENTS_PER_STEP === ELEMENTS_PER_STEP - 1) yield;
  }
  json.raw("]");
}

function writeVector(json: JsonWriter, vector: Float32Array, encoding: VectorEncoding): void {
  if (encoding === "base64") json.float32Base64(vector);
  else json.float32Array(vector);
}

/** Writes a float64 so that it does not look like an integer: `5.0`. */
export function writeFloat(json: JsonWriter, value: number): void {
  json.float64(value);
  // -0 is written as `-0.0` already, and from 1e21 on there is an exponent.
  if (Number.isInteger(value) && Math.abs(value) < 1e21 && !Object.is(value, -0)) json.raw(".0");
}

/** Writes a time as `YYYY-MM-DDTHH:MM:SS.mmm000000Z`. */
export function writeTime(json: JsonWriter, msSinceEpoch: number): void {
  json.raw(`"${formatDatetime(BigInt(Math.trunc(msSinceEpoch)))}"`);
}

function writeScalar(json: JsonWriter, kind: ScalarKind, value: ScalarValue): void {
  switch (kind) {
    case "datetime":
      assert(typeof value === "bigint", "a datetime is a bigint");
      json.raw(`"${formatDatetime(value)}"`);
      return;
    case "float":
      writeFloat(json, Number(value));
      return;
    case "int":
    case "uint":
      assert(typeof value === "bigint", "an integer is a bigint");
      json.integer(value);
      return;
    case "bool":
      json.boolean(value === true);
      return;
    case "string":
    case "uuid":
      json.string(String(value));
      return;
  }
}

function writeArray(
  json: JsonWriter,
  kind: ScalarKind | "unknown",
  elements: readonly ScalarValue[],
): void {
  json.raw("[");
  for (const [i, element] of elements.entries()) {
    assert(kind !== "unknown", "arrays of unknown type are empty");
    if (i > 0) json.raw(",");
    writeScalar(json, kind, element);
  }
  json.raw("]");
}

function writeVectors(
  json: JsonWriter,
  vectors: readonly Float32Array[],
  encoding: VectorEncoding,
): void {
  json.raw("[");
  for (const [i, vector] of vectors.entries()) {
    if (i > 0) json.raw(",");
    writeVector(json, vector, encoding);
  }
  json.raw("]");
}

function writeSparse(json: JsonWriter, vector: SparseVector): void {
  json.raw("{");
  for (const [i, name] of vector.names.entries()) {
    if (i > 0) json.raw(",");
    json.key(name);
    json.float32(vector.weights[i]);
  }
  json.raw("}");
}
