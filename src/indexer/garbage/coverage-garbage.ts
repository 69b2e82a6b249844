/** Coverage marks: those that say less than the newest manifest are garbage. */

import { parseCoverageKey } from "../../storage/object-keys.ts";
import type { GarbageKind } from "./garbage-kind.ts";

/** Picks marks below the newest manifest: correct reads need no mark. */
export const coverageGarbage: GarbageKind = (generation, newest) => (key) => {
  const upTo = parseCoverageKey(generation, key);
  if (upTo === undefined) return undefined;
  return upTo < newest.indexedUpTo ? "unreachable" : "reached";
};
