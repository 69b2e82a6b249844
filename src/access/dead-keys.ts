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
