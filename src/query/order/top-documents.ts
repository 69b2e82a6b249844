/** The best k documents of a ranking, in time that does not depend on how many are looked at. */

import { siftDown, siftUp } from "../heap.ts";
import type { DocumentComparer } from "./document-order.ts";

/** A document in a ranking: where it is, and its key. */
export interface RankedDocument {
  /** Index into the snapshot's segments. */
  readonly segment: number;
  readonly ordinal: number;
  /** Lower is better: a distance, a negated score, or a hint of the order. */
  readonly key: number;
}

/** Takes documents in any order and hands the best ones back in order. */
export interface DocumentRanking {
  offer(key: number, segment: number, ordinal: number): void;
  /** Offers each of `ordinals` with its key in `keys`; documents whose key is NaN are left out. */
  offerAll(keys: Float64Array, segment: number, ordinals: Uint32Array): void;
  /** Best first. Ends the ranking: nothing may be offered afterwards. */
  ranked(): Iterable<RankedDocument>;
}

/** Keeps the best `capacity` by key, ties by `compare`: a heap whose root is the worst. */
export class TopDocuments implements DocumentRanking {
  readonly #capacity: number;
  readonly #compare: DocumentComparer;
  readonly #heap: RankedDocument[] = [];

  constructor(capacity: number, compare: DocumentComparer) {
    this.#capacity = capacity;
    this.#compare = compare;
  }

  offer(key: number, segment: number, ordinal: number): void {
    const heap = this.#heap;
    if (heap.length < this.#capacity) {
      heap.push({ key, segment, ordinal });
      siftUp(heap, heap.length - 1, this.#isWorse);
      return;
    }
    if (heap.length === 0 || key > heap[0].key) return;
    const document = { key, segment, ordinal };
    if (!this.#isWorse(heap[0], document)) return;
    heap[0] = document;
    siftDown(heap, 0, this.#isWorse);
  }

  offerAll(keys: Float64Array, segment: number, ordinals: Uint32Array): void {
    let worst = this.#worstKey();
    for (let i = 0; i < ordinals.length; i++) {
      if (!(keys[i] <= worst)) continue;
      this.offer(keys[i], segment, ordinals[i]);
      worst = this.#worstKey();
    }
  }

  /** Greater keys are not among the best. */
  #worstKey(): number {
    const heap = this.#heap;
    if (heap.length < this.#capacity) return Number.POSITIVE_INFINITY;
    return heap.length === 0 ? Number.NEGATIVE_INFINITY : heap[0].key;
  }

  ranked(): RankedDocument[] {
    return this.#heap.sort((a, b) => compareRanked(a, b, this.#compare));
  }

  readonly #isWorse = (a: RankedDocument, b: RankedDocument): boolean =>
    compareRanked(a, b, this.#compare) > 0;
}

/** Keeps all documents and sorts only as far as they are asked for. */
export class WholeRanking implements DocumentRanking {
  readonly #compare: DocumentComparer;
  readonly #heap: RankedDocument[] = [];

  constructor(compare: DocumentComparer) {
    this.#compare = compare;
  }

  offer(key: number, segment: number, ordinal: number): void {
    this.#heap.push({ key, segment, ordinal });
  }

  offerAll(keys: Float64Array, segment: number, ordinals: Uint32Array): void {
    for (let i = 0; i < ordinals.length; i++) {
      if (!Number.isNaN(keys[i])) this.offer(keys[i], segment, ordinals[i]);
    }
  }

  *ranked(): Generator<RankedDocument> {
    const heap = this.#heap;
    const isBetter = (a: RankedDocument, b: RankedDocument): boolean =>
      compareRanked(a, b, this.#compare) < 0;
    for (let i = (heap.length >> 1) - 1; i >= 0; i--) siftDown(heap, i, isBetter);
    for (;;) {
      const last = heap.pop();
      if (last === undefined) return;
      const best = heap.length === 0 ? last : heap[0];
      if (heap.length > 0) {
        heap[0] = last;
        siftDown(heap, 0, isBetter);
      }
      yield best;
    }
  }
}

function compareRanked(a: RankedDocument, b: RankedDocument, compare: DocumentComparer): number {
  if (a.key !== b.key) return a.key - b.key;
  return compare(a.segment, a.ordinal, b.segment, b.ordinal);
}
