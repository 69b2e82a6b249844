/**
 * The least that the time can be, by what servers have written: the newest time in the store, and
 * what has passed since that was read. A clock that is far ahead does not change it.
 */

import type { StoredKey } from "./key-store.ts";

/** See the file's head. */
export class StoreTime {
  #newest: { readonly ms: number; readonly readAtMs: number } | undefined;

  /** Takes the times at which keys were made and revoked; `monotonicMs` is when they were read. */
  read(keys: Iterable<StoredKey>, monotonicMs: number): void {
    let newestMs = this.at(monotonicMs);
    for (const { key, revocation } of keys) {
      for (const ms of [key.createdAtMs, revocation?.atMs ?? 0]) {
        if (newestMs === undefined || ms > newestMs) newestMs = ms;
      }
    }
    if (newestMs !== undefined) this.#newest = { ms: newestMs, readAtMs: monotonicMs };
  }

  /** Undefined where no time was ever read. */
  at(monotonicMs: number): number | undefined {
    const newest = this.#newest;
    return newest && newest.ms + (monotonicMs - newest.readAtMs);
  }
}
