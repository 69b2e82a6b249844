/**
 * How a namespace's segments changed, as plain data that threads send each other. The write thread
 * makes one for each commit, each merge in memory and each manifest that it follows; the main
 * thread folds them; query threads apply them between two queries, so that a query sees one state.
 */

import type { SegmentId } from "../../base/ids.ts";
import type { ArenaRange } from "../../kernel/arena.ts";
import type { ObjectKey } from "../../storage/object-store.ts";
import type { CountedDeletions } from "../deletions/counted-deletions.ts";
import type { Tombstones } from "../deletions/tombstones.ts";

/** Where a segment is. */
export type SegmentLocation =
  /** All of its bytes are in one block. */
  | { readonly kind: "memory"; readonly place: ArenaRange }
  /** In the store; `head` is the start of its content (`segment-layout.ts`). */
  | { readonly kind: "stored"; readonly object: ObjectKey; readonly head: Uint8Array };

/** A segment that readers open. */
export interface AddedSegment {
  readonly id: SegmentId;
  readonly at: SegmentLocation;
  readonly documentCount: number;
  /** Absent: every document is live. */
  readonly tombstones?: Tombstones;
}

/** Documents of one segment that were deleted. */
export interface DeletedOrdinals {
  readonly segment: SegmentId;
  readonly ordinals: Uint32Array;
}

/** How many of a segment's deleted documents have each term, counted anew. */
export interface CountedSegment {
  readonly segment: SegmentId;
  readonly counted: CountedDeletions;
}

/** One change. Applied in this order: `added`, `counted`, `deleted`, then `dropped`. */
export interface MemtableDelta {
  /** Forget everything from before: `added` is the whole state. */
  readonly full: boolean;
  readonly added: readonly AddedSegment[];
  /** Of segments that are there already. */
  readonly counted?: readonly CountedSegment[];
  readonly deleted: readonly DeletedOrdinals[];
  /** Their memory is used again once every thread has applied this delta. */
  readonly dropped: readonly SegmentId[];
}

/** The deletions of some documents by segment, without segments that keep no live document. */
export function describeDeleted(
  deleted: ReadonlyMap<DeletedIn, readonly number[]>,
): DeletedOrdinals[] {
  return [...deleted]
    .filter(([{ liveCount }, ordinals]) => liveCount > 0 && ordinals.length > 0)
    .map(([{ view }, ordinals]) => ({ segment: view.id, ordinals: Uint32Array.from(ordinals) }));
}

/** Which of a segment's facts its readers are told. */
interface DeletedIn {
  readonly liveCount: number;
  readonly view: { readonly id: SegmentId };
}
