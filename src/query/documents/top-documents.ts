/** The best k documents of a ranking, in time that does not depend on how many are looked at. */

import { must } from "../../base/assert.ts";
import { siftDown, siftUp, takeFirst } from "../../base/heap.ts";
import type { Steps } from "../../base/steps.ts";
import type { DocumentComparer } from "./document-order.ts";

/** A document in a ranking: where it is, and its key. */
export interface RankedDocument {
  /** Index into the snapshot's segments. */
  readonly segment: number;
  readonly ordinal: number;
  /** Lower is better: a distance, a negated score, or a hint of the order. */
  readonly key: number;
}

/**
 * What a document must beat to be among the best, as far as is known: an operator may leave
 * documents out that do not. It never rises while documents are offered.
 */
export interface Threshold {
  /**
   * Documents with a greater key are not among the best; those with this very key are iff they win
   * the tie. Infinity while any document is welcome, -Infinity if none is.
   */
  readonly worstKey: number;
  /** Tells whether a document would be kept, ties included. Costs a comparison if keys are equal. */
  admits(key: number, segment: number, ordinal: number): boolean;
}

/** Leaves nothing out. */
export const NO_THRESHOLD: Threshold = {
  worstKey: Number.POSITIVE_INFINITY,
  admits: (key) => !Number.isNaN(key),
};

/** Takes documents in any order and hands the best ones back in order. */
export interface DocumentRanking extends Threshold {
  /** Documents that it keeps. */
  readonly capacity: number;
  /** So many documents are enough to fill it; infinity where some may not count. */
  readonly enough: number;
  /** Takes a document; tells whether it is kept, for now. */
  offer(key: number, segment: number, ordinal: number): boolean;
  /** Offers each of `ordinals` with its key in `keys`; documents whose key is NaN are left out. */
  offerAll(keys: Float64Array, segment: number, ordinals: Uint32Array): void;
  /** How many of those were refused at once: each for a comparison of keys, or of ids at a tie. */
  readonly skippedCount: number;
  /** Best first. Ends the ranking: nothing may be offered afterwards. */
  ranked(): Steps<RankedDocument[]>;
}

/** Documents that leave a heap between two pauses, in some microseconds each. */
const DOCUMENTS_PER_STEP = 128;

/** Keeps the best `capacity` by key, ties by `compare`: a heap whose root is the worst. */
export class TopDocuments implements DocumentRanking {
  readonly capacity: number;
  readonly #compare: DocumentComparer;
  readonly #heap: RankedDocument[] = [];
  #skippedCount = 0;

  get enough(): number {
    return this.capacity;
  }

  constructor(capacity: number, compare: DocumentComparer) {
    this.capacity = capacity;
    this.#compare = compare;
  }

  get skippedCount(): number {
    return this.#skippedCount;
  }

  get worstKey(): number {
    const heap = this.#heap;
    if (heap.length < this.capacity) return Number.POSITIVE_INFINITY;
    return heap.length === 0 ? Number.NEGATIVE_INFINITY : heap[0].key;
  }

  admits(key: number, segment: number, ordinal: number): boolean {
    const heap = this.#heap;
    if (heap.length < this.capacity) return !Number.isNaN(key);
    if (heap.length === 0) return false;
    const worst = heap[0];
    if (key !== worst.key) return key < worst.key;
    return this.#compare(segment, ordinal, worst.segment, worst.ordinal) < 0;
  }

  offer(key: number, segment: number, ordinal: number): boolean {
    if (!this.admits(key, segment, ordinal)) return false;
    const heap = this.#heap;
    if (heap.length < this.capacity) {
      heap.push({ key, segment, ordinal });
      siftUp(heap, heap.length - 1, this.#isWorse);
    } else {
      heap[0] = { key, segment, ordinal };
      siftDown(heap, 0, this.#isWorse);
    }
    return true;
  }

  offerAll(keys: Float64Array, segment: number, ordinals: Uint32Array): void {
    this.#skippedCount += offerWithin(this, keys, segment, ordinals);
  }

  *ranked(): Steps<RankedDocument[]> {
    const heap = this.#heap;
    const ranked = new Array<RankedDocument>(heap.length);
    for (let place = heap.length - 1; place >= 0; place--) {
      ranked[place] = must(takeFirst(heap, this.#isWorse), "a heap is shorter than it was");
      if (place % DOCUMENTS_PER_STEP === DOCUMENTS_PER_STEP - 1) yield;
    }
    return ranked;
  }

  readonly #isWorse = (a: RankedDocument, b: RankedDocument): boolean =>
    compareRanked(a, b, this.#compare) > 0;
}

/** Offers each of `ordinals` that may be kept; returns how many were refused. */
export function offerWithin(
  ranking: Pick<DocumentRanking, "worstKey" | "offer">,
  keys: Float64Array,
  segment: number,
  ordinals: Uint32Array,
): number {
  const count = ordinals.length;
  let kept = 0;
  let at = nextWithin(ranking.worstKey, keys, 0, count);
  while (at < count) {
    kept += Number(ranking.offer(keys[at], segment, ordinals[at]));
    at = nextWithin(ranking.worstKey, keys, at + 1, count);
  }
  return count - kept;
}

/** The first position in `[start, end)` whose key is not above `worst`; `end` if there is none. */
function nextWithin(worst: number, keys: Float64Array, start: number, end: number): number {
  // A loop of its own, which most documents do not get past: 1 ns for each.
  let at = start;
  while (at < end && !(keys[at] <= worst)) at++;
  return at;
}

/** The order of a ranking: by key, then by `compare`. */
export function compareRanked(
  a: RankedDocument,
  b: RankedDocument,
  compare: DocumentComparer,
): number {
  if (a.key !== b.key) return a.key - b.key;
  return compare(a.segment, a.ordinal, b.segment, b.ordinal);
}
