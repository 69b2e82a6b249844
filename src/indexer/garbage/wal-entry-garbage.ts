/** WAL entries: those that the newest manifest covers are garbage. */

import type { SequenceNumber } from "../../base/ids.ts";
import { type NamespaceGeneration, parseWalKey } from "../../storage/object-keys.ts";
import type { ObjectKey } from "../../storage/object-store.ts";
import type { GarbageKind } from "./garbage-kind.ts";

/** Entries up to `indexedUpTo` are in segments. */
export const walEntryGarbage: GarbageKind = (generation, newest) => (key) => {
  const sequence = parseWalKey(generation, key);
  if (sequence === undefined) return undefined;
  return sequence <= newest.indexedUpTo ? "unreachable" : "reached";
};

/** Number of the last entry among these keys; 0 if there is none. */
export function lastEntryOf(
  keys: readonly ObjectKey[],
  generation: NamespaceGeneration,
): SequenceNumber | 0 {
  let last: SequenceNumber | 0 = 0;
  for (const key of keys) {
    const sequence = parseWalKey(generation, key);
    if (sequence !== undefined && sequence > last) last = sequence;
  }
  return last;
}
