/**
 * Coverage marks: empty objects whose keys say up to which entry some manifest covers the log. An
 * indexer puts one after each manifest that covers more. As no later manifest covers less, a mark
 * stays true. An opening lists the marks in the round in which it reads the manifest, and does not
 * read the entries that they cover. A mark is a hint: without it, more is read.
 */

import type { SequenceNumber } from "../base/ids.ts";
import { coverageKey, type NamespaceGeneration, parseCoverageKey } from "../storage/object-keys.ts";
import { ALWAYS, type ObjectKey, type ObjectStore } from "../storage/object-store.ts";

/** Puts the mark of a manifest that is in the store. */
export async function putCoverageMark(
  store: ObjectStore,
  generation: NamespaceGeneration,
  upTo: SequenceNumber,
): Promise<void> {
  await store.put(coverageKey(generation, upTo), new Uint8Array(0), ALWAYS);
}

/** The last covered entry according to the marks among `keys`; 0 without marks. */
export function coveredUpTo(
  keys: readonly ObjectKey[],
  generation: NamespaceGeneration,
): SequenceNumber | 0 {
  let covered: SequenceNumber | 0 = 0;
  for (const key of keys) {
    const upTo = parseCoverageKey(generation, key);
    if (upTo !== undefined && upTo > covered) covered = upTo;
  }
  return covered;
}
