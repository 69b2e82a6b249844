/**
 * Removes the objects of a namespace that nothing reaches, in two passes: what the first one sees
 * is removed by one a grace period later that still sees it. The grace is for readers of an older
 * manifest; that nothing which is removed can ever be reached again needs no clock (see
 * `segment-id.ts`).
 */

import type { Clock } from "../base/clock.ts";
import type { SequenceNumber } from "../base/ids.ts";
import { type Garbage, pickGarbage } from "../index/garbage-picker.ts";
import { saveThrough } from "../indexer/index-namespace.ts";
import type { IndexerParts } from "../indexer/indexer-options.ts";
import { editManifest, type Manifest } from "../manifest/manifest.ts";
import { ManifestStore } from "../manifest/manifest-store.ts";
import { isAnnounced, isDeleted } from "../namespace/generations/namespace-generations.ts";
import { decodeFacts } from "../namespace/namespace-facts.ts";
import { findPinned, isPinned, type PinSightings } from "../namespace/segments/segment-pins.ts";
import { baseVersionOf } from "../segment/format/segment-id.ts";
import {
  generationPrefix,
  type NamespaceGeneration,
  parseSegmentKey,
  parseWalKey,
  pinPrefix,
} from "../storage/object-keys.ts";
import type { ObjectKey } from "../storage/object-store.ts";
import { storePages } from "./store-pages.ts";

/** What a collector has seen of one namespace. */
export interface GarbageMemory {
  /** When each object was first seen to be garbage, by the collector's own clock. */
  readonly seen: Map<ObjectKey, Sighting>;
  readonly pins: PinSightings;
}

/** Nothing seen yet. */
export function newGarbageMemory(): GarbageMemory {
  return { seen: new Map(), pins: new Map() };
}

interface Sighting {
  readonly sinceMs: number;
}

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
  /** Others whose logs may name segments of this namespace: some can go once these are indexed. */
  readonly waitsFor: readonly NamespaceGeneration[];
}

/** One pass over a namespace. */
export async function collectGarbage(
  parts: IndexerParts,
  at: NamespaceGeneration,
  memory: GarbageMemory,
): Promise<CollectionOutcome> {
  const { clock, random, store } = parts;
  if (await isAnnounced(store, at)) {
    memory.seen.clear(); // It is being filled or deleted: whoever does that clears up.
    return { removedCount: 0, waitingCount: 0, needsIndex: false, waitsFor: [] };
  }
  if (await isDeleted(store, at)) return removeDeleted(parts, at, memory);
  const manifests = new ManifestStore({ store: parts.storeFor(undefined), clock, random, at });
  // Keys first: what a manifest that is loaded later does not name was never named, or no more.
  const keys = await listAll(parts, at);
  const newest = await manifests.load();
  const logEnd = lastEntry(keys, at);
  const { unreachable: unnamed, pending } =
    newest === undefined ? unnamedBy(keys, at) : pickGarbage(keys, at, newest);
  const unpinned = await withoutPinned(parts, at, { keys, unnamed, seen: memory.pins });
  const { unreachable, unsure, waitsFor } = unpinned;
  const isRipe = sighter(memory, { clock, graceMs: parts.garbageGraceMs });
  // Who still puts objects now and then is alive, and may come to its end.
  const isAbandoned = pending.length > 0 && pending.map(isRipe).every(Boolean);
  if (newest !== undefined && isAbandoned) await fence(parts, { at, manifests, newest });
  const ripe = unreachable.filter(isRipe);
  const isCovered = newest !== undefined && newest.indexedUpTo >= logEnd;
  const removable = isCovered ? ripe : ripe.filter((key) => !mayBeImported(key, at));
  await removeAll(parts, removable);
  forgetOthers(memory, [...unreachable, ...pending, ...unsure]);
  for (const key of removable) memory.seen.delete(key);
  const needsIndex = logEnd > 0 && ripe.length > removable.length;
  const waitingCount = memory.seen.size;
  return { removedCount: removable.length, waitingCount, needsIndex, waitsFor };
}

/** Without a manifest only the log can tell which segments are in use; without a log none can. */
function unnamedBy(keys: readonly ObjectKey[], at: NamespaceGeneration): Garbage {
  if (lastEntry(keys, at) === 0) return { unreachable: [], pending: [] };
  return { unreachable: keys.filter((key) => mayBeImported(key, at)), pending: [] };
}

/** A copy puts segments under names that build on no manifest, and an entry that names them. */
function mayBeImported(key: ObjectKey, at: NamespaceGeneration): boolean {
  const id = parseSegmentKey(at, key);
  return id !== undefined && baseVersionOf(id) === 0;
}

interface Unpinned {
  readonly unreachable: readonly ObjectKey[];
  /** Somebody may share these, or not. */
  readonly unsure: readonly ObjectKey[];
  readonly waitsFor: readonly NamespaceGeneration[];
}

/** Leaves out what others share, and adds pins that nobody needs any more. */
async function withoutPinned(
  parts: IndexerParts,
  at: NamespaceGeneration,
  of: {
    readonly keys: readonly ObjectKey[];
    readonly unnamed: readonly ObjectKey[];
    readonly seen: PinSightings;
  },
): Promise<Unpinned> {
  const { keys, unnamed, seen } = of;
  const mayBeShared = unnamed.some((key) => parseSegmentKey(at, key) !== undefined);
  const pins = keys.filter((key) => key.startsWith(pinPrefix(at)));
  if (!mayBeShared && pins.length === 0) {
    return { unreachable: unnamed, unsure: [], waitsFor: [] };
  }
  const pinned = await findPinned(parts, at, seen);
  const spared = unnamed.filter((key) => {
    const id = parseSegmentKey(at, key);
    return id === undefined || !isPinned(pinned, id);
  });
  if (pinned.kind === "some") {
    return { unreachable: [...spared, ...pinned.idle], unsure: [], waitsFor: [] };
  }
  const waitsFor = mayBeShared ? pinned.waitsFor : [];
  return { unreachable: spared, unsure: [...unnamed, ...pins], waitsFor };
}

/**
 * Forgets what is not garbage. What nobody reached once is never shared any more, so it stays
 * garbage also while it is not known what a new pin is for.
 */
function forgetOthers({ seen }: GarbageMemory, garbage: readonly ObjectKey[]): void {
  const known = new Set(garbage);
  for (const key of seen.keys()) if (!known.has(key)) seen.delete(key);
}

/** Notes what is seen for the first time; tells what has been seen for long enough. */
function sighter(
  { seen }: GarbageMemory,
  { clock, graceMs }: { readonly clock: Clock; readonly graceMs: number },
): (key: ObjectKey) => boolean {
  const nowMs = clock.monotonicMs();
  return (key) => {
    const sighting = seen.get(key);
    if (sighting === undefined) {
      seen.set(key, { sinceMs: nowMs });
      return graceMs === 0;
    }
    return nowMs - sighting.sinceMs >= graceMs;
  };
}

/** Makes a version without changes: who builds on the one before can never commit. */
async function fence(
  parts: IndexerParts,
  of: {
    readonly at: NamespaceGeneration;
    readonly manifests: ManifestStore;
    readonly newest: Manifest;
  },
): Promise<void> {
  const { at, manifests, newest } = of;
  const updatedAtMs = Math.max(0, Math.round(parts.clock.nowMs()));
  const { settings } = decodeFacts(newest.state, newest.indexedUpTo);
  const next = editManifest(newest, { updatedAtMs });
  await saveThrough(manifests, { parts, at, store: parts.storeFor(settings), next });
}

/** A builder may have put objects of a generation after it was removed. */
async function removeDeleted(
  parts: IndexerParts,
  at: NamespaceGeneration,
  memory: GarbageMemory,
): Promise<CollectionOutcome> {
  const { seen, pins } = memory;
  const keys = await listAll(parts, at);
  const unnamed = keys.filter((key) => !key.startsWith(pinPrefix(at)));
  const unpinned = await withoutPinned(parts, at, { keys, unnamed, seen: pins });
  const { unreachable: garbage, unsure, waitsFor } = unpinned;
  forgetOthers(memory, [...garbage, ...unsure]);
  const isRipe = sighter(memory, { clock: parts.clock, graceMs: parts.garbageGraceMs });
  const ripe = garbage.filter(isRipe);
  await removeAll(parts, ripe);
  for (const key of ripe) seen.delete(key);
  const waitingCount = keys.length - ripe.length;
  return { removedCount: ripe.length, waitingCount, needsIndex: false, waitsFor };
}

async function listAll(parts: IndexerParts, at: NamespaceGeneration): Promise<ObjectKey[]> {
  const keys: ObjectKey[] = [];
  for await (const page of storePages(parts.store, generationPrefix(at))) keys.push(...page.keys);
  return keys;
}

function lastEntry(keys: readonly ObjectKey[], at: NamespaceGeneration): SequenceNumber | 0 {
  let last: SequenceNumber | 0 = 0;
  for (const key of keys) {
    const sequence = parseWalKey(at, key);
    if (sequence !== undefined && sequence > last) last = sequence;
  }
  return last;
}

async function removeAll(parts: IndexerParts, keys: readonly ObjectKey[]): Promise<void> {
  for (let start = 0; start < keys.length; start += REMOVALS_AT_ONCE) {
    const some = keys.slice(start, start + REMOVALS_AT_ONCE);
    await Promise.all(some.map((key) => parts.store.delete(key)));
  }
}

/** Objects that are removed at the same time. */
const REMOVALS_AT_ONCE = 16;
