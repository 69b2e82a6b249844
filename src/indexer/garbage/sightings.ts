/** Which objects a collector has seen to be garbage, and since when. */

import type { Clock } from "../../base/clock.ts";
import type { KeptManifests } from "../../namespace/checkpoints/held-objects.ts";
import type { PinSightings } from "../../namespace/segments/segment-pins.ts";
import type { ObjectKey } from "../../storage/object-store.ts";

/** What a collector has seen of one namespace. */
export interface GarbageMemory {
  /** When each object was first seen to be garbage, by the collector's own clock. */
  readonly seen: Map<ObjectKey, Sighting>;
  readonly pins: PinSightings;
  readonly kept: KeptManifests;
}

/** One object that was garbage. */
export interface Sighting {
  readonly sinceMs: number;
}

/** Nothing seen yet. */
export function newGarbageMemory(): GarbageMemory {
  return { seen: new Map(), pins: new Map(), kept: new Map() };
}

/**
 * Forgets what is not garbage. What nobody reached once is never shared any more, so it stays
 * garbage also while it is not known what a new pin is for.
 */
export function forgetOthers({ seen }: GarbageMemory, garbage: readonly ObjectKey[]): void {
  const known = new Set(garbage);
  for (const key of seen.keys()) if (!known.has(key)) seen.delete(key);
}

/** Notes what is seen for the first time; tells what has been seen for the grace period. */
export function sighter(
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
