/** Which objects checkpoints need: what a collector spares. */

import { isDatabaseError } from "../../base/errors.ts";
import type { SegmentId } from "../../base/ids.ts";
import type { Manifest } from "../../manifest/manifest.ts";
import { ManifestStore } from "../../manifest/manifest-store.ts";
import type { SegmentOwner } from "../../model/segment-entry.ts";
import { baseVersionOf } from "../../segment/format/segment-id.ts";
import {
  manifestKey,
  type NamespaceGeneration,
  parseSegmentKey,
  parseWalKey,
  segmentKey,
} from "../../storage/object-keys.ts";
import type { ObjectKey, ObjectStore } from "../../storage/object-store.ts";
import type { OpeningOptions } from "../recovery/opening-options.ts";
import { type Checkpoint, listGenerationCheckpoints } from "./checkpoint.ts";

/** What looking for checkpoints takes; `store` lists. */
export type HeldOptions = Pick<OpeningOptions, "clock" | "random" | "storeFor"> & {
  readonly store: ObjectStore;
};

/** What the checkpoints of one generation need. */
export interface HeldObjects {
  readonly checkpoints: readonly Checkpoint[];
  /** Tells whether an object under the generation's prefix is needed. */
  holds(key: ObjectKey): boolean;
  /** What is needed of another generation; undefined: nobody knows, so all of it. */
  idsOf(owner: NamespaceGeneration): readonly SegmentId[] | undefined;
}

/** What one version of the manifest names; immutable, so it can be remembered. */
export interface KeptManifest {
  readonly indexedUpTo: number;
  /** Under the generation's own prefix. */
  readonly own: readonly ObjectKey[];
  readonly shared: readonly { readonly owner: SegmentOwner; readonly id: SegmentId }[];
}

/** Versions of one generation's manifest that checkpoints keep, by number. */
export type KeptManifests = Map<number, KeptManifest>;

/**
 * Finds what the checkpoints of a generation need. To be called after its newest manifest is
 * loaded, or it is seen to be deleted. Costs a listing, and a read for each version that is kept
 * and not in `kept` yet.
 */
export async function findHeld(
  options: HeldOptions,
  generation: NamespaceGeneration,
  kept: KeptManifests = new Map(),
): Promise<HeldObjects> {
  const checkpoints = await listGenerationCheckpoints(options.store, generation);
  const versions = new Set(checkpoints.map(({ manifestVersion }) => manifestVersion));
  versions.delete(0);
  for (const version of kept.keys()) if (!versions.has(version)) kept.delete(version);
  const { clock, random } = options;
  const store = options.storeFor(undefined);
  const manifests = new ManifestStore({ store, clock, random, generation });
  for (const version of versions) {
    if (kept.has(version)) continue;
    try {
      const manifest = await manifests.read(version);
      if (manifest !== undefined) kept.set(version, keptOf(manifest, generation));
    } catch (error) {
      if (!isDatabaseError(error)) throw error;
      return { checkpoints, holds: () => true, idsOf: () => undefined }; // Rather too much.
    }
  }
  return heldBy(checkpoints, kept, generation);
}

function keptOf(manifest: Manifest, generation: NamespaceGeneration): KeptManifest {
  const own = [manifestKey(generation, manifest.version)];
  const shared: { owner: SegmentOwner; id: SegmentId }[] = [];
  for (const { id, owner, tombstoneObject } of manifest.segments) {
    if (owner === undefined) own.push(segmentKey(generation, id));
    else shared.push({ owner, id });
    if (tombstoneObject !== undefined)
      own.push(segmentKey(generation, tombstoneObject as SegmentId));
  }
  return { indexedUpTo: manifest.indexedUpTo, own, shared };
}

/**
 * Pure. A checkpoint whose manifest is missing keeps nothing: it is one of a directory that was
 * copied under load, and nothing brings its state back.
 */
function heldBy(
  checkpoints: readonly Checkpoint[],
  kept: KeptManifests,
  generation: NamespaceGeneration,
): HeldObjects {
  const whole = checkpoints.filter(({ manifestVersion: version }) => {
    return version === 0 || kept.has(version);
  });
  const ranges = whole.map(({ manifestVersion, sequence }) => {
    return { after: kept.get(manifestVersion)?.indexedUpTo ?? 0, upTo: sequence };
  });
  const keys = new Set([...kept.values()].flatMap(({ own }) => own));
  const hasImport = whole.some((checkpoint) => checkpoint.hasImport);
  return {
    checkpoints,
    holds: (key) => {
      if (keys.has(key)) return true;
      const sequence = parseWalKey(generation, key);
      if (sequence !== undefined)
        return ranges.some(({ after, upTo }) => sequence > after && sequence <= upTo);
      // What an entry of the log imports builds on no manifest.
      const id = parseSegmentKey(generation, key);
      return hasImport && id !== undefined && baseVersionOf(id) === 0;
    },
    idsOf: ({ name, generation: number }) => {
      if (hasImport) return undefined;
      const shared = [...kept.values()].flatMap((manifest) => manifest.shared);
      return shared
        .filter(({ owner }) => owner.name === name && owner.generation === number)
        .map(({ id }) => id);
    },
  };
}
