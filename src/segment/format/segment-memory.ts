/** Memory that holds segments and that all threads can read. */

import type { ArenaBytes, ArenaRange } from "../../kernel/arena.ts";

/** Gives and takes back blocks. */
export interface SegmentMemory {
  /** Throws `overloaded` when there is no room. */
  allocate(bytes: number): ArenaBytes;
  /** Takes back a block that no thread reads any more. */
  free(place: ArenaRange): void;
}
