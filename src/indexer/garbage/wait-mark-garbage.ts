/** Wait marks: servers remove their own, unless they end first. */

import { parseWaitMark } from "../../storage/object-keys.ts";
import type { GarbageKind } from "./garbage-kind.ts";

/** A server that has waited for longer than the grace period puts its mark again. */
export const waitMarkGarbage: GarbageKind = (generation) => (key) =>
  parseWaitMark(generation, key) === undefined ? undefined : "unreachable";
