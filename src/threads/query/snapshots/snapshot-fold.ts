/**
 * The main thread's copy of which segments a namespace has and which of their documents are live:
 * the sum of all deltas so far, from which a query thread that knows nothing can start.
 */

import type { SegmentId } from "../../../base/ids.ts";
import { clearBit, fullBitmap } from "../../../codec/bitmap.ts";
import type { Tombstones } from "../../../segment/deletions/tombstones.ts";
import type {
  AddedSegment,
  MemtableDelta,
  SegmentLocation,
} from "../../../segment/memtable/memtable-delta.ts";

interface FoldedSegment {
  readonly at: SegmentLocation;
  readonly documentCount: number;
  /** Undefined while every document is live. */
  tombstones: Tombstones | undefined;
}

/** The sum of a namespace's deltas. */
export class SnapshotFold {
  readonly #segments = new Map<SegmentId, FoldedSegment>();

  /** Adds the next delta. */
  apply(delta: MemtableDelta): void {
    if (delta.full) this.#segments.clear();
    for (const { id, at, documentCount, tombstones } of delta.added) {
      const own = tombstones && { ...tombstones, liveBitmap: tombstones.liveBitmap.slice() };
      this.#segments.set(id, { at, documentCount, tombstones: own });
    }
    for (const { segment, counted } of delta.counted ?? []) {
      const folded = this.#segments.get(segment);
      if (folded?.tombstones !== undefined) folded.tombstones = { ...folded.tombstones, counted };
    }
    for (const { segment, ordinals } of delta.deleted) {
      const folded = this.#segments.get(segment);
      if (folded === undefined) continue;
      folded.tombstones ??= { liveBitmap: fullBitmap(folded.documentCount) };
      for (const ordinal of ordinals) clearBit(folded.tombstones.liveBitmap, ordinal);
    }
    for (const id of delta.dropped) this.#segments.delete(id);
  }

  /** The whole state as one delta. */
  full(): MemtableDelta {
    const added: AddedSegment[] = [];
    for (const [id, { at, documentCount, tombstones }] of this.#segments) {
      added.push({ id, at, documentCount, ...(tombstones !== undefined && { tombstones }) });
    }
    return { full: true, added, deleted: [], dropped: [] };
  }
}
