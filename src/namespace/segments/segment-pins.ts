/**
 * Pins: who shares segments that lie under another namespace's prefix, its owner. A copy or branch
 * names the source's segments instead of copying them, and puts a pin at each owner first, so that
 * the owner's collector spares them, also after the owner itself is deleted.
 *
 * No clock and no compare-and-swap is needed, only the order of what each side does:
 *
 *     who shares                               who collects the owner
 *     1. put the pin                           1. load the owner's newest manifest
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
import { storePages } from "../../storage/store-pages.ts";
import { findHeld } from "../checkpoints/held-objects.ts";
import { isAnnounced, isDeleted } from "../generations/namespace-generations.ts";
import type { OpeningOptions } from "../recovery/opening-options.ts";

/** Names a pin of `by` at each of `owners`. */
export function newPins(
  owners: readonly NamespaceGeneration[],
  by: NamespaceGeneration,
  random: Random,
): ObjectKey[] {
  return owners.map((owner) => pinKey(owner, by, Buffer.from(random.bytes(8)).toString("hex")));
}

/** Puts pins. */
export async function putPins(store: ObjectStore, pins: readonly ObjectKey[]): Promise<void> {
  await Promise.all(pins.map((key) => store.put(key, new Uint8Array(0), ALWAYS)));
}

async function listPins(store: ObjectStore, owner: NamespaceGeneration): Promise<ObjectKey[]> {
  const keys: ObjectKey[] = [];
  for await (const page of storePages(store, { prefix: pinPrefix(owner) })) keys.push(...page.keys);
  return keys;
}

/** What the pins at an owner spare. */
export type PinnedSegments =
  /**
   * What some sharers need is not known yet: that of `waitsFor` are when their logs are indexed as
   * far as they go now, others' without anybody's doing.
   */
  | { readonly kind: "all"; readonly waitsFor: readonly NamespaceGeneration[] }
  /** These segments; `idle` are the pins that spare nothing and never will again. */
  | {
      readonly kind: "some";
      readonly ids: ReadonlySet<SegmentId>;
      readonly idle: readonly ObjectKey[];
    };

/** Tells whether a segment of the owner is spared. */
export function isPinned(pinned: PinnedSegments, id: SegmentId): boolean {
  return pinned.kind === "all" || pinned.ids.has(id);
}

/**
 * For each pin whose sharer's log went on, the end of that log when the pin was first seen: what it
 * shares is named by a manifest that covers that much, or by none.
 */
export type PinSightings = Map<ObjectKey, SequenceNumber | 0>;

/** What looking for sharers takes; `store` lists. */
export type PinOptions = Pick<OpeningOptions, "clock" | "random" | "storeFor"> & {
  readonly store: ObjectStore;
};

/** Finds what others share of an owner. To be called after the owner's manifest is loaded. */
export async function findPinned(
  options: PinOptions,
  owner: NamespaceGeneration,
  seen: PinSightings,
): Promise<PinnedSegments> {
  const before = await listPins(options.store, owner);
  for (const key of seen.keys()) if (!before.includes(key)) seen.delete(key);
  const ids = new Set<SegmentId>();
  const idle: ObjectKey[] = [];
  const waitsFor: NamespaceGeneration[] = [];
  let isKnown = true;
  for (const key of before) {
    const by = parsePinKey(owner, key);
    const needed = by === undefined ? "unknown" : await neededBy(options, by, { owner, key, seen });
    if (by !== undefined && needed === "not indexed") waitsFor.push(by);
    if (typeof needed === "string") isKnown = false;
    else if (needed.length === 0) idle.push(key);
    else for (const id of needed) ids.add(id);
  }
  if (!isKnown) return { kind: "all", waitsFor };
  const after = await listPins(options.store, owner);
  const known = new Set(before);
  const isSame = after.every((key) => known.has(key));
  return isSame ? { kind: "some", ids, idle } : { kind: "all", waitsFor: [] };
}

/** What one sharer needs of `owner`; a word says why that is not known yet. */
async function neededBy(
  options: PinOptions,
  by: NamespaceGeneration,
  pin: {
    readonly owner: NamespaceGeneration;
    readonly key: ObjectKey;
    readonly seen: PinSightings;
  },
): Promise<readonly SegmentId[] | "unknown" | "not indexed"> {
  const { clock, random, store } = options;
  const { owner, key, seen } = pin;
  // Its checkpoints outlive it (checkpoint.ts).
  if (await isDeleted(store, by)) return (await findHeld(options, by)).idsOf(owner) ?? "unknown";
  if (await isAnnounced(store, by)) return "unknown";
  // From here on its commit is in the log, or under a manifest that is loaded later, or never is.
  const logEnd = seen.get(key) ?? (await findLogEnd(store, by));
  seen.set(key, logEnd);
  const manifests = new ManifestStore({
    store: options.storeFor(undefined),
    clock,
    random,
    generation: by,
  });
  const newest = await manifests.load().catch(asUnknown);
  // A sharer that is damaged or locked keeps only what it may share, not the owner's other garbage.
  if (newest === "unknown") return newest;
  if ((newest?.indexedUpTo ?? 0) < logEnd) return "not indexed";
  const named = newest?.segments.filter(({ owner: of }) => {
    return of?.name === owner.name && of.generation === owner.generation;
  });
  const held = (await findHeld(options, by)).idsOf(owner);
  return held === undefined ? "unknown" : [...(named?.map(({ id }) => id) ?? []), ...held];
}

function asUnknown(error: unknown): "unknown" {
  if (!isDatabaseError(error)) throw error;
  return "unknown";
}

async function findLogEnd(
  store: ObjectStore,
  generation: NamespaceGeneration,
): Promise<SequenceNumber | 0> {
  let end: SequenceNumber | 0 = 0;
  for await (const { keys } of storePages(store, { prefix: walPrefix(generation) })) {
    for (const key of keys) end = parseWalKey(generation, key) ?? end;
  }
  return end;
}
