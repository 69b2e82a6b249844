/**
 * Removes the objects of a namespace that nothing reaches, in two passes: what the first one sees
 * is removed by one a grace period later that still sees it. The grace is for readers of an older
 * manifest; that nothing which is removed can ever be reached again needs no clock (see
 * `segment-id.ts`).
 */

import { editManifest, type Manifest } from "../manifest/manifest.ts";
import { ManifestStore } from "../manifest/manifest-store.ts";
import { findHeld, type HeldObjects } from "../namespace/checkpoints/held-objects.ts";
import { isAnnounced, isDeleted } from "../namespace/generations/namespace-generations.ts";
import { generationPrefix, type NamespaceGeneration, pinPrefix } from "../storage/object-keys.ts";
import type { ObjectKey } from "../storage/object-store.ts";
import { storePages } from "../storage/store-pages.ts";
import { pickGarbage } from "./garbage/garbage-picker.ts";
import { withoutPinned } from "./garbage/pin-garbage.ts";
import { mayBeImported } from "./garbage/segment-garbage.ts";
import { forgetOthers, type GarbageMemory, sighter } from "./garbage/sightings.ts";
import { lastEntryOf } from "./garbage/wal-entry-garbage.ts";
import { saveThrough } from "./index-namespace.ts";
import type { IndexerOptions } from "./indexer-options.ts";

/** What became of a pass. */
export interface CollectionOutcome {
  readonly removedCount: number;
  /** Objects that wait for their grace to end. */
  readonly waitingCount: number;
  /**
   * Some have waited long enough, but an entry that no manifest covers may name them: all of the
   * log must be indexed before they can go.
   */
  readonly needsIndex: boolean;
  /** Stored segments of the namespace. */
  readonly segmentCount: number;
  /** Others whose logs may name segments of this namespace: some can go once these are indexed. */
  readonly waitsFor: readonly NamespaceGeneration[];
}

/** One pass over a namespace. */
export async function collectGarbage(
  options: IndexerOptions,
  generation: NamespaceGeneration,
  memory: GarbageMemory,
): Promise<CollectionOutcome> {
  const { clock, random, store } = options;
  if (await isAnnounced(store, generation)) {
    memory.seen.clear(); // The server that fills or deletes it clears up.
    return { removedCount: 0, waitingCount: 0, needsIndex: false, segmentCount: 0, waitsFor: [] };
  }
  if (await isDeleted(store, generation)) return removeDeleted(options, generation, memory);
  const manifests = new ManifestStore({
    store: options.storeFor(undefined),
    clock,
    random,
    generation,
  });
  // Keys first: what a manifest that is loaded later does not name was never named, or no more.
  const keys = await listAll(options, generation);
  const newest = await manifests.load();
  const held = await findHeld(options, generation, memory.kept);
  const logEnd = lastEntryOf(keys, generation);
  const picked = pickGarbage(keys, generation, newest);
  const unnamed = picked.unreachable.filter((key) => !held.holds(key));
  const pending = picked.pending.filter((key) => !held.holds(key));
  const unpinned = await withoutPinned(options, generation, { keys, unnamed, seen: memory.pins });
  const { unreachable, unsure, waitsFor } = unpinned;
  const isRipe = sighter(memory, { clock, graceMs: options.garbageGraceMs });
  // A copy that still puts objects is running, and may yet commit.
  const isAbandoned = pending.length > 0 && pending.map(isRipe).every(Boolean);
  if (newest !== undefined && isAbandoned) await fence(options, { generation, manifests, newest });
  const ripe = unreachable.filter(isRipe);
  const isCovered = newest !== undefined && newest.indexedUpTo >= logEnd;
  const removable = isCovered ? ripe : ripe.filter((key) => !mayBeImported(key, generation));
  await removeAll(options, removable);
  forgetOthers(memory, [...unreachable, ...pending, ...unsure]);
  for (const key of removable) memory.seen.delete(key);
  await removeExpired(options, held);
  const needsIndex = logEnd > 0 && ripe.length > removable.length;
  const waitingCount = memory.seen.size;
  const segmentCount = newest?.segments.length ?? 0;
  return { removedCount: removable.length, waitingCount, needsIndex, segmentCount, waitsFor };
}

/** Makes a version without changes: a writer that builds on the version before can never commit. */
async function fence(
  options: IndexerOptions,
  of: {
    readonly generation: NamespaceGeneration;
    readonly manifests: ManifestStore;
    readonly newest: Manifest;
  },
): Promise<void> {
  const { generation, manifests, newest } = of;
  const updatedAtMs = Math.max(0, Math.round(options.clock.nowMs()));
  const { settings } = newest.state;
  const next = editManifest(newest, { updatedAtMs });
  await saveThrough(manifests, { options, generation, store: options.storeFor(settings), next });
}

/** A builder may have put objects of a generation after it was removed. */
async function removeDeleted(
  options: IndexerOptions,
  generation: NamespaceGeneration,
  memory: GarbageMemory,
): Promise<CollectionOutcome> {
  const { seen, pins } = memory;
  const keys = await listAll(options, generation);
  const held = await findHeld(options, generation, memory.kept);
  const isOver = (key: ObjectKey) => !key.startsWith(pinPrefix(generation)) && !held.holds(key);
  const unnamed = keys.filter(isOver);
  const unpinned = await withoutPinned(options, generation, { keys, unnamed, seen: pins });
  const { unreachable: garbage, unsure, waitsFor } = unpinned;
  forgetOthers(memory, [...garbage, ...unsure]);
  const isRipe = sighter(memory, { clock: options.clock, graceMs: options.garbageGraceMs });
  const ripe = garbage.filter(isRipe);
  await removeAll(options, ripe);
  for (const key of ripe) seen.delete(key);
  await removeExpired(options, held);
  const waitingCount = keys.length - ripe.length;
  const removedCount = ripe.length;
  return { removedCount, waitingCount, needsIndex: false, segmentCount: 0, waitsFor };
}

/** Takes checkpoints away whose time is over; what they kept is garbage from the next pass on. */
async function removeExpired(options: IndexerOptions, { checkpoints }: HeldObjects): Promise<void> {
  const nowMs = options.clock.nowMs();
  const expired = checkpoints.filter(({ expiresAtMs }) => expiresAtMs <= nowMs);
  await removeAll(
    options,
    expired.map(({ key }) => key),
  );
}

async function listAll(
  options: IndexerOptions,
  generation: NamespaceGeneration,
): Promise<ObjectKey[]> {
  const keys: ObjectKey[] = [];
  for await (const page of storePages(options.store, { prefix: generationPrefix(generation) }))
    keys.push(...page.keys);
  return keys;
}

async function removeAll(options: IndexerOptions, keys: readonly ObjectKey[]): Promise<void> {
  for (let start = 0; start < keys.length; start += REMOVALS_AT_ONCE) {
    const some = keys.slice(start, start + REMOVALS_AT_ONCE);
    await Promise.all(some.map((key) => options.store.delete(key)));
  }
}

/** Objects that are removed at the same time. */
const REMOVALS_AT_ONCE = 16;
