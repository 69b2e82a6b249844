/** Which stored segments a copy shares with its source, and the pins that keep them. */

import type { Clock } from "../../base/clock.ts";
import type { SegmentId } from "../../base/ids.ts";
import type { Random } from "../../base/random.ts";
import { ManifestStore } from "../../manifest/manifest-store.ts";
import { isDeleted } from "../../namespace/generations/namespace-generations.ts";
import { namespaceNotFound } from "../../namespace/namespace-faults.ts";
import { newPins, putPins } from "../../namespace/segments/segment-pins.ts";
import { type NamespaceGeneration, ownerOf, segmentKey } from "../../storage/object-keys.ts";
import type { ObjectKey } from "../../storage/object-store.ts";
import type { NamespaceOptions } from "../opened/namespace-options.ts";
import type { RetainedDocuments, RetainedStoredSegment } from "../retained-documents.ts";

/** The stored segments of a source with live documents. */
export interface Sharing {
  readonly shared: readonly RetainedStoredSegment[];
  readonly copied: readonly RetainedStoredSegment[];
}

/** Splits the segments by what `mayShare` says of them. */
export function chooseShared(
  retained: RetainedDocuments,
  mayShare: (id: SegmentId) => boolean,
): Sharing {
  const live = retained.stored.filter(({ liveCount }) => liveCount > 0);
  const shared = live.filter(({ view }) => mayShare(view.id));
  return { shared, copied: live.filter(({ view }) => !mayShare(view.id)) };
}

/**
 * Puts pins of `by` at the owners of all `shared`, then looks whether the source still has them:
 * false if not, and then they may be gone. The pins are added to `pins` before they are put. Throws
 * if the source was deleted.
 */
export async function pinShared(
  retained: RetainedDocuments,
  shared: readonly RetainedStoredSegment[],
  to: {
    readonly clock: Clock;
    readonly random: Random;
    readonly storeFor: NamespaceOptions["storeFor"];
    readonly by: NamespaceGeneration;
    readonly pins: ObjectKey[];
    /** Without it, the source's newest manifest is asked. */
    readonly isKept?: (() => Promise<boolean>) | undefined;
  },
): Promise<boolean> {
  if (shared.length === 0) return true;
  const { clock, random, by } = to;
  const store = to.storeFor(undefined);
  const pins = newPins(ownersOf(shared), by, random);
  to.pins.push(...pins);
  await putPins(store, pins);
  if (to.isKept !== undefined) return to.isKept();
  if (await isDeleted(store, retained.generation)) throw namespaceNotFound(retained.name);
  const newest = await new ManifestStore({
    store,
    clock,
    random,
    generation: retained.generation,
  }).load();
  if ((newest?.version ?? 0) === retained.manifestVersion) return true;
  const named = new Set(
    newest?.segments.map(({ id, owner }) => segmentKey(owner ?? retained.generation, id) as string),
  );
  return shared.every(({ object }) => named.has(object));
}

function ownersOf(segments: readonly RetainedStoredSegment[]): NamespaceGeneration[] {
  const owners = new Map<string, NamespaceGeneration>();
  for (const { object } of segments) {
    const owner = ownerOf(object);
    owners.set(`${owner.name}/${owner.generation}`, owner);
  }
  return [...owners.values()];
}
