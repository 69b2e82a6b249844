import { DatabaseError } from "../../base/errors.ts";
import type { BackupObject } from "../../model/backup.ts";
import {
  ALWAYS,
  type ObjectBody,
  type ObjectKey,
  type ObjectStore,
} from "../../storage/object-store.ts";
import { storePages } from "../../storage/store-pages.ts";
import {
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

  /** What an interrupted run had come to; undefined if there is none that can be read. */
  async readUnfinished(): Promise<BackupIndex | undefined> {
    const file = await this.#store.get(UNFINISHED_KEY);
    return file && decodeIndex(file, UNFINISHED_KEY).catch(() => undefined);
  }

  /** Notes what a run has come to. */
  async putUnfinished(index: BackupIndex): Promise<void> {
    await this.#store.put(UNFINISHED_KEY, await encodeIndex(index, UNFINISHED_KEY), ALWAYS);
  }

  /** Puts the index file of a backup all of whose objects are there; returns its key. */
  async putIndex(index: BackupIndex, nonce: string): Promise<ObjectKey> {
    const key = indexKey(index.created_at_ms, nonce);
    await this.#store.put(key, await encodeIndex(index, key), ALWAYS);
    await this.#store.delete(UNFINISHED_KEY);
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

  /** Removes all but the newest backups, and the objects that only the others need. */
  async keepNewest(count: number): Promise<void> {
    const keys = await this.indexKeys();
    const kept = new Set<ObjectKey>();
    // An index that cannot be read must not cost what it names.
    for (const key of keys.slice(-count)) {
      const { namespaces } = await this.readIndex(key);
      for (const { sha256 } of namespaces.flatMap(({ objects }) => objects))
        kept.add(contentKey(sha256));
    }
    // A server that has lost its data makes empty backups, which must not cost the last full one.
    if (kept.size === 0) return;
    for (const key of keys.slice(0, -count)) await this.#store.delete(key);
    for (const key of await this.contentKeys()) if (!kept.has(key)) await this.#store.delete(key);
  }

  async #keysBelow(prefix: string): Promise<ObjectKey[]> {
    const found: ObjectKey[] = [];
    for await (const { keys } of storePages(this.#store, { prefix })) found.push(...keys);
    return found;
  }
}
