/** Looks into JSON that comes from anywhere. */

import { clip } from "../base/bounded-text.ts";
import { invalid } from "../base/errors.ts";

/** An object of JSON. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** Whether a value is an object. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Parses an object. Throws `invalid`, which names `what`. */
export function parseRecord(text: string, what: string): JsonRecord {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalid(`${what} is no JSON: ${error instanceof Error ? error.message : error}`);
  }
  if (!isRecord(value)) throw invalid(`${what} must be a JSON object`);
  return value;
}

/** A member that must be a string. Throws `invalid`, which names `what` has it. */
export function textOf(json: JsonRecord, name: string, what: string): string {
  const value = json[name];
  if (typeof value === "string") return value;
  throw invalid(`\`${name}\` of ${what} must be a string, was ${quoted(value)}`);
}

/** What a message repeats of a value. */
export function quoted(value: unknown): string {
  try {
    return clip(JSON.stringify(value) ?? "undefined");
  } catch {
    // To write JSON takes a stack as deep as its arrays; to read it does not.
    return "nested too deeply";
  }
}
