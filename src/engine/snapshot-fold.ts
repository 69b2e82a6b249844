/**
 * The main thread's copy of which segments a namespace has and which of their documents are alive:
 * the sum of all deltas so far, from which a query thread that knows nothing can start.
 */

import type { SegmentId } from "../base/ids.ts";
import type {
  AddedSegment,
  MemtableDelta,
  SegmentLocation,
} from "../segment/memtable/memtable-delta.ts";

interface FoldedSegment {
  readonly at: SegmentLocation;
  readonly documentCount: number;
  /** Undefined while every document is alive. */
  live: Uint32Array | undefined;
}

/** The sum of a namespace's deltas. */
export class SnapshotFold {
  readonly #segments = new Map<SegmentId, FoldedSegment>();

  /** Adds the next delta. */
  apply(delta: MemtableDelta): void {
    if (delta.full) this.#segments.clear();
    for (const { id, at, documentCount, live } of delta.added) {
      this.#segments.set(id, { at, documentCount, live: live?.slice() });
    }
    for (const { segment, ordinals } of delta.killed) {
      const folded = this.#segments.get(segment);
      if (folded === undefined) continue;
      folded.live ??= allAlive(folded.documentCount);
      for (const ordinal of ordinals) folded.live[ordinal >> 5] &= ~(1 << (ordinal & 31));
    }
    for (const id of delta.dropped) this.#segments.delete(id);
  }

  /** The whole state as one delta. */
  full(): MemtableDelta {
    const added: AddedSegment[] = [];
    for (const [id, { at, documentCount, live }] of this.#segments) {
      added.push({ id, at, documentCount, ...(live !== undefined && { live }) });
    }
    return { full: true, added, killed: [], dropped: [] };
  }
}

/** A bitmap of `count` ones; the bits past the end are 0. */
function allAlive(count: number): Uint32Array {
  const live = new Uint32Array((count + 31) >> 5).fill(0xffffffff);
  if ((count & 31) !== 0) live[live.length - 1] = (1 << (count & 31)) - 1;
  return live;
}
