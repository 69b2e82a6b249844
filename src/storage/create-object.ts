/** Objects that are created if absent, also where the store's answers leave their fate open. */

import type { Clock } from "../base/clock.ts";
import { clientMessageOf, DatabaseError, isDatabaseError } from "../base/errors.ts";
import type { Random } from "../base/random.ts";
import {
  IF_ABSENT,
  type ObjectBody,
  type ObjectKey,
  type ObjectStore,
  type PutOutcome,
} from "./object-store.ts";
import { isTransient, retryDelayMs } from "./retrying-object-store.ts";

/** Tries to create one object. */
export const CREATE_ATTEMPTS_MAX = 6;

/** Random bytes of an object by which it is known again: enough to never repeat. */
export const NONCE_BYTES = 16;

/** What objects are created with. */
export interface CreateOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Puts an object if absent, again where it stays open whether it was written: it is written now, or
 * there is a conflict, and what `onConflict` makes of the object that is there is the answer. Only
 * bytes that no other object has tell whose it is; with `tried` 1 it is another's. Throws
 * `unavailable` if the outcome stays unknown: the object may be there. Throws `PutRefused` where
 * the store has refused each try.
 */
export async function createObject<T>(
  { key, object }: { readonly key: ObjectKey; readonly object: ObjectBody },
  onConflict: (tried: number) => Promise<T>,
  { store, clock, random }: CreateOptions,
): Promise<Extract<PutOutcome, { kind: "written" }> | T> {
  let cause: unknown;
  let isOpen = false;
  for (let tried = 1; tried <= CREATE_ATTEMPTS_MAX; tried++) {
    let outcome: PutOutcome | undefined;
    try {
      outcome = await store.put(key, object, IF_ABSENT);
      return outcome.kind === "written" ? outcome : await onConflict(tried);
    } catch (error) {
      if (!isTransient(error)) throw error;
      isOpen ||= outcome === undefined && !isDatabaseError(error, "overloaded");
      cause = error;
    }
    if (tried < CREATE_ATTEMPTS_MAX) await clock.sleep(retryDelayMs(tried, random));
  }
  const reason = cause instanceof Error ? cause.message : String(cause);
  const what = `cannot commit ${key} in ${CREATE_ATTEMPTS_MAX} tries`;
  if (!isOpen && isDatabaseError(cause, "overloaded")) throw new PutRefused(what, cause);
  const told = clientMessageOf(cause);
  const clientMessage = told && `${told}; the write may have taken effect`;
  throw new DatabaseError("unavailable", `${what}, but it may be there: ${reason}`, {
    cause,
    clientMessage,
  });
}

/** The store has asked for fewer requests each time, so that the object is not there. */
export class PutRefused extends DatabaseError {
  constructor(what: string, cause: DatabaseError) {
    const { retryAfterMs } = cause;
    super("overloaded", `${what}: ${cause.message}`, {
      cause,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    });
  }
}
