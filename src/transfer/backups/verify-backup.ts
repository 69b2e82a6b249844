/** Reads every byte of a directory or bucket of backups, and says what is damaged or missing. */

import { createHash } from "node:crypto";
import { isDatabaseError } from "../../base/errors.ts";
import { BACKUP_PART_BYTES_MAX, type BackupObject } from "../../model/backup.ts";
import { checkStoredObject } from "../../namespace/checkpoints/check-stored-object.ts";
import { isObjectKey, type ObjectStore, objectKey } from "../../storage/object-store.ts";
import { SelectedObjectStore } from "../../storage/selected-object-store.ts";
import { contentKey } from "./backup-index.ts";
import { BackupTarget } from "./backup-target.ts";

/** Something that is wrong. */
export interface BackupFault {
  /** The file, below the directory. */
  readonly file: string;
  /** The object's key in the store that it is of; absent of index files. */
  readonly key?: string;
  readonly problem: string;
}

/** What was found. */
export interface BackupVerification {
  readonly backups: number;
  readonly objects: number;
  readonly bytes: number;
  readonly faults: readonly BackupFault[];
}

/**
 * Checks all backups: their index files, the size and SHA-256 of each object that they name, and
 * the checksums inside of objects that are not encrypted.
 */
export async function verifyBackups(
  store: ObjectStore,
  onBytes: (bytes: number) => void,
): Promise<BackupVerification> {
  const target = new BackupTarget(store);
  const faults: BackupFault[] = [];
  const objects = new Map<string, BackupObject>();
  const keys = await target.indexKeys();
  for (const key of keys) {
    try {
      for (const { objects: named } of (await target.readIndex(key)).namespaces)
        for (const object of named) objects.set(`${object.sha256} ${object.key}`, object);
    } catch (error) {
      faults.push({ file: key, problem: problemOf(error) });
    }
  }
  let bytes = 0;
  for (const object of objects.values()) {
    const problem = await faultOf(object, { store, target }, (read) => {
      bytes += read;
      onBytes(read);
    });
    if (problem === undefined) continue;
    faults.push({ file: contentKey(object.sha256), key: object.key, problem });
  }
  return { backups: keys.length, objects: objects.size, bytes, faults };
}

async function faultOf(
  object: BackupObject,
  from: { readonly store: ObjectStore; readonly target: BackupTarget },
  onBytes: (bytes: number) => void,
): Promise<string | undefined> {
  const hash = createHash("sha256");
  let size = 0;
  try {
    for (let part: Uint8Array | undefined; part === undefined || part.length > 0; ) {
      part = await from.target.readObject(object, size, size + BACKUP_PART_BYTES_MAX);
      hash.update(part);
      size += part.length;
      onBytes(part.length);
    }
    if (size !== object.bytes) return `it has ${size} bytes, not ${object.bytes}`;
    if (hash.digest("hex") !== object.sha256) return "its SHA-256 is another one";
    if (!isObjectKey(object.key)) return `it is of '${object.key}', which is no key`;
    const key = objectKey(object.key);
    const places = new Map([[key, contentKey(object.sha256)]]);
    await checkStoredObject(new SelectedObjectStore(from.store, places), key);
    return undefined;
  } catch (error) {
    return problemOf(error);
  }
}

function problemOf(error: unknown): string {
  if (isDatabaseError(error, "corrupt", "too_new", "too_old", "not_found")) return error.message;
  throw error;
}
