/** Copies namespaces from a server into a directory or bucket of backups. */

import { createHash } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import type { Random } from "../../base/random.ts";
import type { BackupObject } from "../../model/backup.ts";
import type { ObjectKey } from "../../storage/object-store.ts";
import {
  type BackupRequests,
  type BegunBackup,
  beginBackup,
  endBackup,
  readParts,
} from "./backup-api.ts";
import {
  type BackedUpNamespace,
  contentKey,
  createdAtMsOf,
  INDEXES_PREFIX,
} from "./backup-index.ts";
import type { BackupTarget } from "./backup-target.ts";

/** Bytes that are copied between two notes of how far a run has come. */
const NOTED_BYTES = 64 * 1024 * 1024;
/** Earlier backups that are looked into for objects that need not be copied. */
const INDEXES_READ_MAX = 8;

/** What a run works with. */
export interface BackupRun extends BackupRequests {
  readonly target: BackupTarget;
  readonly clock: Clock;
  readonly random: Random;
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
  /** Namespaces that it lacks. */
  readonly failed: readonly { readonly namespace: string; readonly error: string }[];
}

/**
 * Backs up namespaces, each as it is when its turn comes. Objects that an earlier backup or an
 * interrupted run has are not copied again. The backup exists when all of it does. Throws where
 * `judge` says so, or all namespaces have failed.
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
  return { ...(await copying.finish()), failed: shown };
}

class Copying {
  readonly #run: BackupRun;
  readonly #createdAtMs: number;
  /** Objects by the keys of their store that an index names; segments are never two of one name. */
  readonly #known: Map<string, BackupObject>;
  /** What is there, by content. */
  readonly #present: Set<ObjectKey>;
  readonly #done: BackedUpNamespace[] = [];
  #objectsCopied = 0;
  #bytesCopied = 0;
  #notedBytes = 0;

  private constructor(
    run: BackupRun,
    found: {
      readonly known: Map<string, BackupObject>;
      readonly present: Set<ObjectKey>;
      readonly newestMs: number;
    },
  ) {
    this.#run = run;
    this.#known = found.known;
    this.#present = found.present;
    // A clock that was set back must not make this one older than those before it: they would be
    // restored in its place, and it would be the first to be removed.
    this.#createdAtMs = Math.max(Math.round(run.clock.nowMs()), found.newestMs + 1);
  }

  static async begin(run: BackupRun): Promise<Copying> {
    const { target } = run;
    const known = new Map<string, BackupObject>();
    const keys = (await target.indexKeys()).slice(-INDEXES_READ_MAX);
    const indexes = [await target.readUnfinished()];
    // What cannot be read is copied anew, which repairs it.
    for (const key of keys) indexes.push(await target.readIndex(key).catch(() => undefined));
    for (const index of indexes)
      for (const { objects } of index?.namespaces ?? [])
        for (const object of objects) known.set(object.key, object);
    const newest = keys.at(-1);
    const newestMs = newest === undefined ? 0 : createdAtMsOf(newest);
    return new Copying(run, { known, present: await target.contentKeys(), newestMs });
  }

  async copy(namespace: string): Promise<void> {
    const begun = await beginBackup(this.#run, namespace);
    const { id, objects: listed, ...state } = begun;
    const objects: BackupObject[] = [];
    const current = { ...stateOf(state), objects };
    try {
      for (const [number, object] of listed.entries()) {
        objects.push(this.#find(object) ?? (await this.#copyObject(id, number, object.key)));
        if (this.#bytesCopied - this.#notedBytes >= NOTED_BYTES) await this.#note(current);
      }
      this.#done.push(current);
    } catch (error) {
      await this.#note(current).catch(() => {}); // The error that led here is the one to tell.
      throw error;
    } finally {
      // It expires by itself where the server is gone.
      await endBackup(this.#run, id).catch(() => {});
    }
  }

  async finish(): Promise<Omit<BackupOutcome, "failed">> {
    const { target, random } = this.#run;
    const index = { created_at_ms: this.#createdAtMs, namespaces: this.#done };
    const nonce = Buffer.from(random.bytes(4)).toString("hex");
    const backup = await target.putIndex(index, nonce);
    const objects = new Set(this.#done.flatMap((done) => done.objects.map(({ sha256 }) => sha256)));
    return {
      backup: backup.slice(INDEXES_PREFIX.length),
      namespaces: this.#done.length,
      objects: objects.size,
      objectsCopied: this.#objectsCopied,
      bytesCopied: this.#bytesCopied,
    };
  }

  /** An object that is there already. */
  #find({ key, bytes, sha256 }: BegunBackup["objects"][number]): BackupObject | undefined {
    const isNamedByContent = bytes !== undefined && sha256 !== undefined;
    const object = isNamedByContent ? { key, bytes, sha256 } : this.#known.get(key);
    if (object === undefined || !this.#present.has(contentKey(object.sha256))) return undefined;
    return object;
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
    this.#present.add(contentKey(object.sha256));
    this.#known.set(key, object);
    this.#objectsCopied++;
    this.#bytesCopied += bytes;
    return object;
  }

  /** Lets the next run go on from here, if this one is interrupted. */
  async #note(current: BackedUpNamespace): Promise<void> {
    this.#notedBytes = this.#bytesCopied;
    const namespaces = [...this.#done, current];
    await this.#run.target.putUnfinished({ created_at_ms: this.#createdAtMs, namespaces });
  }
}

function stateOf(state: Omit<BegunBackup, "id" | "objects">): Omit<BackedUpNamespace, "objects"> {
  const { namespace, generation, manifest_version, sequence, has_import } = state;
  return { namespace, generation, manifest_version, sequence, has_import };
}
