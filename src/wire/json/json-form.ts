/** What is known of a value's form before it is read, so that nothing else of it is built. */

import type { DatabaseError } from "../../base/errors.ts";
import type { JsonValue } from "../../model/json-value.ts";

/**
 * What to read of a value. A form refuses nothing by its kind: what is there instead of what was
 * expected is read, too, for who checks it.
 */
export interface JsonForm {
  /** An object's members by name; all others are passed over, and noted. Absent: see `values`. */
  readonly members?: ReadonlyMap<string, JsonForm>;
  /** Of an object whose names are the user's: the form of each member; by default, anything. */
  readonly values?: JsonForm;
  /** Members that such an object may have. */
  readonly valuesMax?: number;
  /** The form of the element that follows those `before` it in an array; by default, anything. */
  readonly next?: (before: readonly JsonValue[]) => JsonForm;
  /** Elements that an array may have. */
  readonly elementsMax?: number;
  /** Whether an array may be long: its numbers, strings, booleans and nulls are not counted. */
  readonly isList?: boolean;
  /** Bytes of JSON that a string may have; by default `JSON_STRING_BYTES_MAX`. */
  readonly stringBytesMax?: number;
  /** How many numbers such an array may have, and the error for more. */
  readonly numbersMax?: {
    readonly count: number;
    readonly refuse: (path: string, count: number) => DatabaseError;
  };
}

/** Anything, read whole. */
export const ANY_FORM: JsonForm = {};

/** The form of an object with no members but these. */
export function objectForm(members: Readonly<Record<string, JsonForm>>): JsonForm {
  return { members: new Map(Object.entries(members)) };
}
