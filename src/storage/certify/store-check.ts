import { DatabaseError, isDatabaseError } from "../../base/errors.ts";
import type { Random } from "../../base/random.ts";
import { IF_ABSENT, type ObjectKey, type ObjectStore, objectKey } from "../object-store.ts";
import { faultOfRace, racePuts } from "./put-race.ts";

/** Conditional puts that race in one round of the probe at the start. */
const STORE_PROBE_RACERS = 16;
/** Rounds of that race; stores that check first and write later fail in most rounds. */
const STORE_PROBE_ROUNDS = 3;
/** Tries to see the conflict of a put that must lose, while the store fails. */
const STORE_PROBE_ATTEMPTS_MAX = 5;

/** What `checkStore` needs. */
export interface StoreCheck {
  /** Repeats what may be repeated, since a fault of the moment must not look like a broken promise. */
  readonly store: ObjectStore;
  /** How messages name it. */
  readonly name: string;
  readonly random: Random;
}

/**
 * Looks for a second or so whether a store keeps the promises that everything rests on. Throws
 * `invalid`, naming the store and the promise, if it breaks one, and what the store throws if it
 * cannot be used at all. Leaves nothing behind; `trawl certify` looks longer.
 */
export async function checkStore({ store, name, random }: StoreCheck): Promise<void> {
  const folder = `probe/${Buffer.from(random.bytes(8)).toString("hex")}`;
  const keys = Array.from({ length: STORE_PROBE_ROUNDS }, (_, round) =>
    objectKey(`${folder}/race-${round}`),
  );
  try {
    // Wrong settings show here, in a message of their own.
    await store.get(keys[0]);
    for (const key of keys) await checkRace(store, key);
    await checkStale(store, keys[0]);
    await checkReads(store, folder, keys);
    await checkDeletes(store, folder, keys);
  } catch (error) {
    if (!(error instanceof BrokenPromise)) throw error;
    const fix = "choose a store that keeps it; `trawl certify` tells more";
    throw new DatabaseError("invalid", `cannot use ${name}: ${error.message}; ${fix}`);
  } finally {
    // What cannot be removed is some bytes of garbage, and the error above is the news.
    await Promise.all(keys.map((key) => store.delete(key).catch(() => undefined)));
  }
}

class BrokenPromise extends Error {}

/** Of conditional puts at once, one is written. */
async function checkRace(store: ObjectStore, key: ObjectKey): Promise<void> {
  const race = await racePuts(store, key, STORE_PROBE_RACERS);
  const fault = faultOfRace(race);
  if (fault !== undefined) {
    throw new BrokenPromise(`it does not decide races of conditional puts (${fault})`);
  }
  if (race.found === undefined) throw race.unknown[0].error; // Not one came through.
}

/** A conditional put on an object that is there long since conflicts, and changes nothing. */
async function checkStale(store: ObjectStore, key: ObjectKey): Promise<void> {
  const before = Buffer.from((await store.get(key)) ?? []);
  const isLost = await losesPut(store, key);
  const after = Buffer.from((await store.get(key)) ?? []);
  if (!isLost || !before.equals(after)) {
    throw new BrokenPromise("it ignores the condition of a put, so a late writer would overwrite");
  }
}

/** Tells whether the put conflicts; one whose outcome stays open is sent again. */
async function losesPut(store: ObjectStore, key: ObjectKey): Promise<boolean> {
  for (let tried = 1; ; tried++) {
    try {
      const outcome = await store.put(key, new Uint8Array(0), IF_ABSENT);
      return outcome.kind === "conflict";
    } catch (error) {
      const isOpen = isDatabaseError(error, "unavailable", "overloaded");
      if (!isOpen || tried === STORE_PROBE_ATTEMPTS_MAX) throw error;
    }
  }
}

/** Lists and ranges show what was put. */
async function checkReads(
  store: ObjectStore,
  folder: string,
  keys: readonly ObjectKey[],
): Promise<void> {
  const page = await store.list({ prefix: `${folder}/`, limit: keys.length + 1 });
  if (page.keys.join() !== keys.join() || page.truncated) {
    throw new BrokenPromise(`its listing does not show what was put (${page.keys.length} keys)`);
  }
  const rest = await store.list({ prefix: `${folder}/`, startAfter: keys[0], limit: 1 });
  if (rest.keys.join() !== keys[1] || !rest.truncated) {
    throw new BrokenPromise("its listing does not go on after a key that it is told");
  }
  const range = await store.getRange(keys[0], 2, 6);
  if (Buffer.from(range ?? []).toString("utf8") !== "cer ") {
    throw new BrokenPromise("it does not read ranges of objects");
  }
}

/** Nothing shows what was deleted. */
async function checkDeletes(
  store: ObjectStore,
  folder: string,
  keys: readonly ObjectKey[],
): Promise<void> {
  await Promise.all(keys.map((key) => store.delete(key)));
  const page = await store.list({ prefix: `${folder}/`, limit: 1 });
  if (page.keys.length > 0 || (await store.get(keys[0])) !== undefined) {
    throw new BrokenPromise("it still shows an object after it was deleted");
  }
}
