/** The best k documents of a ranking of which at most so many may have the same key values. */

import { must } from "../../base/assert.ts";
import { makeHeap, siftUp, takeFirst } from "../../base/heap.ts";
import { runSteps, type Steps } from "../../base/steps.ts";
import type { DocumentComparer } from "../documents/document-order.ts";
import {
  compareRanked,
  type DocumentRanking,
  offerWithin,
  type RankedDocument,
} from "../documents/top-documents.ts";

/** Names the group of a document; the same for equal key values of all segments. */
export type GroupOf = (segment: number, ordinal: number) => string;

/** A document that is kept, or was until another one of its group took its place. */
interface LimitedDocument extends RankedDocument {
  readonly group: Group;
  isKept: boolean;
}

/** The documents of a group that are kept, as a heap whose root is the worst. */
interface Group {
  readonly name: string;
  readonly kept: LimitedDocument[];
}

/** Documents that leave a heap between two pauses, in some microseconds each. */
const DOCUMENTS_PER_STEP = 128;
/** Documents in the heap that are kept no more, beside as many as are kept. */
const REMOVED_MIN = 64;

/**
 * Keeps the best `capacity` by key, ties by `compare`, and of each group the best `perGroup`.
 *
 * What was refused is never missed: documents that are kept only give way to better ones, so that
 * the worst of `capacity` of them is a threshold for any document, and the worst of a full group
 * one for its others.
 */
export class LimitedDocuments implements DocumentRanking {
  readonly capacity: number;
  readonly enough = Number.POSITIVE_INFINITY;
  readonly #perGroup: number;
  readonly #groupOf: GroupOf;
  readonly #compare: DocumentComparer;
  /** A heap whose root is the worst that is kept; others of it may be kept no more. */
  #heap: LimitedDocument[] = [];
  #keptCount = 0;
  readonly #groups = new Map<string, Group>();
  #skippedCount = 0;

  constructor(
    { capacity, perGroup }: { readonly capacity: number; readonly perGroup: number },
    groupOf: GroupOf,
    compare: DocumentComparer,
  ) {
    this.capacity = capacity;
    this.#perGroup = perGroup;
    this.#groupOf = groupOf;
    this.#compare = compare;
  }

  get skippedCount(): number {
    return this.#skippedCount;
  }

  get worstKey(): number {
    if (this.#keptCount < this.capacity) return Number.POSITIVE_INFINITY;
    return this.capacity === 0 ? Number.NEGATIVE_INFINITY : this.#heap[0].key;
  }

  /** Whether a document whose group has room would be kept. */
  admits(key: number, segment: number, ordinal: number): boolean {
    if (Number.isNaN(key) || this.capacity === 0) return false;
    if (this.#keptCount < this.capacity) return true;
    return this.#isBetter({ key, segment, ordinal }, this.#heap[0]);
  }

  offer(key: number, segment: number, ordinal: number): boolean {
    if (!this.admits(key, segment, ordinal)) return false;
    const group = this.#groupNamed(this.#groupOf(segment, ordinal));
    const document: LimitedDocument = { key, segment, ordinal, group, isKept: true };
    if (group.kept.length === this.#perGroup) {
      if (!this.#isBetter(document, group.kept[0])) return false;
      this.#remove(group.kept[0]);
    } else if (this.#keptCount === this.capacity) {
      this.#remove(this.#heap[0]);
    }
    this.#add(document);
    return true;
  }

  offerAll(keys: Float64Array, segment: number, ordinals: Uint32Array): void {
    this.#skippedCount += offerWithin(this, keys, segment, ordinals);
  }

  *ranked(): Steps<RankedDocument[]> {
    const ranked: RankedDocument[] = [];
    for (;;) {
      const document = takeFirst(this.#heap, this.#isWorse);
      if (document === undefined) break;
      const { key, segment, ordinal, isKept } = document;
      if (isKept) ranked.push({ key, segment, ordinal });
      if (this.#heap.length % DOCUMENTS_PER_STEP === DOCUMENTS_PER_STEP - 1) yield;
    }
    return ranked.reverse();
  }

  /** Groups without a document are not there. */
  #groupNamed(name: string): Group {
    return this.#groups.get(name) ?? { name, kept: [] };
  }

  #add(document: LimitedDocument): void {
    const { group } = document;
    if (group.kept.length === 0) this.#groups.set(group.name, group);
    for (const heap of [group.kept, this.#heap]) {
      heap.push(document);
      siftUp(heap, heap.length - 1, this.#isWorse);
    }
    this.#keptCount++;
  }

  /** Removes the worst document of a group. */
  #remove(document: LimitedDocument): void {
    const { group } = document;
    must(takeFirst(group.kept, this.#isWorse), "a group without its document");
    if (group.kept.length === 0) this.#groups.delete(group.name);
    document.isKept = false;
    this.#keptCount--;
    while (this.#heap.length > 0 && !this.#heap[0].isKept) takeFirst(this.#heap, this.#isWorse);
    if (this.#heap.length <= 2 * this.#keptCount + REMOVED_MIN) return;
    this.#heap = this.#heap.filter(({ isKept }) => isKept);
    runSteps(makeHeap(this.#heap, this.#isWorse));
  }

  #isBetter(a: RankedDocument, b: RankedDocument): boolean {
    return compareRanked(a, b, this.#compare) < 0;
  }

  readonly #isWorse = (a: RankedDocument, b: RankedDocument): boolean =>
    compareRanked(a, b, this.#compare) > 0;
}
