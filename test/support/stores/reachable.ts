/** What manifests reach, for tests of garbage. */

import { seededRandom } from "../../../src/base/random.ts";
import { ManifestStore } from "../../../src/manifest/manifest-store.ts";
import {
  coverageKey,
  manifestKey,
  type NamespaceGeneration,
  segmentKey,
} from "../../../src/storage/object-keys.ts";
import type { ObjectStore } from "../../../src/storage/object-store.ts";
import { InstantClock } from "../clocks/instant-clock.ts";

/**
 * The keys of the newest manifest of a generation and of all that it names, in order, with its
 * coverage mark if there is one.
 */
export async function reachableFrom(
  store: ObjectStore,
  generation: NamespaceGeneration,
): Promise<string[]> {
  const random = seededRandom(1);
  const newest = await new ManifestStore({
    store,
    clock: new InstantClock(),
    random,
    generation,
  }).load();
  if (newest === undefined) return [];
  const named = newest.segments.flatMap(({ id, owner, tombstoneObject }) => {
    const segment = segmentKey(owner ?? generation, id);
    return tombstoneObject === undefined
      ? [segment]
      : [segment, segmentKey(generation, tombstoneObject as typeof id)];
  });
  const mark = coverageKey(generation, newest.indexedUpTo);
  const marks = (await store.get(mark)) === undefined ? [] : [mark];
  return [manifestKey(generation, newest.version), ...named, ...marks].sort();
}
