/**
 * Shape checks of parsed JSON: each returns the value in the form asked for, or throws `malformed`
 * with the path and, as far as they are public, the contract's words.
 */

import { clip, clipName, hasMoreCodePoints } from "../../base/bounded-text.ts";
import { type DatabaseError, invalid, malformed } from "../../base/errors.ts";
import { similarName } from "../../base/nearest-name.ts";
import { RESULT_NAME_CHARS_MAX } from "../../model/contract-limits.ts";
import {
  isJsonNumbers,
  type JsonObject,
  type JsonValue,
  jsonElements,
} from "../../model/json-value.ts";

/** Longest name of an embedding model, in UTF-16 units; our choice. */
export const EMBEDDING_MODEL_CHARS_MAX = 256;

/** The member's value; undefined where it is absent or null, which mean the same. */
export function present(object: JsonObject, name: string): JsonValue | undefined {
  return object.get(name) ?? undefined;
}

/** The path of a member of the value at `path`. */
export function memberPath(path: string, name: string): string {
  const shown = clipName(name);
  if (!/^[\w$-]+$/.test(shown)) return `${path}[${JSON.stringify(shown)}]`;
  return path === "" ? shown : `${path}.${shown}`;
}

/** The elements of an array in either of its forms; undefined for anything else. */
export function elementsOf(value: JsonValue): readonly JsonValue[] | undefined {
  if (Array.isArray(value)) return value;
  return isJsonNumbers(value) ? jsonElements(value) : undefined;
}

/** Whether the value is a single number, in integer syntax or not. */
export function isNumber(value: JsonValue): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

/** Checks for an object. */
export function objectAt(path: string, value: JsonValue, expected = "a map"): JsonObject {
  if (value instanceof Map) return value;
  throw wrongType(path, value, expected);
}

/** Checks for an array. */
export function arrayAt(
  path: string,
  value: JsonValue,
  expected = "a sequence",
): readonly JsonValue[] {
  const elements = elementsOf(value);
  if (elements) return elements;
  throw wrongType(path, value, expected);
}

/** Checks for a string. */
export function stringAt(path: string, value: JsonValue, expected = "a string"): string {
  if (typeof value === "string") return value;
  throw wrongType(path, value, expected);
}

/** Checks for the name of an embedding model, of whatever service. */
export function modelNameAt(path: string, value: JsonValue): string {
  const name = stringAt(path, value);
  if (name.length <= EMBEDDING_MODEL_CHARS_MAX) return name;
  throw invalid(
    `💔 ${path}: the name of a model has at most ${EMBEDDING_MODEL_CHARS_MAX} characters, ` +
      `got ${name.length}`,
  );
}

/** Checks the length of a name that a query gives to a member of its answer. */
export function checkResultName(path: string, name: string): void {
  if (!hasMoreCodePoints(name, RESULT_NAME_CHARS_MAX)) return;
  throw invalid(`💔 ${path}: the name of a result has at most ${RESULT_NAME_CHARS_MAX} characters`);
}

/** Checks for an array of strings. */
export function stringsAt(path: string, value: JsonValue): string[] {
  return arrayAt(path, value).map((element, i) => stringAt(`${path}[${i}]`, element));
}

/** Checks for a boolean. */
export function booleanAt(path: string, value: JsonValue): boolean {
  if (typeof value === "boolean") return value;
  throw wrongType(path, value, "a boolean");
}

/** Checks for a number of either syntax; integers beyond 2^53 are rounded. */
export function numberAt(path: string, value: JsonValue): number {
  if (isNumber(value)) return Number(value);
  throw wrongType(path, value, "a number");
}

/** Checks for a non-negative integer in integer syntax; those beyond 2^53 are rounded. */
export function countAt(path: string, value: JsonValue): number {
  if (typeof value !== "bigint") throw wrongType(path, value, "a non-negative integer");
  if (value >= 0n) return Number(value);
  throw malformed(path, `invalid value: integer \`${value}\`, expected a non-negative integer`);
}

/** Checks for one of a fixed set of strings. */
export function variantAt<T extends string>(
  path: string,
  value: JsonValue,
  variants: readonly T[],
): T {
  const name = stringAt(path, value);
  const found = variants.find((variant) => variant === name);
  if (found !== undefined) return found;
  const similar = similarName(clip(name), variants);
  throw malformed(
    path,
    `unknown variant \`${clip(name)}\`, expected ${listVariants(variants)}`,
    similar === undefined ? undefined : `did you mean \`${similar}\`?`,
  );
}

/** Builds the error for a value of the wrong JSON type. */
export function wrongType(
  path: string,
  value: JsonValue,
  expected: string,
  hint?: string,
): DatabaseError {
  return malformed(path, `invalid type: ${describeJson(value)}, expected ${expected}`, hint);
}

/** Builds the error for a member that must be there. */
export function missingMember(path: string, name: string): DatabaseError {
  return malformed(path, `missing field \`${name}\``);
}

/** Names a value in messages; scalars with their (clipped) value. */
export function describeJson(value: JsonValue): string {
  if (value === null) return "null";
  if (typeof value === "string") return `string ${JSON.stringify(clip(value))}`;
  if (typeof value === "bigint") return `integer \`${clip(String(value))}\``;
  if (typeof value === "number") return `floating point \`${formatNumber(value)}\``;
  if (typeof value === "boolean") return `boolean \`${value}\``;
  return value instanceof Map ? "map" : "sequence";
}

/** The end of a message: the name that was probably meant, or all that would have been valid. */
export function didYouMean(name: string, candidates: readonly string[]): string {
  const similar = similarName(clip(name), candidates);
  if (similar !== undefined) return `, did you mean "${similar}"?`;
  return `, expected ${candidates.length > 1 ? "one of " : ""}${candidates.join(", ")}`;
}

function listVariants(variants: readonly string[]): string {
  const quoted = variants.map((variant) => `\`${variant}\``);
  return quoted.length === 2 ? quoted.join(" or ") : `one of ${quoted.join(", ")}`;
}

/** Keeps `1.0` from looking like the integer that it is not. */
function formatNumber(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e21 ? value.toFixed(1) : String(value);
}
