/**
 * Says which objects of a namespace nothing reaches. Pure. Reached are: the newest manifest, the
 * segments and tombstones that it names, and the WAL entries after it. A segment or tombstones that
 * build on the newest manifest may still come in with the next one.
 */

import type { Manifest } from "../manifest/manifest.ts";
import { baseVersionOf } from "../segment/format/segment-id.ts";
import {
  type NamespaceGeneration,
  parseManifestKey,
  parseSegmentKey,
  parseWalKey,
} from "../storage/object-keys.ts";
import type { ObjectKey } from "../storage/object-store.ts";

/** What there is to remove. */
export interface Garbage {
  /** Nothing reaches these, nor ever will. */
  readonly unreachable: readonly ObjectKey[];
  /** Nothing reaches these yet; the next manifest may. */
  readonly pending: readonly ObjectKey[];
}

/** Looks at all keys of a generation of which `newest` is the newest manifest. */
export function pickGarbage(
  keys: readonly ObjectKey[],
  at: NamespaceGeneration,
  newest: Manifest,
): Garbage {
  const named = new Set<string>();
  for (const { id, home, tombstoneObject } of newest.segments) {
    if (home === undefined) named.add(id);
    if (tombstoneObject !== undefined) named.add(tombstoneObject);
  }
  const unreachable: ObjectKey[] = [];
  const pending: ObjectKey[] = [];
  for (const key of keys) {
    const sequence = parseWalKey(at, key);
    const version = parseManifestKey(at, key);
    const id = parseSegmentKey(at, key);
    if (sequence !== undefined) {
      if (sequence <= newest.indexedUpTo) unreachable.push(key);
    } else if (version !== undefined) {
      if (version < newest.version) unreachable.push(key);
    } else if (id !== undefined && !named.has(id)) {
      const base = baseVersionOf(id);
      // Names that no builder makes are nobody's garbage.
      if (base !== undefined) (base < newest.version ? unreachable : pending).push(key);
    }
  }
  return { unreachable, pending };
}
