/**
 * Segments and their tombstones. The newest manifest names those that are in use. One that builds
 * on the newest manifest may still come in with the next; one that builds on an older manifest lost
 * its race (`segment/format/segment-id.ts`).
 */

import { baseVersionOf } from "../../segment/format/segment-id.ts";
import { type NamespaceGeneration, parseSegmentKey } from "../../storage/object-keys.ts";
import type { ObjectKey } from "../../storage/object-store.ts";
import type { GarbageKind } from "./garbage-kind.ts";

/** Segments that the manifest shares with another namespace lie there, and are judged there. */
export const segmentGarbage: GarbageKind = (generation, newest) => {
  const named = new Set<string>();
  for (const { id, owner, tombstoneObject } of newest.segments) {
    if (owner === undefined) named.add(id);
    if (tombstoneObject !== undefined) named.add(tombstoneObject);
  }
  return (key) => {
    const id = parseSegmentKey(generation, key);
    if (id === undefined) return undefined;
    const base = baseVersionOf(id);
    // A name that no builder makes is left alone: it may belong to another program.
    if (named.has(id) || base === undefined) return "reached";
    return base < newest.version ? "unreachable" : "pending";
  };
};

/**
 * Tells whether an entry of the log may name this object. A copy puts segments under names that
 * build on no manifest, and then an entry that names them.
 */
export function mayBeImported(key: ObjectKey, generation: NamespaceGeneration): boolean {
  const id = parseSegmentKey(generation, key);
  return id !== undefined && baseVersionOf(id) === 0;
}
