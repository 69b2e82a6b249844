/** Operands of filters and ranking expressions: from JSON to typed values, without loss. */

import { clip, clipName } from "../../base/bounded-text.ts";
import { type DatabaseError, invalid } from "../../base/errors.ts";
import type { ScalarKind } from "../../model/attribute-type.ts";
import { parseDatetime } from "../../model/datetime.ts";
import { isJsonNumbers, type JsonValue, jsonElements } from "../../model/json-value.ts";
import { parseUuid } from "../../model/uuid.ts";
import type { ScalarValue } from "../../model/value.ts";

const INT_MIN = -(2n ** 63n);
const INT_END = 2n ** 63n;
const UINT_END = 2n ** 64n;

/**
 * The operand as a value of the type, or undefined if it is none. Numbers fit whichever numeric
 * type can hold them: `5.0` is an int, `5.5` is not. An integer becomes the nearest float, as in
 * writes.
 */
export function scalarOperand(
  value: JsonValue,
  kind: ScalarKind | "unknown",
): ScalarValue | undefined {
  switch (kind) {
    case "string":
      return typeof value === "string" ? value : undefined;
    case "bool":
      return typeof value === "boolean" ? value : undefined;
    case "uuid":
      return typeof value === "string" ? parseUuid(value) : undefined;
    case "datetime":
      return datetimeOperand(value);
    case "float":
      return typeof value === "bigint" || typeof value === "number" ? Number(value) : undefined;
    case "int":
      return integerOperand(value, INT_MIN, INT_END);
    case "uint":
      return integerOperand(value, 0n, UINT_END);
    case "unknown":
      return isScalar(value) ? value : undefined;
  }
}

/** The elements of an array, in whichever form the reader left it; undefined if it is no array. */
export function listOperand(value: JsonValue): readonly JsonValue[] | undefined {
  if (Array.isArray(value)) return value;
  return isJsonNumbers(value) ? jsonElements(value) : undefined;
}

/** Builds the error for an operand of the wrong type; `expected` is a type or `T or []T`. */
export function typeMismatch(
  attribute: string,
  operator: string,
  expected: string,
  operand: JsonValue,
): DatabaseError {
  return filterFault(
    attribute,
    `type mismatch, ${operator} expects ${expected}, but got ${printOperand(operand)}`,
  );
}

/** Builds the error for a filter condition on an attribute. */
export function filterFault(attribute: string, fault: string): DatabaseError {
  return invalid(`filter error in key \`${clipName(attribute)}\`: ${fault}`);
}

/** Prints an operand for a message: `'1'`, `'[a, b]'`. */
export function printOperand(value: JsonValue): string {
  return `'${print(value)}'`;
}

/** Longest operand that messages quote, in characters. */
const PRINTED_CHARS_MAX = 200;

function print(value: JsonValue): string {
  const list = listOperand(value);
  const text =
    list !== undefined
      ? `[${list.slice(0, PRINTED_CHARS_MAX).map(print).join(", ")}]`
      : value instanceof Map
        ? "object"
        : String(value);
  return clip(text, PRINTED_CHARS_MAX);
}

function integerOperand(value: JsonValue, min: bigint, end: bigint): bigint | undefined {
  if (typeof value === "number" && Number.isInteger(value)) value = BigInt(value);
  if (typeof value !== "bigint" || value < min || value >= end) return undefined;
  return value;
}

function datetimeOperand(value: JsonValue): bigint | undefined {
  if (typeof value !== "string") return undefined;
  const parsed = parseDatetime(value);
  return typeof parsed === "bigint" ? parsed : undefined;
}

function isScalar(value: JsonValue): value is ScalarValue {
  return ["string", "bigint", "number", "boolean"].includes(typeof value);
}
