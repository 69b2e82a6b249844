/** Memory that holds segments and that all threads can read. */

import type { SegmentPlace } from "./memtable/memtable-delta.ts";

/** A block of memory at a multiple of 64 bytes. */
export interface SegmentBlock {
  readonly arena: number;
  readonly offset: number;
  /** Exactly the bytes asked for; what they hold is undefined. */
  readonly bytes: Uint8Array;
}

/** Gives and takes back blocks. */
export interface SegmentMemory {
  /** Throws `overloaded` when there is no room. */
  allocate(bytes: number): SegmentBlock;
  /** Takes back a block that no thread reads any more. */
  free(place: SegmentPlace): void;
}
