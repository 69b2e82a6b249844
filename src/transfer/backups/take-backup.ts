/** Copies namespaces from a server into a directory or bucket of backups. */

import { createHash } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import { DatabaseError } from "../../base/errors.ts";
import type { Random } from "../../base/random.ts";
import type { BackupObject } from "../../model/backup.ts";
import { isObjectKey, type ObjectKey } from "../../storage/object-store.ts";
import {
  type BackupRequests,
  type BegunBackup,
  beginBackup,
  endBackup,
  readParts,
} from "./backup-api.ts";
import {
  type BackedUpNamespace,
  type BackupIndex,
  contentKey,
  createdAtMsOf,
  INDEXES_PREFIX,
} from "./backup-index.ts";
import type { BackupTarget } from "./backup-target.ts";
import { contentFaultOf, lengthFaultOf, objectFaultOf } from "./object-faults.ts";
import type { BackupFault } from "./verify-backup.ts";

/** Bytes that are copied between two notes of how far a run has come. */
const NOTED_BYTES = 64 * 1024 * 1024;
/** Earlier backups that are looked into for objects that need not be copied. */
const INDEXES_READ_MAX = 8;
/** Objects whose lengths are asked for together: hides the time of a round trip. */
const LENGTHS_AT_ONCE = 8;

/** What a run works with. */
export interface BackupRun extends BackupRequests {
  readonly target: BackupTarget;
  readonly clock: Clock;
  readonly random: Random;
  /** What a verification of the target has just found: such objects are copied anew. */
  readonly faults: readonly BackupFault[];
  /** Hears of copied bytes. */
  readonly onBytes: (bytes: number) => void;
  /** Decides what a fault of one namespace means for the others. */
  readonly judge: (namespace: string, error: unknown) => Promise<FaultVerdict>;
}

/** What becomes of a run when one namespace cannot be backed up. */
export type FaultVerdict =
  /** Nothing: there is no such namespace any more. */
  | "gone"
  /** The others are backed up, and the outcome tells of it. */
  | "failed"
  /** The run ends with the error. */
  | "stop";

/** What a run has done. */
export interface BackupOutcome {
  /** Name of the index file. */
  readonly backup: string;
  readonly namespaces: number;
  readonly objects: number;
  readonly objectsCopied: number;
  readonly bytesCopied: number;
  /** Objects that were damaged or missing, and are whole now; `problem` is what was wrong. */
  readonly mended: readonly BackupFault[];
  /** Those of the run's `faults` that are as they were. */
  readonly unmended: readonly BackupFault[];
  /** Namespaces that it lacks. */
  readonly failed: readonly { readonly namespace: string; readonly error: string }[];
}

/**
 * Backs up namespaces, each as it is when its turn comes. Objects that an earlier backup or an
 * interrupted run has are not copied again, but for those whose length is wrong, or in which
 * `faults` were found. The backup exists when all of it does. Throws where `judge` says so, or all
 * namespaces have failed.
 */
export async function takeBackup(
  namespaces: readonly string[],
  run: BackupRun,
): Promise<BackupOutcome> {
  const copying = await Copying.begin(run);
  const failed: { namespace: string; error: Error }[] = [];
  for (const namespace of namespaces) {
    try {
      await copying.copy(namespace);
    } catch (error) {
      const verdict = await run.judge(namespace, error);
      if (verdict === "stop") throw error;
      if (verdict === "failed") failed.push({ namespace, error: error as Error });
    }
  }
  if (failed.length > 0 && failed.length === namespaces.length) throw failed[0].error;
  const shown = failed.map(({ namespace, error }) => ({ namespace, error: error.message }));
  const outcome = await copying.finish(failed.map(({ namespace }) => namespace));
  return { ...outcome, failed: shown };
}

/** What a target has when a run begins. */
interface Found {
  /** Objects by the keys of their store that an index names; segments are never two of one name. */
  readonly known: Map<string, BackupObject>;
  /** What is there and not known to be damaged, by content. */
  readonly present: Set<ObjectKey>;
  /** What is wrong with objects, by content. */
  readonly damaged: Map<ObjectKey, string>;
  /** The time of the newest backup. */
  readonly newestMs: number;
  /** What interrupted runs before this one have copied; undefined: there were none. */
  readonly unfinished: readonly BackedUpNamespace[] | undefined;
}

class Copying {
  readonly #run: BackupRun;
  readonly #found: Found;
  readonly #createdAtMs: number;
  readonly #done: BackedUpNamespace[] = [];
  /** What was copied of namespaces that could not be backed up as a whole. */
  readonly #left: BackedUpNamespace[] = [];
  readonly #mended: BackupFault[] = [];
  #objectsCopied = 0;
  #bytesCopied = 0;
  /** Undefined: nothing was noted yet. */
  #notedBytes: number | undefined;

  private constructor(run: BackupRun, found: Found) {
    this.#run = run;
    this.#found = found;
    // A clock that was set back must not make this one older than those before it: they would be
    // restored in its place, and it would be the first to be removed.
    this.#createdAtMs = Math.max(Math.round(run.clock.nowMs()), found.newestMs + 1);
  }

  static async begin(run: BackupRun): Promise<Copying> {
    const { target } = run;
    const known = new Map<string, BackupObject>();
    const damaged = new Map<ObjectKey, string>();
    const present = await target.contentKeys();
    const keys = (await target.indexKeys()).slice(-INDEXES_READ_MAX);
    const unfinished = await target.readUnfinished();
    for (const object of objectsOf(unfinished?.index)) known.set(object.key, object);
    for (const key of keys) {
      // What cannot be read is copied anew, which repairs it.
      const index = await target.readIndex(key).catch(() => undefined);
      for (const object of objectsOf(index)) {
        known.set(object.key, object);
        const content = contentKey(object.sha256);
        if (!present.has(content)) damaged.set(content, "it was missing");
      }
    }
    for (const { file, key, problem } of run.faults)
      if (key !== undefined && isObjectKey(file)) {
        present.delete(file);
        damaged.set(file, problem);
      }
    const newest = keys.at(-1);
    const newestMs = newest === undefined ? 0 : createdAtMsOf(newest);
    return new Copying(run, {
      ...{ known, present, damaged, newestMs },
      unfinished: unfinished && (unfinished.index?.namespaces ?? []),
    });
  }

  async copy(namespace: string): Promise<void> {
    const begun = await beginBackup(this.#run, namespace);
    const { id, objects: listed, ...state } = begun;
    const objects: BackupObject[] = [];
    const current = { ...stateOf(state), objects };
    try {
      for (let start = 0; start < listed.length; start += LENGTHS_AT_ONCE) {
        const some = listed.slice(start, start + LENGTHS_AT_ONCE);
        const found = await Promise.all(some.map((object) => this.#find(object)));
        for (const [place, object] of found.entries()) {
          if (object === undefined) await this.#noteSome(current);
          objects.push(object ?? (await this.#copyObject(id, start + place, some[place].key)));
        }
      }
      this.#done.push(current);
    } catch (error) {
      this.#left.push(current);
      await this.#note(current).catch(() => {}); // The error that led here is the one to tell.
      throw error;
    } finally {
      // It expires by itself where the server is gone.
      await endBackup(this.#run, id).catch(() => {});
    }
  }

  async finish(lacks: readonly string[]): Promise<Omit<BackupOutcome, "failed">> {
    const { target, random, faults } = this.#run;
    const partial = lacks.length > 0 && { lacks };
    const index = { created_at_ms: this.#createdAtMs, namespaces: this.#done, ...partial };
    const nonce = Buffer.from(random.bytes(4)).toString("hex");
    const backup = await target.putIndex(index, nonce);
    await this.#leaveFor(lacks);
    await this.#checkPresent();
    const objects = new Set(objectsIn(this.#done).map(({ sha256 }) => sha256));
    const files = new Set(this.#mended.map(({ file }) => file));
    return {
      backup: backup.slice(INDEXES_PREFIX.length),
      namespaces: this.#done.length,
      objects: objects.size,
      objectsCopied: this.#objectsCopied,
      bytesCopied: this.#bytesCopied,
      mended: this.#mended,
      unmended: faults.filter(({ file }) => !files.has(file)),
    };
  }

  /** Lets the next run go on with the namespaces that this one lacks, and removes what none needs. */
  async #leaveFor(lacks: readonly string[]): Promise<void> {
    const { target } = this.#run;
    const { unfinished } = this.#found;
    const all = mergeObjects([...(unfinished ?? []), ...this.#left]);
    const left = all.filter(({ namespace }) => lacks.includes(namespace));
    if (unfinished !== undefined || this.#left.length > 0) await target.removeUnnamed(left);
    if (left.length === 0) await target.removeUnfinished();
    else await target.putUnfinished({ created_at_ms: this.#createdAtMs, namespaces: left });
  }

  /** Another run into the same place takes this one for interrupted. Throws `corrupt`. */
  async #checkPresent(): Promise<void> {
    const present = await this.#run.target.contentKeys();
    for (const { sha256 } of objectsIn(this.#done)) {
      const file = contentKey(sha256);
      if (present.has(file)) continue;
      const why = "has another run written to the same place? Back up again, alone";
      throw new DatabaseError("corrupt", `${file} was removed since it was copied: ${why}`);
    }
  }

  /** An object that is there already, of the right length. */
  async #find({
    key,
    bytes,
    sha256,
  }: BegunBackup["objects"][number]): Promise<BackupObject | undefined> {
    const isNamedByContent = bytes !== undefined && sha256 !== undefined;
    const { known, present, damaged } = this.#found;
    const object = isNamedByContent ? { key, bytes, sha256 } : known.get(key);
    if (object === undefined) return undefined;
    const content = contentKey(object.sha256);
    if (!present.has(content)) return undefined;
    const problem = await lengthFaultOf(object, this.#run);
    if (problem === undefined) return object;
    present.delete(content);
    damaged.set(content, problem);
    return undefined;
  }

  /** Holds one object in memory: its name is known when all of it has come. */
  async #copyObject(id: string, number: number, key: string): Promise<BackupObject> {
    const { target, onBytes } = this.#run;
    const pieces: Uint8Array[] = [];
    const hash = createHash("sha256");
    let bytes = 0;
    for await (const part of readParts(this.#run, id, number)) {
      pieces.push(part);
      hash.update(part);
      bytes += part.length;
      onBytes(part.length);
    }
    const object = { key, bytes, sha256: hash.digest("hex") };
    await target.putObject(object.sha256, pieces);
    this.#objectsCopied++;
    this.#bytesCopied += bytes;
    await this.#mend(object);
    this.#found.present.add(contentKey(object.sha256));
    this.#found.known.set(key, object);
    return object;
  }

  /** Sees whether what was damaged is whole now. Throws `corrupt` if it is not. */
  async #mend(object: BackupObject): Promise<void> {
    const { damaged } = this.#found;
    const file = contentKey(object.sha256);
    const problem = damaged.get(file);
    if (problem === undefined) return;
    const reads = { target: this.#run.target, onBytes: () => {} };
    const left = await contentFaultOf(object, reads);
    if (left !== undefined) {
      throw new DatabaseError("corrupt", `cannot mend ${file}: it was copied anew, but ${left}`);
    }
    damaged.delete(file);
    // What is wrong on the server as well was copied, but not mended.
    if ((await objectFaultOf(object, reads)) === problem) return;
    this.#mended.push({ file, key: object.key, problem });
  }

  /** Notes before the first copy that a run has begun, and then what it has come to. */
  async #noteSome(current: BackedUpNamespace): Promise<void> {
    const noted = this.#notedBytes;
    if (noted === undefined || this.#bytesCopied - noted >= NOTED_BYTES) await this.#note(current);
  }

  /** Lets the next run go on from here, if this one is interrupted. */
  async #note(current: BackedUpNamespace): Promise<void> {
    this.#notedBytes = this.#bytesCopied;
    const earlier = this.#found.unfinished ?? [];
    const namespaces = mergeObjects([...earlier, ...this.#done, current]);
    await this.#run.target.putUnfinished({ created_at_ms: this.#createdAtMs, namespaces });
  }
}

function objectsOf(index: BackupIndex | undefined): readonly BackupObject[] {
  return objectsIn(index?.namespaces ?? []);
}

function objectsIn(namespaces: readonly BackedUpNamespace[]): readonly BackupObject[] {
  return namespaces.flatMap(({ objects }) => objects);
}

/** One entry for each namespace, with the objects of all of its entries: runs add to each other. */
function mergeObjects(entries: readonly BackedUpNamespace[]): BackedUpNamespace[] {
  const merged = new Map<string, BackedUpNamespace>();
  for (const entry of entries) {
    const all = [...(merged.get(entry.namespace)?.objects ?? []), ...entry.objects];
    const objects = [...new Map(all.map((object) => [object.key, object])).values()];
    merged.set(entry.namespace, { ...entry, objects });
  }
  return [...merged.values()];
}

function stateOf(state: Omit<BegunBackup, "id" | "objects">): Omit<BackedUpNamespace, "objects"> {
  const { namespace, generation, manifest_version, sequence, has_import } = state;
  return { namespace, generation, manifest_version, sequence, has_import };
}
