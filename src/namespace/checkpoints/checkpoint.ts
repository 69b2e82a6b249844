/**
 * Checkpoints: states of a namespace that are kept. A state is what one version of the manifest and
 * the log after it, up to a sequence number, say; so a checkpoint moves no bytes, whatever the size
 * of the namespace. It is one object, whose key says it all; whoever puts it may write random bytes
 * into it, by which it is known again where two have the same key:
 *
 *     checkpoints/<name>-table/<generation>/<name of the checkpoint>/
 *         <created, 15 digits>-<expires, 15 digits>-<manifest version, 20>-<sequence, 20>-<0 or 1>
 *
 * The times are milliseconds of Unix time. The last digit is 1 where the log after the manifest
 * imports segments, which no manifest names yet. Names that begin with `_` are those of backups
 * that are being read; users' begin with a letter or digit.
 *
 * A collector spares what checkpoints need while their keys are there, whatever the clock says, and
 * takes the keys away that have expired at the end of a pass. No compare-and-swap is needed:
 *
 *     who keeps a state                        who collects
 *     1. load the newest manifest              1. load the newest manifest
 *     2. put the checkpoint                    2. list the checkpoints
 *     3. see that the manifest is still the    3. remove what neither needs
 *        newest, and the namespace not deleted
 *
 * A collector that misses the checkpoint has loaded its manifest before the put, so that one is not
 * newer than the checkpoint's, and what it takes for garbage is not in the checkpoint.
 */

import { type NamespaceName, type SequenceNumber, sequenceNumber } from "../../base/ids.ts";
import {
  CHECKPOINTS_PREFIX,
  checkpointKey,
  checkpointsPrefix,
  generationCheckpointsPrefix,
  type NamespaceGeneration,
  parseCheckpointKey,
} from "../../storage/object-keys.ts";
import { ALWAYS, type ObjectKey, type ObjectStore } from "../../storage/object-store.ts";
import { storePages } from "../../storage/store-pages.ts";

/** A state of a namespace. */
export interface Point {
  /** 0: there was no manifest yet. */
  readonly manifestVersion: number;
  /** The last entry of the log that belongs to it; 0: there is none. */
  readonly sequence: SequenceNumber;
  /** The log after the manifest imports segments. */
  readonly hasImport: boolean;
}

/** A state that is kept. */
export interface Checkpoint extends Point {
  readonly of: NamespaceGeneration;
  readonly name: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly key: ObjectKey;
}

/** Greatest length of a checkpoint's name, in characters: with its point it fits a file's name. */
const CHECKPOINT_NAME_CHARS_MAX = 64;
/** The last millisecond that a checkpoint's key can say. */
const EXPIRES_MS_MAX = 10 ** 15 - 1;
const CHECKPOINT_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]*$/;
const POINT = /^(\d{15})-(\d{15})-(\d{20})-(\d{20})-([01])$/;
const TIME_DIGITS = 15;
const NUMBER_DIGITS = 20;

/** Says why `name` is no name of a user's checkpoint, or returns undefined if it is one. */
export function checkpointNameFault(name: string): string | undefined {
  if (name.length <= CHECKPOINT_NAME_CHARS_MAX && CHECKPOINT_NAME.test(name)) return undefined;
  return (
    `it must be 1 to ${CHECKPOINT_NAME_CHARS_MAX} of A-Z, a-z, 0-9, '_', '.' and '-', ` +
    "and begin with a letter or digit"
  );
}

/** Whether a user has made it, and not a backup that is being read. */
export function isNamed({ name }: Checkpoint): boolean {
  return !name.startsWith("_");
}

/** Makes a checkpoint, which `putCheckpoint` then puts. */
export function newCheckpoint(
  of: NamespaceGeneration,
  { manifestVersion, sequence, hasImport }: Point,
  to: { readonly name: string; readonly createdAtMs: number; readonly expiresAtMs: number },
): Checkpoint {
  const createdAtMs = Math.round(to.createdAtMs);
  const expiresAtMs = Math.min(Math.round(to.expiresAtMs), EXPIRES_MS_MAX);
  const times = [createdAtMs, expiresAtMs].map((ms) => String(ms).padStart(TIME_DIGITS, "0"));
  const numbers = [manifestVersion, sequence].map((n) => String(n).padStart(NUMBER_DIGITS, "0"));
  const point = [...times, ...numbers, hasImport ? "1" : "0"].join("-");
  const { name } = to;
  const key = checkpointKey(of, name, point);
  return { of, name, createdAtMs, expiresAtMs, manifestVersion, sequence, hasImport, key };
}

/** Puts it: from then on collectors that load a newer manifest spare what it needs. */
export async function putCheckpoint(store: ObjectStore, { key }: Checkpoint): Promise<void> {
  await store.put(key, new Uint8Array(0), ALWAYS);
}

/** The checkpoints of all generations of a namespace, also those that have expired. */
export function listCheckpoints(store: ObjectStore, name: NamespaceName): Promise<Checkpoint[]> {
  return listBelow(store, checkpointsPrefix(name));
}

/** The checkpoints of all namespaces. One request for each 1,000. */
export function listAllCheckpoints(store: ObjectStore): Promise<Checkpoint[]> {
  return listBelow(store, CHECKPOINTS_PREFIX);
}

/** Those of one generation. */
export function listGenerationCheckpoints(
  store: ObjectStore,
  generation: NamespaceGeneration,
): Promise<Checkpoint[]> {
  return listBelow(store, generationCheckpointsPrefix(generation));
}

/** Reads a checkpoint's key; undefined for anything else. */
function parseCheckpoint(key: ObjectKey): Checkpoint | undefined {
  const parts = parseCheckpointKey(key);
  const point = POINT.exec(parts?.point ?? "");
  if (parts === undefined || point === null) return undefined;
  const [createdAtMs, expiresAtMs, manifestVersion, sequence] = point.slice(1, 5).map(Number);
  if (!Number.isSafeInteger(manifestVersion) || !Number.isSafeInteger(sequence)) return undefined;
  const { of, name } = parts;
  const times = { createdAtMs, expiresAtMs };
  const hasImport = point[5] === "1";
  return {
    of,
    name,
    ...times,
    manifestVersion,
    sequence: sequenceNumber(sequence),
    hasImport,
    key,
  };
}

async function listBelow(store: ObjectStore, prefix: string): Promise<Checkpoint[]> {
  const found: Checkpoint[] = [];
  for await (const { keys } of storePages(store, { prefix }))
    found.push(...keys.flatMap((key) => parseCheckpoint(key) ?? []));
  return found;
}
