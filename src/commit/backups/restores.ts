/**
 * Restores: the objects of a backup become a namespace. Segments go back under their own keys, to
 * which their bytes are bound, and the new namespace shares them with the generation that they are
 * of, which may be deleted; so they are pinned for it before they come. The manifest, the log and
 * tombstones are put where only the restore reads them, and go in the end. While objects come the
 * new generation is announced as a copy's is, so that a collector leaves all of it alone, and a
 * stop leaves nothing. It exists when all objects were checked and its first entry is committed.
 */

import { createHash, type Hash } from "node:crypto";
import { DatabaseError, invalid, isDatabaseError } from "../../base/errors.ts";
import type { Random } from "../../base/random.ts";
import type { RestoreRequest } from "../../model/backup.ts";
import { EVERY_NAMESPACE } from "../../model/namespace-pattern.ts";
import { newPins, putPins } from "../../namespace/segments/segment-pins.ts";
import { checkStoredSegment } from "../../segment/segment-objects.ts";
import { type NamespaceGeneration, restoreKey } from "../../storage/object-keys.ts";
import { ALWAYS, type ObjectKey, type ObjectStore } from "../../storage/object-store.ts";
import { type OpenPointOptions, openPoint } from "../checkpoints/open-point.ts";
import type { NamespaceOptions } from "../opened/namespace-options.ts";
import { planRestore, type RestoredObject, type RestorePlan } from "./restore-target.ts";

/** How long a restore waits for its next object before it is taken back. */
export const RESTORE_IDLE_MS = 3_600_000;
/** How often restores are looked at that nobody goes on with. */
const RESTORE_SWEEP_MS = 60_000;
/** Objects that are looked at together. */
const LOOKS_AT_ONCE = 16;
/** Restores under way; each may have one object in memory, of up to a GiB. */
const RESTORES_MAX = 2;

/** What restores need. */
export interface RestoreOptions extends Omit<OpenPointOptions, "progress" | "region" | "visible"> {
  readonly namespaceOptions: OpenPointOptions["namespaceOptions"] & Pick<NamespaceOptions, "log">;
  /** As it is stored: encrypted objects stay encrypted. */
  readonly store: ObjectStore;
}

/** Bytes of the object that is arriving. */
interface Arrival {
  readonly number: number;
  readonly pieces: Uint8Array[];
  readonly hash: Hash;
  bytes: number;
}

interface Restore {
  readonly plan: RestorePlan;
  readonly target: NamespaceGeneration;
  readonly pins: readonly ObjectKey[];
  /** By number of an object: true if it is there and complete. */
  readonly present: boolean[];
  arrival: Arrival | undefined;
  usedAtMs: number;
  /** A request of it is being answered. */
  isBusy: boolean;
}

/** All restores under way through this server. */
export class Restores {
  readonly #options: RestoreOptions;
  readonly #random: Random;
  readonly #restores = new Map<string, Restore>();
  readonly #beginning = new Set<string>();

  constructor(options: RestoreOptions) {
    this.#options = options;
    this.#random = options.namespaceOptions.random;
    options.namespaceOptions.clock.every(RESTORE_SWEEP_MS, () => void this.sweep());
  }

  /** Makes room for a namespace that does not exist; returns the restore's id. */
  async begin(request: RestoreRequest): Promise<string> {
    const plan = planRestore(request);
    if (this.#restores.size + this.#beginning.size >= RESTORES_MAX) {
      throw new DatabaseError(
        "overloaded",
        `💔 ${RESTORES_MAX} restores are under way; retry later, or end one with ` +
          "DELETE /trawl/restores/:id",
      );
    }
    // Two would put what they read themselves under the same keys.
    const isTaken = [...this.#restores.values()].some(({ plan: other }) => other.as === plan.as);
    if (isTaken || this.#beginning.has(plan.as)) {
      throw new DatabaseError("conflict", `💔 a restore of namespace '${plan.as}' is under way`);
    }
    this.#beginning.add(plan.as);
    try {
      return await this.#begin(plan);
    } finally {
      this.#beginning.delete(plan.as);
    }
  }

  async #begin(plan: RestorePlan): Promise<string> {
    const { catalog, store, namespaceOptions } = this.#options;
    for (const owner of plan.owners) await catalog.reserve(owner);
    if ((await catalog.findNewest(plan.as)) !== undefined) throw alreadyExists(plan);
    const target = await catalog.with(plan.as, async ({ generation }) => generation);
    await catalog.deletionIntents.beginCopy(target);
    const pins = newPins(plan.owners, target, this.#random);
    try {
      await putPins(store, pins);
    } catch (error) {
      await catalog.deletionIntents.endCopy(target, "open");
      throw error;
    }
    const id = Buffer.from(this.#random.bytes(8)).toString("hex");
    const usedAtMs = namespaceOptions.clock.monotonicMs();
    const state = {
      present: plan.objects.map(() => false),
      arrival: undefined,
      isBusy: false,
      usedAtMs,
    };
    this.#restores.set(id, { plan, target, pins, ...state });
    return id;
  }

  /** Tells whether an object is there already, whole; reads all of it. */
  isPresent(id: string, number: number): Promise<boolean> {
    return this.#during(id, async (restore) => {
      const object = objectOf(restore, number);
      if (restore.present[number]) return true;
      if (!object.isSegment || !(await this.#isSound(object))) return false;
      restore.present[number] = true;
      return true;
    });
  }

  /** Takes bytes of an object, from `start` on; answers how many have come of it. */
  take(
    id: string,
    number: number,
    part: { readonly start: number; readonly bytes: Uint8Array },
  ): Promise<number> {
    return this.#during(id, async (restore) => {
      const object = objectOf(restore, number);
      if (restore.present[number]) return object.bytes;
      const arrival = arrivalOf(restore, number, part.start);
      const end = part.start + part.bytes.length;
      if (part.start > 0 && end <= arrival.bytes) return arrival.bytes; // It was sent twice.
      const expected = Math.min(object.bytes, arrival.bytes + part.bytes.length);
      if (part.start !== arrival.bytes || arrival.bytes + part.bytes.length > expected) {
        throw invalid(
          `💔 object ${number} has ${object.bytes} bytes, of which ${arrival.bytes} have come: ` +
            `start must be ${arrival.bytes}, or 0 to send it anew`,
        );
      }
      arrival.pieces.push(part.bytes);
      arrival.hash.update(part.bytes);
      arrival.bytes = expected;
      if (expected < object.bytes) return expected;
      restore.arrival = undefined;
      await this.#put(restore, object, arrival);
      restore.present[number] = true;
      return object.bytes;
    });
  }

  /** Makes the namespace; answers how many documents it has. Whatever fails takes all back. */
  async finish(id: string): Promise<number> {
    const done = await this.#during(id, async (restore) => {
      const { objects } = restore.plan;
      const missing = restore.present.indexOf(false);
      if (missing >= 0) {
        const { key } = objects[missing];
        throw invalid(`💔 object ${missing} (${key}) has not come yet: send it, then finish`);
      }
      return restore;
    });
    this.#restores.delete(id);
    let outcome: "exists" | "taken back" = "taken back";
    try {
      const documentCount = await this.#open(done);
      outcome = "exists";
      return documentCount;
    } finally {
      await this.#end(done, outcome);
    }
  }

  /** Gives a restore up. */
  async cancel(id: string): Promise<void> {
    const restore = await this.#during(id, async (found) => found);
    this.#restores.delete(id);
    await this.#end(restore, "taken back");
  }

  /** Gives up the restores that nobody goes on with. */
  async sweep(): Promise<void> {
    const { clock, log } = this.#options.namespaceOptions;
    const nowMs = clock.monotonicMs();
    for (const [id, restore] of [...this.#restores]) {
      if (restore.isBusy || nowMs - restore.usedAtMs < RESTORE_IDLE_MS) continue;
      this.#restores.delete(id);
      const facts = { namespace: restore.plan.as, minutes: RESTORE_IDLE_MS / 60_000 };
      log("warn", "a restore was taken back that nobody went on with", facts);
      await this.#end(restore, "taken back").catch(() => {}); // The next start clears up.
    }
  }

  async #open({ plan, target }: Restore): Promise<number> {
    const { store } = this.#options;
    const own = new Map<ObjectKey, ObjectKey>();
    for (const [number, { key, isSegment }] of plan.objects.entries())
      if (!isSegment) own.set(key, restoreKey(target, number));
    const segments = plan.objects.filter(({ isSegment }) => isSegment).map(({ key }) => key);
    const { of, point } = plan;
    const { documentCount } = await openPoint(
      {
        of,
        point,
        objects: { own: [...own.keys()], segments },
        placeOf: (key) => own.get(key),
        isKept: () => areThere(store, segments),
      },
      plan.as,
      { ...this.#options, visible: [EVERY_NAMESPACE], progress: () => {} },
    );
    return documentCount;
  }

  /** Removes what only the restore reads. Segments that nobody needs are a collector's. */
  async #end({ plan, target, pins }: Restore, outcome: "exists" | "taken back"): Promise<void> {
    const { catalog, store } = this.#options;
    try {
      for (const [number, { isSegment }] of plan.objects.entries())
        if (!isSegment) await store.delete(restoreKey(target, number));
      for (const pin of pins) await store.delete(pin);
    } finally {
      await catalog.deletionIntents.endCopy(target, outcome);
    }
  }

  /** Puts an object that has come, unless a sound one is there: that is in use, and stays. */
  async #put(restore: Restore, object: RestoredObject, arrival: Arrival): Promise<void> {
    const { store } = this.#options;
    const { number, pieces, hash } = arrival;
    if (hash.digest("hex") !== object.sha256) {
      throw invalid(`💔 object ${number} (${object.key}) is damaged: its SHA-256 is another one`);
    }
    if (!object.isSegment) {
      await store.put(restoreKey(restore.target, number), pieces, ALWAYS);
      return;
    }
    if (await this.#isSound(object)) return;
    await store.put(object.key, pieces, ALWAYS);
    try {
      await checkStoredSegment(this.#options.namespaceOptions.storeFor(undefined), object.key);
    } catch (error) {
      // Where only the check failed, others may have found it sound: a collector knows.
      if (!isDatabaseError(error, "corrupt", "too_new", "too_old")) throw error;
      await store.delete(object.key);
      throw invalid(`💔 object ${number} of the backup cannot be used: ${error.message}`);
    }
  }

  async #isSound({ key }: RestoredObject): Promise<boolean> {
    try {
      await checkStoredSegment(this.#options.namespaceOptions.storeFor(undefined), key);
      return true;
    } catch (error) {
      if (isDatabaseError(error, "corrupt")) return false;
      throw error;
    }
  }

  async #during<T>(id: string, work: (restore: Restore) => Promise<T>): Promise<T> {
    const restore = this.#restoreOf(id);
    if (restore.isBusy) {
      throw new DatabaseError(
        "overloaded",
        `💔 restore '${id}' takes one request after the other; retry when the last is answered`,
      );
    }
    restore.isBusy = true;
    try {
      return await work(restore);
    } finally {
      restore.isBusy = false;
      restore.usedAtMs = this.#options.namespaceOptions.clock.monotonicMs();
    }
  }

  #restoreOf(id: string): Restore {
    const restore = this.#restores.get(id);
    if (restore !== undefined) return restore;
    throw new DatabaseError(
      "not_found",
      `🤷 there is no restore '${id}': it was ended, or nobody went on with it for an hour, or ` +
        "the server was started again; begin a new one",
    );
  }
}

async function areThere(store: ObjectStore, keys: readonly ObjectKey[]): Promise<boolean> {
  for (let start = 0; start < keys.length; start += LOOKS_AT_ONCE) {
    const some = keys.slice(start, start + LOOKS_AT_ONCE);
    const found = await Promise.all(some.map((key) => store.getRange(key, 0, 1)));
    if (found.includes(undefined)) return false;
  }
  return true;
}

function objectOf({ plan }: Restore, number: number): RestoredObject {
  const object = plan.objects[number];
  if (object !== undefined) return object;
  const last = plan.objects.length - 1;
  throw new DatabaseError("not_found", `🤷 the restore has objects 0 to ${last}`);
}

/** What has come of an object; nothing where it is sent anew. */
function arrivalOf(restore: Restore, number: number, start: number): Arrival {
  if (restore.arrival?.number !== number || start === 0) {
    restore.arrival = { number, pieces: [], hash: createHash("sha256"), bytes: 0 };
  }
  return restore.arrival;
}

function alreadyExists({ as }: RestorePlan): DatabaseError {
  return new DatabaseError(
    "conflict",
    `💔 namespace '${as}' exists: restore under another name ("as"), or delete it first`,
  );
}
