/** Values of tables as the JSON of documents. */

import type { AttributeType, ScalarKind } from "../../model/attribute-type.ts";
import { DecimalCell } from "../read/decimal-cell.ts";
import { InvalidText } from "../read/decode-text.ts";
import type { CellValue } from "../read/source-row.ts";
import { losesDigits } from "./exact-float.ts";
import type { PlannedColumn } from "./import-plan.ts";
import { kindOfInteger } from "./value-kinds.ts";

/** Why a value cannot be written. */
export class ValueFault extends Error {}

/** The plan of the value's attribute; undefined if the plan has none. */
export type ValueTarget = Pick<PlannedColumn, "type" | "rounds"> | undefined;

/** Characters of a value that a message shows. */
const SHOWN_CHARS_MAX = 60;

const MINUS = 0x2d;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const ARRAY_START = 0x5b;

const INTEGER = /^([+-]?)0*(\d+)$/;
const FLOAT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * The JSON of a cell of a table of texts; undefined for null, which a cell of nothing is, and one
 * of an empty text where only texts may be empty. Integers are kept digit by digit. Throws
 * `ValueFault`.
 */
export function encodeText(text: string | undefined, target: ValueTarget): string | undefined {
  const type = target?.type;
  if (text === undefined || (text === "" && !mayBeEmpty(type))) return undefined;
  switch (type?.kind) {
    case "scalar":
      if (type.of === "float" && target?.rounds !== true) checkDigits(text.trim());
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
export function encodeCell(value: CellValue, target: ValueTarget): string | undefined {
  if (value === undefined) return undefined;
  const type = target?.type;
  if (isScalar(value)) return encodeScalarCell(value, target);
  if (type?.kind === "vector") return encodeFloats(value as ArrayLike<number>);
  if (type?.kind === "multi_vector") {
    const vectors = value as readonly ArrayLike<number>[];
    return `[${vectors.map(encodeFloats).join()}]`;
  }
  return encodeArray(value, target);
}

type ScalarCell = boolean | number | bigint | string | DecimalCell | InvalidText;

function isScalar(value: Exclude<CellValue, undefined>): value is ScalarCell {
  return typeof value !== "object" || value instanceof DecimalCell || value instanceof InvalidText;
}

function encodeScalarCell(value: ScalarCell, target: ValueTarget): string | undefined {
  const type = target?.type;
  // Parquet has no sparse vectors: exports write them as JSON.
  if (typeof value === "string" && type?.kind === "sparse") return encodeText(value, target);
  // Not-a-number is how data frames spell a missing float.
  if (typeof value === "number" && Number.isNaN(value)) return undefined;
  return encodeScalar(value, type?.kind === "scalar" ? type.of : undefined, target?.rounds);
}

/** The JSON of an id, which keeps all digits. Throws `ValueFault`. */
export function encodeId(value: CellValue, isString: boolean): string {
  if (value === undefined || value === "") throw new ValueFault("the id is missing");
  if (!isScalar(value)) throw new ValueFault("the id is an array");
  if (value instanceof InvalidText) throw invalidText(value);
  const text = value instanceof DecimalCell ? value.text : String(value);
  if (typeof value === "string" || isString) return JSON.stringify(text);
  if (typeof value === "boolean") return text;
  if (!INTEGER.test(text)) {
    throw new ValueFault(`the id ${shown(text)} must be an integer from 0 to 2^64 − 1`);
  }
  return text;
}

/** `of` is the kind of the attribute, or of its elements. */
function encodeScalar(value: ScalarCell, of: ScalarKind | undefined, rounds = false): string {
  if (value instanceof InvalidText) throw invalidText(value);
  if (value instanceof DecimalCell) {
    return of === "string" ? JSON.stringify(value.text) : finiteText(Number(value.text));
  }
  if (typeof value === "string") return JSON.stringify(value);
  if (of === "string") return JSON.stringify(String(value));
  if (typeof value === "number") return finiteText(value);
  if (of !== "float") return String(value);
  if (!rounds) checkDigits(String(value));
  return finiteText(Number(value));
}

/** Refuses an integer whose digits a float attribute would lose. */
function checkDigits(text: string): void {
  if (!losesDigits(text)) return;
  throw new ValueFault(
    `float64 does not keep all digits of ${shown(text)}; give the attribute the type float in ` +
      "the schema to take the nearest, or write it as text",
  );
}

/** Characters of JSON in which an integer may have more digits than a float64 keeps. */
export const LOSSY_CHARS_MIN = 16;

const LONG_INTEGERS = /(?<![\d.])-?\d{16,}(?![\d.eE])/g;

/** Refuses JSON whose integers an attribute of floats, or one without a type, would round. */
export function checkJsonDigits(text: Uint8Array, type: AttributeType | undefined): void {
  const isNumber = text[0] === MINUS || (text[0] >= DIGIT_0 && text[0] <= DIGIT_9);
  const isFloats = type?.kind === "array" && type.of === "float";
  const isOpen = type === undefined || (type.kind === "scalar" && type.of === "float");
  if (isNumber ? !isOpen : !isFloats || text[0] !== ARRAY_START) return;
  for (const [digits] of Buffer.from(text).toString("latin1").matchAll(LONG_INTEGERS)) {
    // An attribute without a type gets the type of the first integer, which keeps 64 bits.
    if (type === undefined && kindOfInteger(BigInt(digits)).kind !== "wide") continue;
    checkDigits(digits);
  }
}

function invalidText({ shown: bytes }: InvalidText): ValueFault {
  return new ValueFault(`the text must be UTF-8, and has the bytes ${bytes}`);
}

function finiteText(value: number): string {
  if (!Number.isFinite(value)) throw new ValueFault(`${value} is no number that JSON has`);
  return numberText(value);
}

/** The shortest decimal that is this number; JavaScript's own text leaves out the sign of zero. */
function numberText(value: number): string {
  return Object.is(value, -0) ? "-0.0" : String(value);
}

function encodeArray(
  values: Exclude<CellValue, undefined | ScalarCell>,
  target: ValueTarget,
): string {
  const type = target?.type;
  const of = type?.kind === "array" ? type.of : undefined;
  const kind = of === "unknown" ? undefined : of;
  const elements = Array.from(values as ArrayLike<CellValue | null>, (value, i) => {
    if (value === undefined || value === null) {
      throw new ValueFault(`element ${i} is null, and arrays have no nulls`);
    }
    return isScalar(value) ? encodeScalar(value, kind, target?.rounds) : encodeArray(value, target);
  });
  return `[${elements.join()}]`;
}

/** Little-endian float32 in base64: the server takes it in half of the time of numbers. */
function encodeFloats(values: ArrayLike<number>): string {
  const count = values.length;
  const floats = values instanceof Float32Array ? values : new Float32Array(count);
  // One loop over both: a constructor's own is several times as slow on arrays of a file.
  for (let i = 0; i < count; i++) {
    const value: unknown = values[i];
    floats[i] = typeof value === "number" ? value : exactNumber(value);
    if (!Number.isFinite(floats[i])) throw floatFault(values, i);
  }
  const bytes = Buffer.from(floats.buffer, floats.byteOffset, floats.byteLength);
  return `"${bytes.toString("base64")}"`;
}

/** Integers of 64 bits and decimals as numbers (a float32 keeps 24 bits); else NaN. */
function exactNumber(value: unknown): number {
  if (value instanceof DecimalCell) return Number(value.text);
  return typeof value === "bigint" ? Number(value) : Number.NaN;
}

function floatFault(values: ArrayLike<number | null | undefined>, i: number): ValueFault {
  const value = values[i];
  const what = value === null || value === undefined ? "null" : clipped(String(value));
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

/** A value of a file as messages quote it. */
export function shown(text: string): string {
  return JSON.stringify(clipped(text));
}

function clipped(text: string): string {
  return text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}…` : text;
}
