import { attemptAll, BytesMissing, type WantedRange } from "../../segment/format/bytes-missing.ts";
import type { SegmentView } from "../../segment/view/segment-view.ts";
import { emptyBits, type OrdinalBits } from "../documents/ordinal-bits.ts";

/** Distances of one segment's vectors to one query, as far as they are known. */
export interface SegmentScan {
  /** By ordinal; only those that are known mean anything. */
  readonly distances: Float32Array;
  /** Searches of one vector may want distances of different documents. */
  readonly known: OrdinalBits;
}

/**
 * How far the exact scans of a query have come over vectors that are not in memory, kept while they
 * are run again and again on one snapshot. So a scan needs each chunk of vectors once, some
 * chunks at a time, and may look at more than memory holds. It costs 4 bytes for each document of a
 * segment with missing vectors.
 */
export class ScanProgress {
  readonly #bytesMax: number;
  readonly #scans = new Map<SegmentView, Map<string, SegmentScan>>();
  #bytesLeft: number;

  /** `bytesMax`: what one round of requests may ask for, at least one chunk. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
    this.#bytesLeft = bytesMax;
  }

  /** The query waits for what its scans have asked for. */
  beginRound(): void {
    this.#bytesLeft = this.#bytesMax;
  }

  /** Tells whether all that is looked at is in memory. */
  hasAll(looks: Iterable<() => void>): boolean {
    try {
      attemptAll(looks);
      return true;
    } catch (error) {
      if (error instanceof BytesMissing) return false;
      throw error;
    }
  }

  /** Tells whether so many bytes may be in memory beside as many of vectors. */
  hasRoomFor(bytes: number): boolean {
    return 2 * bytes <= this.#bytesMax;
  }

  /** Begins a pass over the chunks of one scan. */
  wave(): ScanWave {
    return new ScanWave((bytes) => this.#mayWant(bytes));
  }

  /** Tells whether this round may ask for so many bytes. */
  #mayWant(bytes: number): boolean {
    if (this.#bytesLeft <= 0) return false;
    this.#bytesLeft -= bytes;
    return true;
  }

  /** A scan that has begun. `key` is made only where the segment has any. */
  find(view: SegmentView, key: () => string): SegmentScan | undefined {
    return this.#scans.get(view)?.get(key());
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

/** One pass over the chunks of a scan: it takes those that are there and asks for some others. */
export class ScanWave {
  readonly #mayWant: (bytes: number) => boolean;
  readonly #wanted: WantedRange[] = [];
  #isWhole = true;

  /** `mayWant` tells whether so many bytes more may be asked for. */
  constructor(mayWant: (bytes: number) => boolean) {
    this.#mayWant = mayWant;
  }

  /** Tells whether a chunk of so many bytes, which `look` looks at, is in memory. */
  has(look: () => void, bytes: number): boolean {
    try {
      look();
      return true;
    } catch (error) {
      if (!(error instanceof BytesMissing)) throw error;
      this.#isWhole = false;
      if (this.#mayWant(bytes)) this.#wanted.push(...error.wanted);
      return false;
    }
  }

  /** Throws `BytesMissing`, with what the next run is to have, unless all chunks were there. */
  end(): void {
    if (!this.#isWhole) throw new BytesMissing([], this.#wanted);
  }
}
