/**
 * Where in a body its members stand, for faults that are found only after the body was read: they
 * know their path, and are told the line and column of the top-level member that it starts with.
 */

import { DatabaseError, isDatabaseError } from "../../base/errors.ts";
import type { JsonValue } from "../../model/json-value.ts";
import type { JsonForm } from "../json/json-form.ts";
import { JsonReader } from "../json/json-reader.ts";
import type { UnknownMembers } from "../json/unknown-members.ts";

/** What is read of a body, and who hears of the rest. */
export interface BodyOptions {
  readonly form: JsonForm;
  readonly unknown: UnknownMembers;
}

/** Finds the words for a member's place, as in `at line 1 column 17`. */
export type PlaceOf = (member: string) => string | undefined;

const PLACED = /at line \d+ column \d+$/;

/** Runs `read`; a fault of the shape of a value gets its place, unless it has one. */
export function withPlaces<T>(placeOf: PlaceOf, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!isDatabaseError(error, "malformed")) throw error;
    const { path, hint } = error;
    const end = hint === undefined ? undefined : -`; ${hint}`.length;
    const message = error.message.slice(0, end);
    if (PLACED.test(message)) throw error;
    const member = /^[^.[]+/.exec(path ?? "")?.[0];
    const place = member === undefined ? undefined : placeOf(member);
    if (place === undefined) throw error;
    throw new DatabaseError(error.code, `${message} ${place}`, { path, hint });
  }
}

/**
 * Parses a whole body as far as its form knows it, and reads its root. Faults of shape cost a
 * second pass.
 */
export function readJsonBody<T>(
  body: Uint8Array,
  { form, unknown }: BodyOptions,
  read: (root: JsonValue) => T,
): T {
  const reader = readerOf(body);
  const root = reader.readKnown(form, unknown);
  reader.finish();
  return withPlaces(
    (member) => findMember(body, member),
    () => read(root),
  );
}

function findMember(body: Uint8Array, member: string): string | undefined {
  const reader = readerOf(body);
  if (reader.peekKind() !== "object") return undefined;
  reader.beginObject();
  const wanted = new Set([member]);
  for (;;) {
    const name = reader.nextKnownKey(wanted);
    if (name === undefined) return undefined;
    if (name === member) return reader.where();
    reader.skipValue();
  }
}

function readerOf(body: Uint8Array): JsonReader {
  const reader = new JsonReader();
  reader.push(body);
  reader.end();
  return reader;
}
