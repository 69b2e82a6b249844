import { KthLeast } from "../../base/numbers/kth-least.ts";
import type { Steps } from "../../base/steps.ts";
import { WordList } from "../../base/word-list.ts";
import type { RowSink } from "./walk-clusters.ts";

/** Bytes that each document of a segment takes at most: two numbers, and two lists that double. */
export const GAIN_BYTES = 8 + 16;
/** Documents that are settled between two pauses, in some 10 ns each. */
const DOCUMENTS_PER_STEP = 1 << 16;

/**
 * How much nearer the documents of one segment are, to several query vectors together, than what
 * was not met of them. Of each query vector a walk tells of the inner vectors that it meets; a
 * document's nearest one counts by its estimate, and where none is as near as what is imputed to
 * those that were not met, as that (XTR, Lee et al. 2023; WARP, Scheerer et al. 2025). A document's
 * estimated distance is the same number for all less such gains.
 */
export class DocumentGains implements RowSink {
  readonly #ordinals: Uint32Array;
  readonly #unknown: number;
  /** Least estimate by document, for one query vector; infinite where none was met. */
  readonly #least: Float32Array;
  /** By document; NaN where none was met. */
  readonly #gains: Float32Array;
  /** Documents met for one query vector, and for all. */
  readonly #met = new WordList();
  readonly #seen = new WordList();
  #estimates: KthLeast = new KthLeast(1);
  #farthest = 0;

  /**
   * `ordinals` are the documents by position; `unknown` is the squared distance of vectors of which
   * codes tell nothing.
   */
  constructor(ordinals: Uint32Array, documentCount: number, unknown: number) {
    this.#ordinals = ordinals;
    this.#unknown = unknown;
    this.#least = new Float32Array(documentCount).fill(Number.POSITIVE_INFINITY);
    this.#gains = new Float32Array(documentCount).fill(Number.NaN);
  }

  /** The documents that were met, in no order. */
  get documents(): Uint32Array {
    return this.#seen.words;
  }

  /** The greatest estimate of the query vector. */
  get farthest(): number {
    return this.#farthest;
  }

  gainOf(ordinal: number): number {
    return this.#gains[ordinal];
  }

  /** Begins a query vector, whose estimates are told to `estimates`. */
  begin(estimates: KthLeast): void {
    this.#estimates = estimates;
    this.#farthest = 0;
  }

  add(position: number, lower: number, upper: number): void {
    const middle = (lower + upper) / 2;
    const estimate = Number.isNaN(middle) ? this.#unknown : middle;
    const ordinal = this.#ordinals[position];
    const least = this.#least[ordinal];
    if (least === Number.POSITIVE_INFINITY) this.#met.add(ordinal);
    if (estimate < least) this.#least[ordinal] = estimate;
    if (estimate > this.#farthest) this.#farthest = estimate;
    this.#estimates.offer(estimate);
  }

  /** Ends a query vector, from which vectors that were not met are `imputed` away. */
  *settle(imputed: number): Steps<void> {
    const { words: ordinals } = this.#met;
    for (let start = 0; start < ordinals.length; start += DOCUMENTS_PER_STEP) {
      if (start > 0) yield;
      this.#settleSome(ordinals.subarray(start, start + DOCUMENTS_PER_STEP), imputed);
    }
    this.#met.clear();
  }

  #settleSome(met: Uint32Array, imputed: number): void {
    const [least, gains] = [this.#least, this.#gains];
    for (const ordinal of met) {
      const gain = Math.max(0, imputed - least[ordinal]);
      least[ordinal] = Number.POSITIVE_INFINITY;
      const before = gains[ordinal];
      if (Number.isNaN(before)) this.#seen.add(ordinal);
      gains[ordinal] = Number.isNaN(before) ? gain : before + gain;
    }
  }
}
