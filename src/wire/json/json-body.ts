/**
 * Reads whole bodies of JSON. A fault that is found only after a body was read knows its path; its
 * message gets the line and column of the top-level member that the path starts with.
 */

import { KIB } from "../../base/byte-sizes.ts";
import { DatabaseError, isDatabaseError } from "../../base/errors.ts";
import type { Steps } from "../../base/steps.ts";
import type { JsonValue } from "../../model/json-value.ts";
import type { JsonForm } from "./json-form.ts";
import { JsonReader } from "./json-reader.ts";
import type { UnknownMembers } from "./unknown-members.ts";

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
    const member = unplacedMember(error);
    throw member === undefined ? error : placed(error, placeOf(member));
  }
}

/** The member whose place the fault lacks; undefined if it needs none. */
function unplacedMember(error: unknown): string | undefined {
  if (!isDatabaseError(error, "malformed") || PLACED.test(messageOf(error))) return undefined;
  return /^[^.[]+/.exec(error.path ?? "")?.[0];
}

/** Without its hint. */
function messageOf({ message, hint }: DatabaseError): string {
  return message.slice(0, hint === undefined ? undefined : -`; ${hint}`.length);
}

function placed(error: unknown, place: string | undefined): unknown {
  if (place === undefined || !(error instanceof DatabaseError)) return error;
  const { code, path, hint } = error;
  return new DatabaseError(code, `${messageOf(error)} ${place}`, { path, hint });
}

/**
 * Parses a whole body as far as its form knows it, and reads its root; in steps, but for what
 * `read` does. Faults of shape cost a second pass.
 */
export function* readJsonBody<T>(
  body: Uint8Array,
  { form, unknown }: BodyOptions,
  read: (root: JsonValue) => T,
): Steps<T> {
  const reader = yield* readerOf(body);
  const root = yield* reader.readKnownInSteps(form, unknown);
  yield* reader.inSteps(() => reader.finish());
  try {
    return read(root);
  } catch (error) {
    const member = unplacedMember(error);
    throw member === undefined ? error : placed(error, yield* findMember(body, member));
  }
}

/** Checks the syntax of a whole body, in steps. */
export function* skipJson(body: Uint8Array): Steps<void> {
  const reader = yield* readerOf(body);
  yield* passValue(reader);
  yield* reader.inSteps(() => reader.finish());
}

function* passValue(reader: JsonReader): Steps<void> {
  const skip = reader.beginSkip();
  while (!(yield* reader.inSteps(() => skip.step(SKIPPED_BYTES)))) {
    reader.countLines();
    yield;
  }
}

function* findMember(body: Uint8Array, member: string): Steps<string | undefined> {
  const reader = yield* readerOf(body);
  if ((yield* reader.inSteps(() => reader.peekKind())) !== "object") return undefined;
  reader.beginObject();
  const wanted = new Set([member]);
  for (;;) {
    const name = yield* reader.inSteps(() => reader.nextKnownKey(wanted));
    if (name === undefined) return undefined;
    if (name === member) return yield* reader.inSteps(() => reader.where());
    yield* passValue(reader);
  }
}

/** Bytes that are copied, or passed over, between two pauses: some nanoseconds each, or less. */
const COPIED_BYTES = 256 * KIB;
const SKIPPED_BYTES = 16 * KIB;

function* readerOf(body: Uint8Array): Steps<JsonReader> {
  const reader = new JsonReader({ bodyBytes: body.length, mayPause: true });
  for (let start = 0; start < body.length; start += COPIED_BYTES) {
    if (start > 0) yield;
    reader.push(body.subarray(start, start + COPIED_BYTES));
  }
  reader.end();
  return reader;
}
