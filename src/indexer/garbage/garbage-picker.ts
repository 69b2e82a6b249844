/** Says which objects of a namespace nothing reaches: each kind judges its own keys. Pure. */

import type { Manifest } from "../../manifest/manifest.ts";
import {
  type NamespaceGeneration,
  parseCoverageKey,
  parseManifestKey,
  parseWaitMark,
  restorePrefix,
} from "../../storage/object-keys.ts";
import type { ObjectKey } from "../../storage/object-store.ts";
import type { GarbageKind } from "./garbage-kind.ts";
import { mayBeImported, segmentGarbage } from "./segment-garbage.ts";
import { lastEntryOf, walEntryGarbage } from "./wal-entry-garbage.ts";

/** A reader of an older version finds it missing and loads the newest. */
const manifestGarbage: GarbageKind = (generation, newest) => (key) => {
  const version = parseManifestKey(generation, key);
  if (version === undefined) return undefined;
  return version < newest.version ? "unreachable" : "reached";
};

/**
 * Objects that a restore put to read them itself. It removes them at its end, unless it is stopped.
 * While it runs its generation is announced, and skipped as a whole.
 */
const restoreGarbage: GarbageKind = (generation) => (key) =>
  key.startsWith(restorePrefix(generation)) ? "unreachable" : undefined;

/** Coverage marks below the newest manifest: correct reads need no mark. */
const coverageGarbage: GarbageKind = (generation, newest) => (key) => {
  const upTo = parseCoverageKey(generation, key);
  if (upTo === undefined) return undefined;
  return upTo < newest.indexedUpTo ? "unreachable" : "reached";
};

/**
 * Servers remove their own wait marks, unless they end first. One that has waited for longer than
 * the grace period puts its mark again.
 */
const waitMarkGarbage: GarbageKind = (generation) => (key) =>
  parseWaitMark(generation, key) === undefined ? undefined : "unreachable";

/** The kinds that a manifest decides about; pins are others' needs (`pin-garbage.ts`). */
const KINDS: readonly GarbageKind[] = [
  walEntryGarbage,
  manifestGarbage,
  segmentGarbage,
  restoreGarbage,
  coverageGarbage,
  waitMarkGarbage,
];

/** What there is to remove. */
export interface Garbage {
  /** Nothing reaches these, nor ever will. */
  readonly unreachable: readonly ObjectKey[];
  /** Nothing reaches these yet; the next manifest may. */
  readonly pending: readonly ObjectKey[];
}

/**
 * Looks at all keys of a generation of which `newest` is the newest manifest. Without a manifest
 * only the log can tell which segments are in use; without a log none can.
 */
export function pickGarbage(
  keys: readonly ObjectKey[],
  generation: NamespaceGeneration,
  newest: Manifest | undefined,
): Garbage {
  if (newest === undefined) {
    if (lastEntryOf(keys, generation) === 0) return { unreachable: [], pending: [] };
    return { unreachable: keys.filter((key) => mayBeImported(key, generation)), pending: [] };
  }
  const judges = KINDS.map((kind) => kind(generation, newest));
  const unreachable: ObjectKey[] = [];
  const pending: ObjectKey[] = [];
  for (const key of keys) {
    for (const reachOf of judges) {
      const reach = reachOf(key);
      if (reach === undefined) continue;
      if (reach === "unreachable") unreachable.push(key);
      if (reach === "pending") pending.push(key);
      break;
    }
  }
  return { unreachable, pending };
}
