/** Which keys that count no more are forgotten: a pure decision. */

import type { StoredKey } from "./key-store.ts";

/** For so long keys that count no more are kept, to say of them what has become of them. */
export const DEAD_KEYS_MS = 30 * 86_400_000;
/** So many of them at most, those that ended last; each is listed and kept in memory. Our choice. */
export const DEAD_KEYS_MAX = 1_000;

/** What time it is. */
export interface KeyTimes {
  /** By this server's clock, which may be wrong. */
  readonly nowMs: number;
  /** By what the store holds: not before this. Undefined: nothing tells. */
  readonly storeMs: number | undefined;
}

/**
 * The ids of keys to forget, the oldest first. Revoked keys count for no server. Whether one has
 * expired is a matter of clocks, and who removes it ends it for all: so it must have by both times.
 */
export function pickDeadKeys(keys: Iterable<StoredKey>, times: KeyTimes): string[] {
  const surelyMs = Math.min(times.nowMs, times.storeMs ?? Number.NEGATIVE_INFINITY);
  const dead: { readonly id: string; readonly endedMs: number; readonly isOld: boolean }[] = [];
  for (const { key, revocation } of keys) {
    if (revocation !== undefined) {
      // When one was revoked whose revocation is damaged, nobody knows.
      const endedMs = revocation.atMs ?? key.createdAtMs;
      dead.push({ id: key.id, endedMs, isOld: isOld(revocation.atMs, times.nowMs) });
    } else if (key.expiresAtMs !== undefined && key.expiresAtMs <= surelyMs) {
      const endedMs = key.expiresAtMs;
      dead.push({ id: key.id, endedMs, isOld: isOld(endedMs, surelyMs) });
    }
  }
  dead.sort((a, b) => a.endedMs - b.endedMs);
  const excess = dead.length - DEAD_KEYS_MAX;
  return dead.filter((each, i) => each.isOld || i < excess).map(({ id }) => id);
}

function isOld(endedMs: number | undefined, nowMs: number): boolean {
  return endedMs !== undefined && endedMs < nowMs - DEAD_KEYS_MS;
}

interface Witness {
  readonly ms: number;
  readonly readAtMs: number;
}

/**
 * The least that the time can be, by what servers have written. Each key is a witness: it says its
 * newest time, and what has passed since that was read. Of all of them the middle one counts, so
 * that a clock that is far ahead does not, also where its keys are read again after a start.
 */
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
