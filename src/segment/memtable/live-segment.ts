/** A segment with the documents that are still live, as one thread keeps it. */

import type { Ordinal } from "../../base/ids.ts";
import { clearBit, countBits, fullBitmap, hasBit } from "../../codec/bitmap.ts";
import type { OpenSegment } from "../segment-reader.ts";
import type { SegmentSnapshot } from "../segment-view.ts";

/** A segment as it was at some time. */
export type FrozenSegment = SegmentSnapshot & { readonly view: OpenSegment };

/** Changes in place; what must see one state looks at `frozen`. */
export class LiveSegment implements SegmentSnapshot {
  readonly view: OpenSegment;
  #liveBitmap: Uint32Array;
  #liveCount: number;
  #liveVersion = 0;
  #frozen: FrozenSegment | undefined;

  /** Takes `liveBitmap` over; without it every document is live. */
  constructor(view: OpenSegment, liveBitmap?: Uint32Array) {
    this.view = view;
    this.#liveBitmap = liveBitmap ?? fullBitmap(view.documentCount);
    this.#liveCount = liveBitmap === undefined ? view.documentCount : countBits(liveBitmap);
  }

  get liveBitmap(): Uint32Array {
    return this.#liveBitmap;
  }

  get liveCount(): number {
    return this.#liveCount;
  }

  get liveVersion(): number {
    return this.#liveVersion;
  }

  /** As it is now, whatever becomes of it later. Copies nothing before a document is deleted. */
  get frozen(): FrozenSegment {
    const { view, liveBitmap, liveCount, liveVersion } = this;
    this.#frozen ??= { view, liveBitmap, liveCount, liveVersion };
    return this.#frozen;
  }

  isLive(ordinal: Ordinal): boolean {
    return hasBit(this.#liveBitmap, ordinal);
  }

  /** Deletes a document; tells whether it was live. */
  delete(ordinal: Ordinal): boolean {
    if (!hasBit(this.#liveBitmap, ordinal)) return false;
    if (this.#frozen !== undefined) {
      this.#liveBitmap = this.#liveBitmap.slice();
      this.#frozen = undefined;
    }
    clearBit(this.#liveBitmap, ordinal);
    this.#liveCount--;
    this.#liveVersion++;
    return true;
  }
}
