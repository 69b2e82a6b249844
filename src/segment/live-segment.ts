/** A segment with the documents that are still alive, as one thread keeps it. */

import type { Ordinal } from "../base/ids.ts";
import { clearBit, countBits, fullBitmap, hasBit } from "../codec/bitmap.ts";
import type { OpenSegment } from "./segment-reader.ts";
import type { SegmentSnapshot } from "./segment-view.ts";

/**
 * Changes in place between two queries of its thread: a query runs without a pause, so that it sees
 * one state.
 */
export class LiveSegment implements SegmentSnapshot {
  readonly view: OpenSegment;
  readonly live: Uint32Array;
  #liveCount: number;
  #liveVersion = 0;

  /** Takes `live` over; without it every document is alive. */
  constructor(view: OpenSegment, live?: Uint32Array) {
    this.view = view;
    this.live = live ?? fullBitmap(view.documentCount);
    this.#liveCount = live === undefined ? view.documentCount : countBits(live);
  }

  get liveCount(): number {
    return this.#liveCount;
  }

  get liveVersion(): number {
    return this.#liveVersion;
  }

  isAlive(ordinal: Ordinal): boolean {
    return hasBit(this.live, ordinal);
  }

  /** Marks a document dead; tells whether it was alive. */
  kill(ordinal: Ordinal): boolean {
    if (!clearBit(this.live, ordinal)) return false;
    this.#liveCount--;
    this.#liveVersion++;
    return true;
  }
}
