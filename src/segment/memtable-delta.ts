/**
 * How a memtable changed, as plain data that threads send each other. The write thread makes one
 * for each commit and each compaction step; the main thread folds them; query threads apply them
 * between two queries, so that a query sees one state.
 */

import type { SegmentId } from "../base/ids.ts";

/** Where a segment's bytes are in the shared memories. */
export interface SegmentPlace {
  /** Index of the arena. */
  readonly arena: number;
  /** Byte offset in the arena; a multiple of 64. */
  readonly offset: number;
  readonly bytes: number;
}

/** A segment that readers open. */
export interface AddedSegment {
  readonly id: SegmentId;
  readonly place: SegmentPlace;
  readonly documentCount: number;
  /** Live bitmap (bit o & 31 of word o >> 5). Absent: every document is alive. */
  readonly live?: Uint32Array;
}

/** Documents of one segment that died. */
export interface KilledOrdinals {
  readonly segment: SegmentId;
  readonly ordinals: Uint32Array;
}

/** One change. Applied in this order: `added`, then `killed`, then `dropped`. */
export interface MemtableDelta {
  /** Forget everything from before: `added` is the whole state. */
  readonly full: boolean;
  readonly added: readonly AddedSegment[];
  readonly killed: readonly KilledOrdinals[];
  /** Their memory is used again once every thread has applied this delta. */
  readonly dropped: readonly SegmentId[];
}
