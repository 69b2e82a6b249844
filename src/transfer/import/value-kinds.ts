/** What kind of value a sampled text is, for the inference of types. */

import { FILTERABLE_VALUE_BYTES_MAX } from "../../model/contract-limits.ts";
import { formatDatetime, parseDatetime } from "../../model/datetime.ts";
import { parseUuid } from "../../model/uuid.ts";
import { DecimalCell } from "../read/decimal-cell.ts";
import { isCode, lookOf, type TextLook } from "./code-texts.ts";
import { keepsInteger, roundedDigits } from "./exact-float.ts";

/** Kinds of values. A string that is a UUID or a datetime is only that. */
export type ScalarValueKind = "bool" | "int" | "uint" | "float" | "string" | "uuid" | "datetime";

/** Kinds of strings that are too long for filters. */
export type LongText = "words" | "bytes";

/** A value that is no array and no object. */
export interface ScalarValue {
  readonly kind: ScalarValueKind;
  /** Decoded length of a string, if it is base64. */
  readonly base64Bytes?: number;
  /** Set for a string that filters do not take. */
  readonly long?: LongText | undefined;
  /** The kind of a text that looks like a number or date but is not read as one. */
  readonly look?: TextLook | undefined;
  /** The stored form, if it differs from the written one. */
  readonly becomes?: string | undefined;
}

/** What one value is. */
export type ValueKind =
  | { readonly kind: "null" }
  | ScalarValue
  /** An integer that neither 64 bits nor a float64 keep. */
  | { readonly kind: "wide" }
  | {
      readonly kind: "array";
      readonly length: number;
      readonly elements: ArrayElements;
      readonly long?: LongText | undefined;
    }
  /** Names to numbers. */
  | { readonly kind: "sparse" }
  /** An object of any other kind. */
  | { readonly kind: "object"; readonly members: readonly string[] }
  /** No JSON; its row is rejected when it is imported. */
  | { readonly kind: "broken" };

/** What an array has. */
export type ArrayElements =
  | { readonly kind: ScalarValueKind | "empty" | "mixed" }
  /** Arrays of numbers of one length. */
  | { readonly kind: "vectors"; readonly dimensions: number };

const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);
const UINT64_MAX = 2n ** 64n - 1n;

const INTEGER = /^-?(?:0|[1-9]\d*)$/;
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
/** A date alone stays a string: what is meant may be a birthday. */
const FULL_DATETIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** The kind of a value of a JSON text. */
export function kindOfJson(text: string): ValueKind {
  if (text === "null") return { kind: "null" };
  if (text === "true" || text === "false") return { kind: "bool" };
  const first = text[0];
  if (first === "-" || (first >= "0" && first <= "9")) return kindOfNumber(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: "broken" };
  }
  if (typeof value === "string") return kindOfString(value);
  if (Array.isArray(value)) return kindOfArray(value);
  return kindOfObject(value as Record<string, unknown>);
}

/** The kind of a cell of a table of texts. An empty text tells nothing of its column's type. */
export function kindOfText(text: string | undefined): ValueKind {
  if (text === undefined || text === "") return { kind: "null" };
  if (/^(?:true|false)$/i.test(text)) return changed("bool", text, text.toLowerCase());
  if (DECIMAL.test(text) && !isCode(text)) {
    if (INTEGER.test(text)) return kindOfNumber(text);
    return changed("float", text, floatText(Number(text)));
  }
  if (text.startsWith("[") || text.startsWith("{")) {
    const inner = kindOfJson(text);
    if (inner.kind === "array" || inner.kind === "sparse") return inner;
  }
  return { ...kindOfString(text), look: lookOf(text) };
}

/** `String` drops the sign of zero. */
function floatText(value: number): string {
  return Object.is(value, -0) ? "-0" : String(value);
}

function changed(kind: ScalarValueKind, text: string, becomes: string): ScalarValue {
  return becomes === text ? { kind } : { kind, becomes };
}

/** The kind of a value of a binary table, where its type says less than its length. */
export function kindOfList(values: ArrayLike<unknown>): ValueKind {
  return kindOfArray(Array.from(values));
}

function kindOfNumber(text: string): ValueKind {
  if (!DECIMAL.test(text)) return { kind: "broken" };
  if (!INTEGER.test(text)) return { kind: "float", becomes: roundedDigits(text) };
  return kindOfInteger(BigInt(text));
}

/** The kind of an integer. */
export function kindOfInteger(value: bigint): ValueKind {
  if (value >= INT64_MIN && value <= INT64_MAX) return { kind: "int" };
  if (value >= 0n && value <= UINT64_MAX) return { kind: "uint" };
  return { kind: keepsInteger(value) ? "float" : "wide" };
}

/** The kind of a text of a typed column, or of JSON. */
export function kindOfString(text: string): ScalarValue {
  const uuid = text.length >= 32 ? parseUuid(text) : undefined;
  if (uuid !== undefined) return changed("uuid", text, uuid);
  const ms = FULL_DATETIME.test(text) ? parseDatetime(text) : undefined;
  if (typeof ms === "bigint") return changed("datetime", text, formatDatetime(ms));
  const isBase64 = text.length > 0 && text.length % 4 === 0 && BASE64.test(text);
  const long = longText(text);
  if (!isBase64) return { kind: "string", long };
  return { kind: "string", base64Bytes: Buffer.byteLength(text, "base64"), long };
}

/** A character has at most 3 bytes for each of its UTF-16 units. */
function longText(text: string): LongText | undefined {
  if (text.length * 3 <= FILTERABLE_VALUE_BYTES_MAX) return undefined;
  if (Buffer.byteLength(text) <= FILTERABLE_VALUE_BYTES_MAX) return undefined;
  return /\s/.test(text) ? "words" : "bytes";
}

function kindOfArray(values: readonly unknown[]): ValueKind {
  const texts = values.filter((value) => typeof value === "string");
  const long = texts.map(longText).find((one) => one !== undefined);
  return { kind: "array", length: values.length, elements: elementsOf(values), long };
}

function elementsOf(values: readonly unknown[]): ArrayElements {
  if (values.length === 0) return { kind: "empty" };
  const [first] = values;
  if (Array.isArray(first) || first instanceof Float32Array) {
    const isVectors = values.every(
      (value) => isNumbers(value) && value.length === first.length && value.length > 0,
    );
    return isVectors ? { kind: "vectors", dimensions: first.length } : { kind: "mixed" };
  }
  const kinds = new Set(values.map(kindOfElement));
  if (kinds.size === 1) return { kind: kindOfElement(first) };
  const isNumeric = [...kinds].every((kind) => kind === "int" || kind === "float");
  return { kind: isNumeric ? "float" : "mixed" };
}

function isNumbers(value: unknown): value is ArrayLike<number> {
  if (value instanceof Float32Array) return true;
  return Array.isArray(value) && value.every((one) => typeof one === "number");
}

function kindOfElement(value: unknown): ScalarValueKind | "mixed" {
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "number":
      return Number.isInteger(value) ? "int" : "float";
    case "bigint":
      return "int";
    case "string":
      return "string";
    default:
      return value instanceof DecimalCell ? "float" : "mixed";
  }
}

function kindOfObject(value: Record<string, unknown>): ValueKind {
  const members = Object.keys(value);
  const isSparse = members.length > 0 && members.every((name) => typeof value[name] === "number");
  return isSparse ? { kind: "sparse" } : { kind: "object", members };
}
