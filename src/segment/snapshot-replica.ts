/** A reader's side of a memtable: follows the writer's deltas over the same bytes. */

import type { Ordinal, SegmentId } from "../base/ids.ts";
import { LiveSegment } from "./live-segment.ts";
import type { MemtableDelta, SegmentPlace } from "./memtable-delta.ts";
import { openSegment } from "./segment-reader.ts";
import type { SegmentSnapshot } from "./segment-view.ts";

/** The segments of a namespace as one reading thread has them. */
export class SnapshotReplica {
  readonly #blockAt: (place: SegmentPlace) => Uint8Array;
  readonly #segments = new Map<SegmentId, LiveSegment>();
  #list: readonly SegmentSnapshot[] | undefined;

  /** `blockAt` gives the bytes at a place in the shared memories. */
  constructor(blockAt: (place: SegmentPlace) => Uint8Array) {
    this.#blockAt = blockAt;
  }

  /** The segments after the last delta, in no meaningful order. */
  get segments(): readonly SegmentSnapshot[] {
    this.#list ??= [...this.#segments.values()];
    return this.#list;
  }

  /** Applies the next delta. Nothing may be reading the segments that it drops. */
  apply(delta: MemtableDelta): void {
    if (delta.full) this.#segments.clear();
    for (const { id, place, live } of delta.added) {
      const view = openSegment(id, this.#blockAt(place), place);
      this.#segments.set(id, new LiveSegment(view, live?.slice()));
    }
    for (const { segment, ordinals } of delta.killed) {
      const known = this.#segments.get(segment);
      for (const ordinal of ordinals) known?.kill(ordinal as Ordinal);
    }
    for (const id of delta.dropped) this.#segments.delete(id);
    this.#list = undefined;
  }
}
