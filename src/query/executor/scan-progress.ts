import type { SegmentView } from "../../segment/segment-view.ts";
import { emptyBits, type OrdinalBits } from "../ordinal-bits.ts";

/** Distances of one segment's vectors to one query, as far as they are known. */
export interface SegmentScan {
  /** By ordinal; only those that are known mean anything. */
  readonly distances: Float32Array;
  /** Searches of one vector may want distances of different documents. */
  readonly known: OrdinalBits;
}

/**
 * How far the exact scans of a query have come over vectors that are not in memory, kept while the
 * query is run again and again on one snapshot. So a scan needs each chunk of vectors once, some
 * chunks at a time, and may look at more than memory holds. It costs 4 bytes for each document of a
 * segment with missing vectors.
 */
export class ScanProgress {
  readonly #bytesMax: number;
  readonly #scans = new Map<SegmentView, Map<string, SegmentScan>>();
  #bytesLeft = 0;

  /** `bytesMax`: what one run may ask for, at least one chunk. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** The query starts once more. */
  begin(): void {
    this.#bytesLeft = this.#bytesMax;
  }

  /** Tells whether this run may ask for so many bytes. */
  mayWant(bytes: number): boolean {
    if (this.#bytesLeft <= 0) return false;
    this.#bytesLeft -= bytes;
    return true;
  }

  /** A scan that has begun. */
  find(view: SegmentView, key: string): SegmentScan | undefined {
    return this.#scans.get(view)?.get(key);
  }

  /** Begins the scan of a segment. */
  start(view: SegmentView, key: string): SegmentScan {
    const scans = this.#scans.get(view) ?? new Map<string, SegmentScan>();
    this.#scans.set(view, scans);
    const { documentCount } = view;
    const scan = { distances: new Float32Array(documentCount), known: emptyBits(documentCount) };
    scans.set(key, scan);
    return scan;
  }
}
