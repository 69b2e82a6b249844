/** A segment with the documents that are still live, as one thread keeps it. */

import type { Ordinal } from "../../base/ids.ts";
import { clearBit, countBits, fullBitmap, hasBit } from "../../codec/bitmap.ts";
import type { OpenSegment } from "../segment-reader.ts";
import type { SegmentSnapshot } from "../segment-view.ts";

/**
 * Changes in place between two queries of its thread: a query runs without a pause, so that it sees
 * one state.
 */
export class LiveSegment implements SegmentSnapshot {
  readonly view: OpenSegment;
  readonly liveBitmap: Uint32Array;
  #liveCount: number;
  #liveVersion = 0;

  /** Takes `liveBitmap` over; without it every document is live. */
  constructor(view: OpenSegment, liveBitmap?: Uint32Array) {
    this.view = view;
    this.liveBitmap = liveBitmap ?? fullBitmap(view.documentCount);
    this.#liveCount = liveBitmap === undefined ? view.documentCount : countBits(liveBitmap);
  }

  get liveCount(): number {
    return this.#liveCount;
  }

  get liveVersion(): number {
    return this.#liveVersion;
  }

  isLive(ordinal: Ordinal): boolean {
    return hasBit(this.liveBitmap, ordinal);
  }

  /** Deletes a document; tells whether it was live. */
  delete(ordinal: Ordinal): boolean {
    if (!clearBit(this.liveBitmap, ordinal)) return false;
    this.#liveCount--;
    this.#liveVersion++;
    return true;
  }
}

/** A segment whose documents are those that are live now, whatever becomes of the original. */
export function frozenSegment<T extends SegmentSnapshot>(
  segment: T,
): SegmentSnapshot & Pick<T, "view"> {
  const { view, liveBitmap, liveCount, liveVersion } = segment;
  return { view, liveBitmap: liveBitmap.slice(), liveCount, liveVersion };
}
