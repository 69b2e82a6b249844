/**
 * API keys in the object store, which all servers share. A key is one object, put once, and its
 * revocation another one, which says the same whoever puts it: so changes of several servers cannot
 * undo each other. After each change a third object is put anew, and whoever finds it changed lists
 * what there is. It is put last: who has seen it sees the change, too.
 */

import { DatabaseError, isDatabaseError } from "../base/errors.ts";
import type { Random } from "../base/random.ts";
import type { StructuredLog } from "../base/structured-log.ts";
import {
  API_KEYS_PREFIX,
  apiKeyKey,
  KEY_CHANGES_KEY,
  KEY_USES_KEY,
  keyRevocationKey,
  parseApiKeyKey,
} from "../storage/object-keys.ts";
import { ALWAYS, IF_ABSENT, type ObjectStore } from "../storage/object-store.ts";
import { storePages } from "../storage/store-pages.ts";
import type { ApiKey } from "./api-key.ts";
import {
  decodeApiKey,
  decodeChanges,
  decodeKeyUses,
  decodeRevocation,
  encodeApiKey,
  encodeChanges,
  encodeKeyUses,
  encodeRevocation,
  type KeyUseTimes,
} from "./key-codec.ts";

/** A key and whether it still counts. */
export interface StoredKey {
  readonly key: ApiKey;
  /** Absent: it counts until it expires. */
  readonly revocation?: KeyRevocation;
}

/** That a key counts no more. */
export interface KeyRevocation {
  /** Absent: damage has taken it. */
  readonly atMs?: number;
}

/** All keys as one listing has shown them. */
export interface KeyListing {
  readonly keys: ReadonlyMap<string, StoredKey>;
  /** A key was there once: none of its being left does not open the server. */
  readonly hasHadKeys: boolean;
  /** Of the newest change that the listing has. */
  readonly nonce: string | undefined;
}

/** What was known before anything was listed. */
export const NO_KEYS: KeyListing = { keys: new Map(), hasHadKeys: false, nonce: undefined };

/** Objects that are read at the same time. */
const READS_AT_ONCE = 64;
const NONCE_BYTES = 16;

/** What a `KeyStore` needs. */
export interface KeyStoreOptions {
  readonly store: ObjectStore;
  readonly random: Random;
  readonly log: StructuredLog;
}

/** See the file's head. */
export class KeyStore {
  readonly #options: KeyStoreOptions;
  /** How often the mark of changes could not be read since it last could. */
  #damagedMarks = 0;

  constructor(options: KeyStoreOptions) {
    this.#options = options;
  }

  /** Puts a new key. It counts when `announce` was called. */
  async create(key: ApiKey): Promise<void> {
    const outcome = await this.#options.store.put(
      apiKeyKey(key.id),
      await encodeApiKey(key),
      IF_ABSENT,
    );
    if (outcome.kind === "written") return;
    throw new DatabaseError("conflict", `there is a key with the id ${key.id} already; try again`);
  }

  /** Puts a key's revocation; it counts from now on for this and any later listing. */
  async revoke(id: string, atMs: number): Promise<void> {
    const object = await encodeRevocation(id, atMs);
    // Two of them say the same, so that a put whose outcome is unknown may be tried again.
    await this.#options.store.put(keyRevocationKey(id), object, ALWAYS);
  }

  /** Lets all servers know that something has changed. */
  async announce(): Promise<void> {
    const { store, random } = this.#options;
    const nonce = Buffer.from(random.bytes(NONCE_BYTES)).toString("hex");
    await store.put(KEY_CHANGES_KEY, await encodeChanges(nonce), ALWAYS);
  }

  /** The nonce of the newest change; undefined: there was none. One request. */
  async changes(): Promise<string | undefined> {
    const object = await this.#options.store.get(KEY_CHANGES_KEY);
    try {
      const nonce = object && (await decodeChanges(object));
      this.#damagedMarks = 0;
      return nonce;
    } catch (error) {
      if (!isDamage(error)) throw error;
      // It is looked at every other second: told the first time, and each time that it is twice as
      // often as the last time.
      if (isPowerOfTwo(++this.#damagedMarks)) {
        this.#report(error, "the mark of changes of API keys cannot be read; they are listed anew");
      }
      return `damaged ${Buffer.from(this.#options.random.bytes(NONCE_BYTES)).toString("hex")}`;
    }
  }

  /**
   * Lists all keys, and reads those objects that are not in `known`. A key that cannot be read is
   * logged and opens nothing; one whose revocation cannot be read is revoked.
   */
  async load(known: KeyListing): Promise<KeyListing> {
    const { store } = this.#options;
    // Before the listing: what is put behind it is announced by another nonce.
    const nonce = await this.changes();
    const ids = new Set<string>();
    const revoked = new Set<string>();
    for await (const { keys } of storePages(store, { prefix: API_KEYS_PREFIX })) {
      for (const key of keys) {
        const of = parseApiKeyKey(key);
        if (of !== undefined) (of.isRevocation ? revoked : ids).add(of.id);
      }
    }
    const read = async (id: string): Promise<StoredKey | undefined> => {
      const before = known.keys.get(id);
      const key = before?.key ?? (await this.#read(id));
      // One that is known stays: it may be removed, with its key, while this listing goes on.
      const isRevoked = revoked.has(id) || before?.revocation !== undefined;
      if (key === undefined || !isRevoked) return key && { key };
      return { key, revocation: before?.revocation ?? (await this.#readRevocation(id)) };
    };
    const all = [...ids];
    const keys = new Map<string, StoredKey>();
    for (let start = 0; start < all.length; start += READS_AT_ONCE) {
      const found = await Promise.all(all.slice(start, start + READS_AT_ONCE).map(read));
      for (const stored of found) if (stored !== undefined) keys.set(stored.key.id, stored);
    }
    const hasHadKeys = nonce !== undefined || ids.size > 0 || revoked.size > 0;
    return { keys, hasHadKeys, nonce };
  }

  /** Removes what is stored of a key that counts no more: the key first, so that none comes back. */
  async remove(id: string): Promise<void> {
    await this.#options.store.delete(apiKeyKey(id));
    await this.#options.store.delete(keyRevocationKey(id));
  }

  /** When keys were last used, as servers have written it down. */
  async readUses(): Promise<Map<string, number>> {
    const object = await this.#options.store.get(KEY_USES_KEY);
    try {
      return object === undefined ? new Map<string, number>() : await decodeKeyUses(object);
    } catch (error) {
      this.#report(error, "when API keys were used cannot be read; it is noted anew");
      return new Map<string, number>();
    }
  }

  /** Writes it down. */
  async writeUses(times: KeyUseTimes): Promise<void> {
    await this.#options.store.put(KEY_USES_KEY, await encodeKeyUses(times), ALWAYS);
  }

  async #read(id: string): Promise<ApiKey | undefined> {
    try {
      const object = await this.#options.store.get(apiKeyKey(id));
      return object && (await decodeApiKey(object, id));
    } catch (error) {
      this.#report(error, "an API key cannot be read, and opens nothing");
      return undefined;
    }
  }

  async #readRevocation(id: string): Promise<KeyRevocation> {
    try {
      const object = await this.#options.store.get(keyRevocationKey(id));
      return object === undefined ? {} : { atMs: await decodeRevocation(object, id) };
    } catch (error) {
      this.#report(error, "the revocation of an API key cannot be read; the key is revoked");
      return {};
    }
  }

  /** Notes damage; anything else is the store's trouble, and the whole listing fails. */
  #report(error: unknown, message: string): void {
    if (!isDamage(error)) throw error;
    this.#options.log("error", message, { error: error.message });
  }
}

function isDamage(error: unknown): error is DatabaseError {
  return isDatabaseError(error, "corrupt", "too_new", "too_old");
}

function isPowerOfTwo(count: number): boolean {
  return (count & (count - 1)) === 0;
}
