/** What kind of value a sampled text is, for the inference of types. */

import { parseDatetime } from "../../model/datetime.ts";
import { parseUuid } from "../../model/uuid.ts";

/** Kinds of values. A string that is a UUID or a datetime is only that. */
export type ScalarValueKind = "bool" | "int" | "uint" | "float" | "string" | "uuid" | "datetime";

/** What one value is. */
export type ValueKind =
  | { readonly kind: "null" }
  /** `byteCount` of a string that is base64. */
  | { readonly kind: ScalarValueKind; readonly base64Bytes?: number }
  | { readonly kind: "array"; readonly length: number; readonly elements: ArrayElements }
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
  if (/^(?:true|false)$/i.test(text)) return { kind: "bool" };
  if (INTEGER.test(text)) return kindOfNumber(text);
  // Digits after a zero are a code, and no number.
  if (DECIMAL.test(text) && !/^[+-]?0\d/.test(text)) return { kind: "float" };
  if (text.startsWith("[") || text.startsWith("{")) {
    const inner = kindOfJson(text);
    if (inner.kind === "array" || inner.kind === "sparse") return inner;
  }
  return kindOfString(text);
}

/** The kind of a value of a binary table, where its type says less than its length. */
export function kindOfList(values: ArrayLike<unknown>): ValueKind {
  return kindOfArray(Array.from(values));
}

function kindOfNumber(text: string): ValueKind {
  if (!INTEGER.test(text)) return DECIMAL.test(text) ? { kind: "float" } : { kind: "broken" };
  const value = BigInt(text);
  if (value >= INT64_MIN && value <= INT64_MAX) return { kind: "int" };
  return { kind: value >= 0n && value <= UINT64_MAX ? "uint" : "float" };
}

function kindOfString(text: string): ValueKind {
  if (text.length >= 32 && parseUuid(text) !== undefined) return { kind: "uuid" };
  if (FULL_DATETIME.test(text) && typeof parseDatetime(text) === "bigint") {
    return { kind: "datetime" };
  }
  const isBase64 = text.length > 0 && text.length % 4 === 0 && BASE64.test(text);
  if (!isBase64) return { kind: "string" };
  return { kind: "string", base64Bytes: Buffer.byteLength(text, "base64") };
}

function kindOfArray(values: readonly unknown[]): ValueKind {
  return { kind: "array", length: values.length, elements: elementsOf(values) };
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
      return "mixed";
  }
}

function kindOfObject(value: Record<string, unknown>): ValueKind {
  const members = Object.keys(value);
  const isSparse = members.length > 0 && members.every((name) => typeof value[name] === "number");
  return isSparse ? { kind: "sparse" } : { kind: "object", members };
}
