/** Reads every byte of a directory or bucket of backups, and says what is damaged or missing. */

import type { BackupObject } from "../../model/backup.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import { contentKey } from "./backup-index.ts";
import { BackupTarget } from "./backup-target.ts";
import { faultTextOf, objectFaultOf } from "./object-faults.ts";

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
      faults.push({ file: key, problem: faultTextOf(error) });
    }
  }
  let bytes = 0;
  const countBytes = (read: number) => {
    bytes += read;
    onBytes(read);
  };
  for (const object of objects.values()) {
    const problem = await objectFaultOf(object, { target, onBytes: countBytes });
    if (problem === undefined) continue;
    faults.push({ file: contentKey(object.sha256), key: object.key, problem });
  }
  return { backups: keys.length, objects: objects.size, bytes, faults };
}
