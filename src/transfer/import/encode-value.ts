/** Values of tables as the JSON of documents. */

import type { AttributeType, ScalarKind } from "../../model/attribute-type.ts";
import type { CellValue } from "../read/source-row.ts";

/** Why a value cannot be written. */
export class ValueFault extends Error {}

const INTEGER = /^([+-]?)0*(\d+)$/;
const FLOAT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * The JSON of a cell of a table of texts; undefined for null, which a cell of nothing is, and one
 * of an empty text where only texts may be empty. Integers are kept digit by digit. Throws
 * `ValueFault`.
 */
export function encodeText(
  text: string | undefined,
  type: AttributeType | undefined,
): string | undefined {
  if (text === undefined || (text === "" && !mayBeEmpty(type))) return undefined;
  switch (type?.kind) {
    case "scalar":
      return encodeScalarText(text, type.of);
    case "vector":
      // Vectors may be given as base64, too.
      return text.startsWith("[") ? encodeFloats(parsed(text)) : JSON.stringify(text);
    case "array":
    case "multi_vector":
    case "sparse":
      parsed(text);
      return text;
    default:
      return JSON.stringify(text);
  }
}

/**
 * Whether an empty text is a value of the type. Programs that quote every cell write nothing as
 * an empty text, too: in a column of numbers it can mean nothing else.
 */
function mayBeEmpty(type: AttributeType | undefined): boolean {
  if (type === undefined) return true;
  return type.kind === "bytes" || (type.kind === "scalar" && type.of === "string");
}

/** The JSON of a cell of a binary table; undefined for null. Throws `ValueFault`. */
export function encodeCell(value: CellValue, type: AttributeType | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "object") {
    if (type?.kind === "vector") return encodeFloats(value as ArrayLike<number>);
    if (type?.kind === "multi_vector") {
      const vectors = value as readonly ArrayLike<number>[];
      return `[${vectors.map(encodeFloats).join()}]`;
    }
    return encodeArray(value);
  }
  // Parquet has no sparse vectors: exports write them as JSON.
  if (typeof value === "string" && type?.kind === "sparse") return encodeText(value, type);
  // Not-a-number is how data frames spell a missing float.
  if (typeof value === "number" && Number.isNaN(value)) return undefined;
  return encodeScalar(value);
}

/** The JSON of an id. Throws `ValueFault`. */
export function encodeId(value: CellValue, isString: boolean): string {
  if (value === undefined || value === "") throw new ValueFault("the id is missing");
  if (typeof value === "string" || isString) return JSON.stringify(String(value));
  return encodeScalar(value as number | bigint | boolean);
}

function encodeScalar(value: boolean | number | bigint | string): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new ValueFault(`${value} is no number that JSON has`);
  }
  return typeof value === "number" ? numberText(value) : String(value);
}

/** The shortest decimal that is this number; JavaScript's own text leaves out the sign of zero. */
function numberText(value: number): string {
  return Object.is(value, -0) ? "-0.0" : String(value);
}

function encodeArray(values: ArrayLike<CellValue>): string {
  const elements = Array.from(values, (value, i) => {
    if (value === undefined || value === null) {
      throw new ValueFault(`element ${i} is null, and arrays have no nulls`);
    }
    return typeof value === "object" ? encodeArray(value) : encodeScalar(value);
  });
  return `[${elements.join()}]`;
}

/** Little-endian float32 in base64: the server takes it in half of the time of numbers. */
function encodeFloats(values: ArrayLike<number>): string {
  const count = values.length;
  const floats = values instanceof Float32Array ? values : new Float32Array(count);
  // One loop over both: a constructor's own is several times as slow on arrays of a file.
  for (let i = 0; i < count; i++) {
    const value = values[i];
    floats[i] = value;
    if (typeof value !== "number" || !Number.isFinite(floats[i])) throw floatFault(values, i);
  }
  const bytes = Buffer.from(floats.buffer, floats.byteOffset, floats.byteLength);
  return `"${bytes.toString("base64")}"`;
}

function floatFault(values: ArrayLike<number | null | undefined>, i: number): ValueFault {
  const value = values[i];
  const what = value === null || value === undefined ? "null" : String(value);
  return new ValueFault(`element ${i} of the vector is ${what}; it must be a finite float32`);
}

function encodeScalarText(text: string, of: ScalarKind): string {
  switch (of) {
    case "int":
    case "uint": {
      const parts = INTEGER.exec(text.trim());
      if (parts === null) throw new ValueFault(`${shown(text)} is no integer`);
      return `${parts[1] === "-" ? "-" : ""}${parts[2]}`;
    }
    case "float": {
      const value = Number(text);
      const isNumber = FLOAT.test(text.trim()) && Number.isFinite(value);
      if (!isNumber) throw new ValueFault(`${shown(text)} is no number that JSON has`);
      return numberText(value);
    }
    case "bool": {
      const value = text.trim().toLowerCase();
      if (value === "true" || value === "false") return value;
      throw new ValueFault(`${shown(text)} is neither true nor false`);
    }
    default:
      return JSON.stringify(text);
  }
}

function parsed(text: string): number[] {
  try {
    return JSON.parse(text) as number[];
  } catch {
    throw new ValueFault(`${shown(text)} is no JSON array or object`);
  }
}

function shown(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
