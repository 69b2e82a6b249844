/** Says which objects of a namespace nothing reaches: each kind judges its own keys. Pure. */

import type { Manifest } from "../../manifest/manifest.ts";
import type { NamespaceGeneration } from "../../storage/object-keys.ts";
import type { ObjectKey } from "../../storage/object-store.ts";
import { coverageGarbage } from "./coverage-garbage.ts";
import type { GarbageKind } from "./garbage-kind.ts";
import { manifestGarbage } from "./manifest-garbage.ts";
import { restoreGarbage } from "./restore-garbage.ts";
import { mayBeImported, segmentGarbage } from "./segment-garbage.ts";
import { waitMarkGarbage } from "./wait-mark-garbage.ts";
import { lastEntryOf, walEntryGarbage } from "./wal-entry-garbage.ts";

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
