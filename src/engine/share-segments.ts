/** Which stored segments a copy shares with its source, and the pins that keep them. */

import type { Clock } from "../base/clock.ts";
import type { SegmentId } from "../base/ids.ts";
import type { Random } from "../base/random.ts";
import { ManifestStore } from "../manifest/manifest-store.ts";
import { isDeleted } from "../namespace/generations/namespace-generations.ts";
import { namespaceNotFound } from "../namespace/namespace-faults.ts";
import { newPins, putPins } from "../namespace/segments/segment-pins.ts";
import { homeOf, type NamespaceGeneration, segmentKey } from "../storage/object-keys.ts";
import type { ObjectKey } from "../storage/object-store.ts";
import type { HeldDocuments, HeldStoredSegment } from "./held-documents.ts";
import type { NamespaceParts } from "./namespace-parts.ts";

/** The stored segments of a source with live documents. */
export interface Sharing {
  readonly shared: readonly HeldStoredSegment[];
  readonly copied: readonly HeldStoredSegment[];
}

/** Splits the segments by what `mayShare` says of them. */
export function chooseShared(held: HeldDocuments, mayShare: (id: SegmentId) => boolean): Sharing {
  const alive = held.stored.filter(({ liveCount }) => liveCount > 0);
  const shared = alive.filter(({ view }) => mayShare(view.id));
  return { shared, copied: alive.filter(({ view }) => !mayShare(view.id)) };
}

/**
 * Puts pins of `by` at the homes of all `shared`, and then looks whether the source still has them:
 * false if not, and then they may be gone. The pins are added to `pins` before they are put. Throws
 * if the source was deleted.
 */
export async function pinShared(
  held: HeldDocuments,
  shared: readonly HeldStoredSegment[],
  to: {
    readonly clock: Clock;
    readonly random: Random;
    readonly storeFor: NamespaceParts["storeFor"];
    readonly by: NamespaceGeneration;
    readonly pins: ObjectKey[];
  },
): Promise<boolean> {
  if (shared.length === 0) return true;
  const { clock, random, by } = to;
  const store = to.storeFor(undefined);
  const pins = newPins(homesOf(shared), by, random);
  to.pins.push(...pins);
  await putPins(store, pins);
  if (await isDeleted(store, held.at)) throw namespaceNotFound(held.name);
  const newest = await new ManifestStore({ store, clock, random, at: held.at }).load();
  if ((newest?.version ?? 0) === held.manifestVersion) return true;
  const named = new Set(
    newest?.segments.map(({ id, home }) => segmentKey(home ?? held.at, id) as string),
  );
  return shared.every(({ object }) => named.has(object));
}

function homesOf(segments: readonly HeldStoredSegment[]): NamespaceGeneration[] {
  const homes = new Map<string, NamespaceGeneration>();
  for (const { object } of segments) {
    const home = homeOf(object);
    homes.set(`${home.name}/${home.generation}`, home);
  }
  return [...homes.values()];
}
