/** A reader's side of a namespace's segments: follows the writer's deltas over the same bytes. */

import type { Ordinal, SegmentId } from "../../base/ids.ts";
import type { OpenSegment } from "../segment-reader.ts";
import type { SegmentSnapshot } from "../view/segment-view.ts";
import { LiveSegment } from "./live-segment.ts";
import type { AddedSegment, MemtableDelta } from "./memtable-delta.ts";

/** The segments of a namespace as one reading thread has them. */
export class SnapshotReplica {
  readonly #open: (added: AddedSegment) => OpenSegment;
  readonly #segments = new Map<SegmentId, LiveSegment>();
  #list: readonly SegmentSnapshot[] | undefined;

  /** `open` makes a view of a segment, wherever it is; it reads nothing from a store. */
  constructor(open: (added: AddedSegment) => OpenSegment) {
    this.#open = open;
  }

  /** The segments as they are after the last delta, in no meaningful order. */
  get segments(): readonly SegmentSnapshot[] {
    this.#list ??= Array.from(this.#segments.values(), ({ frozen }) => frozen);
    return this.#list;
  }

  /** Applies the next delta. */
  apply(delta: MemtableDelta): void {
    if (delta.full) this.#segments.clear();
    for (const added of delta.added) {
      const { id, tombstones } = added;
      // What other replicas got, too, must not change.
      const own = tombstones && { ...tombstones, liveBitmap: tombstones.liveBitmap.slice() };
      this.#segments.set(id, new LiveSegment(this.#open(added), own));
    }
    for (const { segment, counted } of delta.counted ?? []) {
      this.#segments.get(segment)?.recount(counted);
    }
    for (const { segment, ordinals } of delta.deleted) {
      const known = this.#segments.get(segment);
      for (const ordinal of ordinals) known?.delete(ordinal as Ordinal);
    }
    for (const id of delta.dropped) this.#segments.delete(id);
    this.#list = undefined;
  }
}
