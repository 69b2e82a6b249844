/**
 * Pins: who shares segments that lie under another namespace's prefix, its home. A copy or branch
 * names the source's segments instead of copying them, and puts a pin at each home first, so that
 * the home's collector spares them, also after the home itself is deleted.
 *
 * No clock and no compare-and-swap is needed, only the order of what each side does:
 *
 *     who shares                               who collects the home
 *     1. put the pin                           1. load the home's newest manifest
 *     2. see that the source is not deleted,   2. list the pins
 *        and that its newest manifest still    3. load the manifest of each that shares
 *        has all that is to be shared          4. list the pins again: a new one spares all
 *     3. commit the names                      5. remove what neither manifest names
 *
 * A collector that misses the pin in its step 4 has loaded its manifests before the pin was put,
 * and then step 2 of who shares sees at least these: it finds a segment gone, or the collector
 * found it named. A pin is empty, and lies at `pins/<by>-table/<generation of by>/<16 hex digits>`.
 */

import { isDatabaseError } from "../../base/errors.ts";
import type { SegmentId, SequenceNumber } from "../../base/ids.ts";
import type { Random } from "../../base/random.ts";
import { storePages } from "../../engine/store-pages.ts";
import type { IndexerParts } from "../../indexer/indexer-options.ts";
import { ManifestStore } from "../../manifest/manifest-store.ts";
import {
  type NamespaceGeneration,
  parsePinKey,
  parseWalKey,
  pinKey,
  pinPrefix,
  walPrefix,
} from "../../storage/object-keys.ts";
import { ALWAYS, type ObjectKey, type ObjectStore } from "../../storage/object-store.ts";
import { isAnnounced, isDeleted } from "../generations/namespace-generations.ts";

/** Names a pin of `by` at each of `homes`. */
export function newPins(
  homes: readonly NamespaceGeneration[],
  by: NamespaceGeneration,
  random: Random,
): ObjectKey[] {
  return homes.map((home) => pinKey(home, by, Buffer.from(random.bytes(8)).toString("hex")));
}

/** Puts pins. */
export async function putPins(store: ObjectStore, pins: readonly ObjectKey[]): Promise<void> {
  await Promise.all(pins.map((key) => store.put(key, new Uint8Array(0), ALWAYS)));
}

async function listPins(store: ObjectStore, home: NamespaceGeneration): Promise<ObjectKey[]> {
  const keys: ObjectKey[] = [];
  for await (const page of storePages(store, pinPrefix(home))) keys.push(...page.keys);
  return keys;
}

/** What the pins at a home spare. */
export type PinnedSegments =
  /**
   * Somebody's needs are not known yet: those of `waitsFor` are when their logs are indexed as far
   * as they go now, others' without anybody's doing.
   */
  | { readonly kind: "all"; readonly waitsFor: readonly NamespaceGeneration[] }
  /** These segments; `idle` are the pins that spare nothing and never will again. */
  | {
      readonly kind: "some";
      readonly ids: ReadonlySet<SegmentId>;
      readonly idle: readonly ObjectKey[];
    };

/** Tells whether a segment of the home is spared. */
export function isPinned(pinned: PinnedSegments, id: SegmentId): boolean {
  return pinned.kind === "all" || pinned.ids.has(id);
}

/**
 * For each pin whose sharer's log went on, the end of that log when the pin was first seen: what it
 * shares is named by a manifest that covers that much, or by none.
 */
export type PinSightings = Map<ObjectKey, SequenceNumber | 0>;

/** Finds what others share of a home. To be called after the home's manifest is loaded. */
export async function findPinned(
  parts: IndexerParts,
  home: NamespaceGeneration,
  seen: PinSightings,
): Promise<PinnedSegments> {
  const before = await listPins(parts.store, home);
  for (const key of seen.keys()) if (!before.includes(key)) seen.delete(key);
  const ids = new Set<SegmentId>();
  const idle: ObjectKey[] = [];
  const waitsFor: NamespaceGeneration[] = [];
  let isKnown = true;
  for (const key of before) {
    const by = parsePinKey(home, key);
    const needed = by === undefined ? "unknown" : await neededBy(parts, by, { home, key, seen });
    if (by !== undefined && needed === "not indexed") waitsFor.push(by);
    if (typeof needed === "string") isKnown = false;
    else if (needed.length === 0) idle.push(key);
    else for (const id of needed) ids.add(id);
  }
  if (!isKnown) return { kind: "all", waitsFor };
  const after = await listPins(parts.store, home);
  const known = new Set(before);
  const isSame = after.every((key) => known.has(key));
  return isSame ? { kind: "some", ids, idle } : { kind: "all", waitsFor: [] };
}

/** What one sharer needs of `home`; a word says why that is not known yet. */
async function neededBy(
  parts: IndexerParts,
  by: NamespaceGeneration,
  pin: {
    readonly home: NamespaceGeneration;
    readonly key: ObjectKey;
    readonly seen: PinSightings;
  },
): Promise<readonly SegmentId[] | "unknown" | "not indexed"> {
  const { clock, random, store } = parts;
  const { home, key, seen } = pin;
  if (await isDeleted(store, by)) return [];
  if (await isAnnounced(store, by)) return "unknown";
  // From here on its commit is in the log, or under a manifest that is loaded later, or never is.
  const logEnd = seen.get(key) ?? (await findLogEnd(store, by));
  seen.set(key, logEnd);
  const manifests = new ManifestStore({ store: parts.storeFor(undefined), clock, random, at: by });
  const newest = await manifests.load().catch(asUnknown);
  // What is damaged there, or locked, must not keep the rest of the home's garbage.
  if (newest === "unknown") return newest;
  if ((newest?.indexedUpTo ?? 0) < logEnd) return "not indexed";
  const named = newest?.segments.filter(({ home: of }) => {
    return of?.name === home.name && of.generation === home.generation;
  });
  return named?.map(({ id }) => id) ?? [];
}

function asUnknown(error: unknown): "unknown" {
  if (!isDatabaseError(error)) throw error;
  return "unknown";
}

async function findLogEnd(
  store: ObjectStore,
  at: NamespaceGeneration,
): Promise<SequenceNumber | 0> {
  let end: SequenceNumber | 0 = 0;
  for await (const { keys } of storePages(store, walPrefix(at))) {
    for (const key of keys) end = parseWalKey(at, key) ?? end;
  }
  return end;
}
