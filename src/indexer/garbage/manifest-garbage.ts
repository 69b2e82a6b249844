/** Manifests: all versions but the newest are garbage. */

import { parseManifestKey } from "../../storage/object-keys.ts";
import type { GarbageKind } from "./garbage-kind.ts";

/** A reader of an older version finds it missing and loads the newest. */
export const manifestGarbage: GarbageKind = (generation, newest) => (key) => {
  const version = parseManifestKey(generation, key);
  if (version === undefined) return undefined;
  return version < newest.version ? "unreachable" : "reached";
};
