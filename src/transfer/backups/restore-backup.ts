/** Makes namespaces of a server from a backup. */

import { DatabaseError } from "../../base/errors.ts";
import { BACKUP_PART_BYTES_MAX } from "../../model/backup.ts";
import { isObjectKey, type ObjectKey } from "../../storage/object-store.ts";
import {
  type BackupRequests,
  beginRestore,
  endRestore,
  finishRestore,
  isPresent,
  putPart,
} from "./backup-api.ts";
import { type BackedUpNamespace, INDEXES_PREFIX, isIndexKey } from "./backup-index.ts";
import type { BackupTarget } from "./backup-target.ts";

/** What a run works with. */
export interface RestoreRun extends BackupRequests {
  readonly target: BackupTarget;
  /** Hears of bytes that are done: sent, or there already. */
  readonly onBytes: (bytes: number) => void;
}

/** What a run has done to one namespace. */
export interface RestoredNamespace {
  readonly namespace: string;
  readonly as: string;
  readonly documents: number;
}

/** Which namespaces of which backup. */
export interface RestoreChoice {
  /** Name of its index file, without `backups/`; absent: the newest one that has the namespace. */
  readonly backup?: string | undefined;
  /** Absent: all. */
  readonly namespace?: string | undefined;
}

/** What there is to restore. */
export interface RestorableBackup {
  readonly namespaces: readonly BackedUpNamespace[];
  /** What a partial backup has not, of what was asked for. */
  readonly lacks: readonly string[];
}

/** Finds what to restore. Throws `not_found`, saying what there is. */
export async function findBackedUp(
  target: BackupTarget,
  { backup, namespace }: RestoreChoice,
): Promise<RestorableBackup> {
  const keys = await target.indexKeys();
  if (keys.length === 0) throw new DatabaseError("not_found", "there is no backup there");
  const wanted = backup === undefined ? [...keys].reverse() : [keyOf(backup, keys)];
  for (const key of wanted) {
    const { namespaces, lacks = [] } = await target.readIndex(key);
    if (namespace === undefined) return { namespaces, lacks };
    const found = namespaces.filter((one) => one.namespace === namespace);
    if (found.length > 0) return { namespaces: found, lacks: [] };
  }
  const where = backup === undefined ? "no backup there" : `backup ${backup} does not`;
  throw new DatabaseError("not_found", `${where} has a namespace '${namespace}'`);
}

/** Restores one namespace under the name `as`, or leaves nothing of it. */
export async function restoreNamespace(
  backedUp: BackedUpNamespace,
  as: string,
  run: RestoreRun,
): Promise<RestoredNamespace> {
  const id = await beginRestore(run, backedUp, as);
  try {
    for (const [number, object] of backedUp.objects.entries()) {
      if (await isPresent(run, id, number)) run.onBytes(object.bytes);
      else await sendObject(backedUp, { id, number }, run);
    }
  } catch (error) {
    await endRestore(run, id).catch(() => {}); // The server takes it back by itself, later.
    throw error;
  }
  const documents = await finishRestore(run, id);
  return { namespace: backedUp.namespace, as, documents };
}

async function sendObject(
  { objects }: BackedUpNamespace,
  to: { readonly id: string; readonly number: number },
  run: RestoreRun,
): Promise<void> {
  const object = objects[to.number];
  for (let start = 0; start < object.bytes; ) {
    const end = Math.min(object.bytes, start + BACKUP_PART_BYTES_MAX);
    const bytes = await run.target.readObject(object, start, end);
    if (bytes.length < end - start) {
      throw new DatabaseError("corrupt", `${object.key} is cut off in the backup; verify it`);
    }
    await putPart(run, { ...to, start }, bytes);
    run.onBytes(bytes.length);
    start = end;
  }
}

function keyOf(backup: string, keys: readonly ObjectKey[]): ObjectKey {
  const key = `${INDEXES_PREFIX}${backup}`;
  if (isObjectKey(key) && isIndexKey(key) && keys.includes(key)) return key;
  const names = keys.map((known) => known.slice(INDEXES_PREFIX.length));
  throw new DatabaseError(
    "not_found",
    `there is no backup '${backup}'; the newest ones are ${names.slice(-5).join(", ")}`,
  );
}
