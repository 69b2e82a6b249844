/** A segment with the documents that are still live, as one thread keeps it. */

import type { Ordinal } from "../../base/ids.ts";
import { clearBit, countBits, fullBitmap, hasBit } from "../../codec/bitmap.ts";
import type { CountedDeletions } from "../deletions/counted-deletions.ts";
import type { Tombstones } from "../deletions/tombstones.ts";
import type { OpenSegment } from "../segment-reader.ts";
import type { SegmentSnapshot } from "../view/segment-view.ts";

/** A segment as it was at some time. */
export type FrozenSegment = SegmentSnapshot & { readonly view: OpenSegment };

/** Changes in place; what must see one state looks at `frozen`. */
export class LiveSegment implements SegmentSnapshot {
  readonly view: OpenSegment;
  #liveBitmap: Uint32Array;
  #liveCount: number;
  #counted: CountedDeletions | undefined;
  #liveVersion = 0;
  #frozen: FrozenSegment | undefined;

  /** Takes `tombstones` over; without them every document is live. */
  constructor(view: OpenSegment, tombstones?: Tombstones) {
    const liveBitmap = tombstones?.liveBitmap;
    this.view = view;
    this.#counted = tombstones?.counted;
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

  /** Of some of the deleted documents. */
  get counted(): CountedDeletions | undefined {
    return this.#counted;
  }

  /** As it is now, whatever becomes of it later. Copies nothing before a document is deleted. */
  get frozen(): FrozenSegment {
    const { view, liveBitmap, liveCount, liveVersion, counted } = this;
    this.#frozen ??= { view, liveBitmap, liveCount, liveVersion, counted };
    return this.#frozen;
  }

  isLive(ordinal: Ordinal): boolean {
    return hasBit(this.#liveBitmap, ordinal);
  }

  /** Takes over newer counts, which change nothing of what is live. */
  recount(counted: CountedDeletions): void {
    this.#thaw();
    this.#counted = counted;
  }

  /** Deletes a document; tells whether it was live. */
  delete(ordinal: Ordinal): boolean {
    if (!hasBit(this.#liveBitmap, ordinal)) return false;
    this.#thaw();
    clearBit(this.#liveBitmap, ordinal);
    this.#liveCount--;
    this.#liveVersion++;
    return true;
  }

  /** What is frozen keeps its bitmap. */
  #thaw(): void {
    if (this.#frozen === undefined) return;
    this.#liveBitmap = this.#liveBitmap.slice();
    this.#frozen = undefined;
  }
}
