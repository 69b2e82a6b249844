/**
 * How a namespace's segments changed, as plain data that threads send each other. The write thread
 * makes one for each commit, each merge in memory and each manifest that it follows; the main
 * thread folds them; query threads apply them between two queries, so that a query sees one state.
 */

import type { SegmentId } from "../../base/ids.ts";
import type { ObjectKey } from "../../storage/object-store.ts";
import type { SegmentSnapshot } from "../segment-view.ts";

/** Where a segment's bytes are in the shared memories. */
export interface SegmentPlace {
  /** Index of the arena. */
  readonly arena: number;
  /** Byte offset in the arena; a multiple of 64. */
  readonly offset: number;
  readonly bytes: number;
}

/** Where a segment is. */
export type SegmentLocation =
  /** All of its bytes are in one block. */
  | { readonly kind: "memory"; readonly place: SegmentPlace }
  /** In the store; `head` is the start of its content (`segment-format.ts`). */
  | { readonly kind: "stored"; readonly object: ObjectKey; readonly head: Uint8Array };

/** A segment that readers open. */
export interface AddedSegment {
  readonly id: SegmentId;
  readonly at: SegmentLocation;
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

/** The deaths of some documents by segment, without the segments of which nobody is left. */
export function describeKilled(
  killed: ReadonlyMap<SegmentSnapshot, readonly number[]>,
): KilledOrdinals[] {
  return [...killed]
    .filter(([{ liveCount }, ordinals]) => liveCount > 0 && ordinals.length > 0)
    .map(([{ view }, ordinals]) => ({ segment: view.id, ordinals: Uint32Array.from(ordinals) }));
}
