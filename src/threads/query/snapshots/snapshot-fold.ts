/**
 * The main thread's copy of which segments a namespace has and which of their documents are live:
 * the sum of all deltas so far, from which a query thread that knows nothing can start.
 */

import type { SegmentId } from "../../../base/ids.ts";
import { clearBit, fullBitmap } from "../../../codec/bitmap.ts";
import type {
  AddedSegment,
  MemtableDelta,
  SegmentLocation,
} from "../../../segment/memtable/memtable-delta.ts";

interface FoldedSegment {
  readonly at: SegmentLocation;
  readonly documentCount: number;
  /** Undefined while every document is live. */
  liveBitmap: Uint32Array | undefined;
}

/** The sum of a namespace's deltas. */
export class SnapshotFold {
  readonly #segments = new Map<SegmentId, FoldedSegment>();

  /** Adds the next delta. */
  apply(delta: MemtableDelta): void {
    if (delta.full) this.#segments.clear();
    for (const { id, at, documentCount, liveBitmap } of delta.added) {
      this.#segments.set(id, { at, documentCount, liveBitmap: liveBitmap?.slice() });
    }
    for (const { segment, ordinals } of delta.deleted) {
      const folded = this.#segments.get(segment);
      if (folded === undefined) continue;
      folded.liveBitmap ??= fullBitmap(folded.documentCount);
      for (const ordinal of ordinals) clearBit(folded.liveBitmap, ordinal);
    }
    for (const id of delta.dropped) this.#segments.delete(id);
  }

  /** The whole state as one delta. */
  full(): MemtableDelta {
    const added: AddedSegment[] = [];
    for (const [id, { at, documentCount, liveBitmap }] of this.#segments) {
      added.push({ id, at, documentCount, ...(liveBitmap !== undefined && { liveBitmap }) });
    }
    return { full: true, added, deleted: [], dropped: [] };
  }
}
