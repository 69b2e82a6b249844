/**
 * The least that the time can be, by what servers have written. Each key is a witness: it says its
 * newest time, and what has passed since that was read. Of all of them the middle one counts, so
 * that a clock that is far ahead does not, also where its keys are read anew after a start.
 */

import type { StoredKey } from "./key-store.ts";

interface Witness {
  readonly ms: number;
  readonly readAtMs: number;
}

/** See the file's head. */
export class StoreTime {
  readonly #witnesses = new Map<string, Witness>();

  /** Takes the times at which keys were made and revoked; `monotonicMs` is when they were read. */
  read(keys: Iterable<StoredKey>, monotonicMs: number): void {
    for (const { key, revocation } of keys) {
      const ms = Math.max(key.createdAtMs, revocation?.atMs ?? 0);
      const before = this.#witnesses.get(key.id);
      if (before !== undefined && ms <= timeBy(before, monotonicMs)) continue;
      this.#witnesses.set(key.id, { ms, readAtMs: monotonicMs });
    }
  }

  /** Forgets keys that are there no more, unless no witness were left. */
  keepOnly(ids: { has(id: string): boolean }): void {
    const gone = [...this.#witnesses.keys()].filter((id) => !ids.has(id));
    if (gone.length < this.#witnesses.size) for (const id of gone) this.#witnesses.delete(id);
  }

  /** Undefined where no time was ever read. */
  at(monotonicMs: number): number | undefined {
    const times = [...this.#witnesses.values()].map((witness) => timeBy(witness, monotonicMs));
    return times.sort((a, b) => a - b)[Math.floor((times.length - 1) / 2)];
  }
}

function timeBy({ ms, readAtMs }: Witness, monotonicMs: number): number {
  return ms + (monotonicMs - readAtMs);
}
