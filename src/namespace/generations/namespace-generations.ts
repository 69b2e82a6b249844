/**
 * Which generation of a namespace is live, and how one ends. A namespace is deleted in this order:
 *
 * 1. intent `deleting/…`       so that a crash in the next steps is noticed at the next start
 * 2. WAL entry "delete"        the commit: from here on the generation is deleted
 * 3. mark `deleted/…`          its number is never used again
 * 4. remove all its objects
 * 5. remove the intent of step 1
 *
 * A namespace that cannot be opened has no log that could take step 2: its commit is step 3.
 * A copy puts the intent of step 1 before it puts anything, so that a crash leaves nothing of it.
 */

import type { NamespaceName } from "../../base/ids.ts";
import {
  DELETING_PREFIX,
  deletedKey,
  deletedPrefix,
  deletingKey,
  generationCheckpointsPrefix,
  generationPrefix,
  type NamespaceGeneration,
  namespacePrefix,
  parseDeletedKey,
  parseDeletingKey,
  parseGenerationPrefix,
  pinPrefix,
  segmentPrefix,
  walPrefix,
} from "../../storage/object-keys.ts";
import { ALWAYS, type ObjectKey, type ObjectStore } from "../../storage/object-store.ts";
import { storePages } from "../../storage/store-pages.ts";

/** Objects that are removed at the same time. */
const REMOVALS_AT_ONCE = 16;

/** What the store says about a name. */
export interface FoundGenerations {
  /** The newest generation with objects that is not marked as deleted. */
  readonly live: NamespaceGeneration | undefined;
  /** What a creation would be, if none is live. */
  readonly next: NamespaceGeneration;
}

/** Looks up the generations of a name. Costs two listings, one after the other. */
export async function findGenerations(
  store: ObjectStore,
  name: NamespaceName,
): Promise<FoundGenerations> {
  const deleted = await deletedGenerations(store, name);
  const prefixes: string[] = [];
  for await (const page of storePages(store, { prefix: namespacePrefix(name), delimiter: "/" })) {
    prefixes.push(...page.prefixes);
  }
  return generationsIn(prefixes, name, deleted);
}

/** Numbers of the generations of a name that are marked as deleted. */
export async function deletedGenerations(
  store: ObjectStore,
  name: NamespaceName,
): Promise<ReadonlySet<number>> {
  const deleted = new Set<number>();
  for await (const page of storePages(store, { prefix: deletedPrefix(name) })) {
    for (const key of page.keys) {
      const generation = parseDeletedKey(key);
      if (generation !== undefined) deleted.add(generation.generation);
    }
  }
  return deleted;
}

/** Decides which generation is live, from the prefixes of all of them, ascending. Pure. */
export function generationsIn(
  prefixes: Iterable<string>,
  name: NamespaceName,
  deleted: ReadonlySet<number>,
): FoundGenerations {
  let live: NamespaceGeneration | undefined;
  for (const prefix of prefixes) {
    const generation = parseGenerationPrefix(prefix);
    if (generation !== undefined && !deleted.has(generation.generation)) live = generation;
  }
  let newest = live?.generation ?? 0;
  for (const generationNumber of deleted) newest = Math.max(newest, generationNumber);
  return { live, next: { name, generation: newest + 1 } };
}

/** Step 1: announces that a generation is to be deleted. */
export async function announceDeletion(
  store: ObjectStore,
  generation: NamespaceGeneration,
): Promise<void> {
  await store.put(deletingKey(generation), new Uint8Array(0), ALWAYS);
}

/** Takes the announcement back: the deletion was not committed. */
export async function withdrawDeletion(
  store: ObjectStore,
  generation: NamespaceGeneration,
): Promise<void> {
  await store.delete(deletingKey(generation));
}

/** Step 3: records that a generation is deleted. After this, listings and openings pass it over. */
export async function markDeleted(
  store: ObjectStore,
  generation: NamespaceGeneration,
): Promise<void> {
  await store.put(deletedKey(generation), new Uint8Array(0), ALWAYS);
}

/**
 * Steps 4 and 5: removes the objects of a generation that is marked as deleted. Where others share
 * segments of it (segment-pins.ts), all segments stay: a collector finds out which are needed. A
 * copy that puts a pin after the deletion mark sees the mark, and takes its pin back. Where there
 * are checkpoints, all objects stay, and a collector finds out which are needed. `keepLog`: other
 * servers may have the generation open, and would win the number of an entry that is gone, so a
 * collector removes the log, after a grace period.
 */
export async function removeGeneration(
  store: ObjectStore,
  generation: NamespaceGeneration,
  { keepLog }: { readonly keepLog: boolean },
): Promise<void> {
  const held = await store.list({ prefix: generationCheckpointsPrefix(generation), limit: 1 });
  if (held.keys.length > 0) {
    await withdrawDeletion(store, generation);
    return;
  }
  const pins = await store.list({ prefix: pinPrefix(generation), limit: 1 });
  const isShared = pins.keys.length > 0;
  const mayGo = (key: ObjectKey) => {
    if (keepLog && key.startsWith(walPrefix(generation))) return false;
    return (
      !isShared ||
      !(key.startsWith(segmentPrefix(generation)) || key.startsWith(pinPrefix(generation)))
    );
  };
  for await (const page of storePages(store, { prefix: generationPrefix(generation) })) {
    const gone = page.keys.filter(mayGo);
    for (let start = 0; start < gone.length; start += REMOVALS_AT_ONCE) {
      const keys = gone.slice(start, start + REMOVALS_AT_ONCE);
      await Promise.all(keys.map((key) => store.delete(key)));
    }
  }
  await withdrawDeletion(store, generation);
}

/** All deletions that were announced and are not finished. */
export async function announcedDeletions(store: ObjectStore): Promise<NamespaceGeneration[]> {
  const found: NamespaceGeneration[] = [];
  for await (const page of storePages(store, { prefix: DELETING_PREFIX })) {
    for (const key of page.keys) {
      const generation = parseDeletingKey(key);
      if (generation !== undefined) found.push(generation);
    }
  }
  return found;
}

/** Tells whether a generation is marked as deleted. */
export async function isDeleted(
  store: ObjectStore,
  generation: NamespaceGeneration,
): Promise<boolean> {
  return (await store.get(deletedKey(generation))) !== undefined;
}

/** Tells whether a deletion, or a filling, of a generation was announced and is not finished. */
export async function isAnnounced(
  store: ObjectStore,
  generation: NamespaceGeneration,
): Promise<boolean> {
  return (await store.get(deletingKey(generation))) !== undefined;
}
