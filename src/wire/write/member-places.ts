/**
 * Where in a body its members stand, for faults that are found only after the body was read: they
 * know their path, and are told the line and column of the top-level member that it starts with.
 */

import { DatabaseError, isDatabaseError } from "../../base/errors.ts";
import type { JsonValue } from "../../model/json-value.ts";
import { JsonReader, parseJson } from "../json/json-reader.ts";

/** Finds the words for a member's place, as in `at line 1 column 17`. */
export type PlaceOf = (member: string) => string | undefined;

const PLACED = /at line \d+ column \d+$/;

/** Runs `read`; a fault of the shape of a value gets its place, unless it has one. */
export function withPlaces<T>(placeOf: PlaceOf, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!isDatabaseError(error, "malformed") || PLACED.test(error.message)) throw error;
    const { path } = error;
    const member = /^[^.[]+/.exec(path ?? "")?.[0];
    const place = member === undefined ? undefined : placeOf(member);
    if (place === undefined) throw error;
    throw new DatabaseError(error.code, `${error.message} ${place}`, { path });
  }
}

/** Parses a whole body and reads its root. Faults of shape cost a second pass. */
export function readJsonBody<T>(body: Uint8Array, read: (root: JsonValue) => T): T {
  const root = parseJson(body);
  return withPlaces(
    (member) => findMember(body, member),
    () => read(root),
  );
}

function findMember(body: Uint8Array, member: string): string | undefined {
  const reader = new JsonReader();
  reader.push(body);
  reader.end();
  if (reader.peekKind() !== "object") return undefined;
  reader.beginObject();
  for (let name = reader.nextKey(); name !== undefined; name = reader.nextKey()) {
    if (name === member) return reader.where();
    reader.skipValue();
  }
  return undefined;
}
