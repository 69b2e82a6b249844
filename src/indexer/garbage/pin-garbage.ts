/** Pins: what others share of a namespace is spared, and pins that spare nothing are garbage. */

import {
  findPinned,
  isPinned,
  type PinOptions,
  type PinSightings,
} from "../../namespace/segments/segment-pins.ts";
import { type NamespaceGeneration, parseSegmentKey, pinPrefix } from "../../storage/object-keys.ts";
import type { ObjectKey } from "../../storage/object-store.ts";

/** A namespace's garbage without what other namespaces share. */
export interface Unpinned {
  readonly unreachable: readonly ObjectKey[];
  /** It is not known whether another namespace shares these. */
  readonly unsure: readonly ObjectKey[];
  /** Their logs may name segments of this namespace: indexing these tells. */
  readonly waitsFor: readonly NamespaceGeneration[];
}

/** What nothing in the namespace itself reaches, among all its keys. */
export interface Unnamed {
  readonly keys: readonly ObjectKey[];
  readonly unnamed: readonly ObjectKey[];
  readonly seen: PinSightings;
}

/** Leaves out what other namespaces share, and adds pins whose sharer needs no segment any more. */
export async function withoutPinned(
  options: PinOptions,
  generation: NamespaceGeneration,
  { keys, unnamed, seen }: Unnamed,
): Promise<Unpinned> {
  const mayBeShared = unnamed.some((key) => parseSegmentKey(generation, key) !== undefined);
  const pins = keys.filter((key) => key.startsWith(pinPrefix(generation)));
  if (!mayBeShared && pins.length === 0) {
    return { unreachable: unnamed, unsure: [], waitsFor: [] };
  }
  const pinned = await findPinned(options, generation, seen);
  const spared = unnamed.filter((key) => {
    const id = parseSegmentKey(generation, key);
    return id === undefined || !isPinned(pinned, id);
  });
  if (pinned.kind === "some") {
    return { unreachable: [...spared, ...pinned.idle], unsure: [], waitsFor: [] };
  }
  const waitsFor = mayBeShared ? pinned.waitsFor : [];
  return { unreachable: spared, unsure: [...unnamed, ...pins], waitsFor };
}
