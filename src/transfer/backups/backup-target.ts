import { DatabaseError, isDatabaseError } from "../../base/errors.ts";
import type { BackupObject } from "../../model/backup.ts";
import {
  ALWAYS,
  type ObjectBody,
  type ObjectKey,
  type ObjectStore,
} from "../../storage/object-store.ts";
import { SelectedObjectStore } from "../../storage/selected-object-store.ts";
import { storePages } from "../../storage/store-pages.ts";
import {
  type BackedUpNamespace,
  type BackupIndex,
  contentKey,
  decodeIndex,
  encodeIndex,
  INDEXES_PREFIX,
  indexKey,
  isIndexKey,
  OBJECTS_PREFIX,
  UNFINISHED_KEY,
} from "./backup-index.ts";

/** What removing old backups came to. */
export interface KeptBackups {
  /** Index files that were removed. */
  readonly removed: readonly ObjectKey[];
  /** Index files for whose sake no object was removed: nobody can tell which they need. */
  readonly unreadable: readonly ObjectKey[];
}

/** A directory or bucket of backups (layout: backup-index.ts). One run at a time writes to it. */
export class BackupTarget {
  readonly #store: ObjectStore;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  /** Keys of all index files, the oldest first. */
  async indexKeys(): Promise<ObjectKey[]> {
    return (await this.#keysBelow(INDEXES_PREFIX)).filter(isIndexKey);
  }

  /** Reads an index file. Throws `not_found`, or what is wrong with it. */
  async readIndex(key: ObjectKey): Promise<BackupIndex> {
    const file = await this.#store.get(key);
    if (file === undefined) throw new DatabaseError("not_found", `there is no backup ${key}`);
    return decodeIndex(file, key);
  }

  /**
   * What an interrupted run had come to, without an index if that cannot be read; undefined if no
   * run was interrupted.
   */
  async readUnfinished(): Promise<{ readonly index: BackupIndex | undefined } | undefined> {
    const file = await this.#store.get(UNFINISHED_KEY);
    return file && { index: await decodeIndex(file, UNFINISHED_KEY).catch(() => undefined) };
  }

  /** Notes what a run has come to. */
  async putUnfinished(index: BackupIndex): Promise<void> {
    await this.#store.put(UNFINISHED_KEY, await encodeIndex(index, UNFINISHED_KEY), ALWAYS);
  }

  /** Removes the note of a run that is over. */
  async removeUnfinished(): Promise<void> {
    await this.#store.delete(UNFINISHED_KEY);
  }

  /** Puts the index file of a backup all of whose objects are there; returns its key. */
  async putIndex(index: BackupIndex, nonce: string): Promise<ObjectKey> {
    const key = indexKey(index.created_at_ms, nonce);
    await this.#store.put(key, await encodeIndex(index, key), ALWAYS);
    return key;
  }

  /** The keys of all objects that are there. */
  async contentKeys(): Promise<Set<ObjectKey>> {
    return new Set(await this.#keysBelow(OBJECTS_PREFIX));
  }

  /** Puts an object. */
  async putObject(sha256: string, body: ObjectBody): Promise<void> {
    await this.#store.put(contentKey(sha256), body, ALWAYS);
  }

  /** Reads bytes of an object; fewer where it ends before. Throws `corrupt` if it is missing. */
  async readObject({ sha256 }: BackupObject, start: number, end: number): Promise<Uint8Array> {
    const key = contentKey(sha256);
    const bytes = await this.#store.getRange(key, start, end);
    if (bytes !== undefined) return bytes;
    throw new DatabaseError("corrupt", `cannot read ${key}: it is missing in the backup`);
  }

  /** A store in which an object has the key that it has in its own. */
  storeOf(key: ObjectKey, { sha256 }: BackupObject): ObjectStore {
    return new SelectedObjectStore(this.#store, new Map([[key, contentKey(sha256)]]));
  }

  /**
   * Removes what is older than the newest `count` whole backups, and the objects that no backup
   * needs any more. Partial and empty ones do not count: a server that has lost its data makes
   * such, and they must not cost the last one that has it.
   */
  async keepNewest(count: number): Promise<KeptBackups> {
    const keys = await this.indexKeys();
    let first = keys.length;
    for (let whole = 0; whole < count && first > 0; ) {
      const index = await this.#tryReadIndex(keys[--first]);
      if (index !== undefined && isWhole(index)) whole++;
    }
    const removed = keys.slice(0, first);
    for (const key of removed) await this.#store.delete(key);
    return { removed, unreadable: await this.removeUnnamed() };
  }

  /**
   * Removes objects that neither a backup nor `left` names: what nobody finishes. Removes nothing
   * where an index file cannot be read, which must not cost what it names; returns such files.
   */
  async removeUnnamed(left: readonly BackedUpNamespace[] = []): Promise<readonly ObjectKey[]> {
    const named = new Set<ObjectKey>(
      left.flatMap(({ objects }) => objects.map(({ sha256 }) => contentKey(sha256))),
    );
    const unreadable: ObjectKey[] = [];
    for (const key of await this.indexKeys()) {
      const index = await this.#tryReadIndex(key);
      if (index === undefined) unreadable.push(key);
      for (const { objects } of index?.namespaces ?? [])
        for (const { sha256 } of objects) named.add(contentKey(sha256));
    }
    if (unreadable.length > 0) return unreadable;
    for (const key of await this.contentKeys()) if (!named.has(key)) await this.#store.delete(key);
    return [];
  }

  /** Undefined where it is damaged, or of a newer program. */
  async #tryReadIndex(key: ObjectKey): Promise<BackupIndex | undefined> {
    try {
      return await this.readIndex(key);
    } catch (error) {
      if (isDatabaseError(error, "corrupt", "too_new", "too_old")) return undefined;
      throw error;
    }
  }

  async #keysBelow(prefix: string): Promise<ObjectKey[]> {
    const found: ObjectKey[] = [];
    for await (const { keys } of storePages(this.#store, { prefix })) found.push(...keys);
    return found;
  }
}

function isWhole({ namespaces, lacks = [] }: BackupIndex): boolean {
  return namespaces.length > 0 && lacks.length === 0;
}
