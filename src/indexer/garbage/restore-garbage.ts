/** What a restore has put to read it itself: it removes it at its end, unless it was stopped. */

import { restorePrefix } from "../../storage/object-keys.ts";
import type { GarbageKind } from "./garbage-kind.ts";

/** While a restore runs its generation is announced, and left alone as a whole. */
export const restoreGarbage: GarbageKind = (generation) => (key) =>
  key.startsWith(restorePrefix(generation)) ? "unreachable" : undefined;
