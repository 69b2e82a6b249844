import { RunReader } from "./position-section.ts";
import type { Postings } from "./text-lists.ts";

/** Positions that there is room for at first. */
const POSITIONS_MIN = 64;

/** The positions of one term in documents that have it; those are asked for in their order. */
export class TermPositions {
  /** Of the document that was read last, ascending; those from `count` on mean nothing. */
  positions = new Int32Array(POSITIONS_MIN);
  count = 0;
  readonly #postings: Postings;
  readonly #runs: RunReader;
  /** The posting that was read last, and its ordinal. */
  #index = 0;
  #ordinal = 0;

  /** `bytes`: what `TextView.positions` gives. */
  constructor(postings: Postings, bytes: Uint8Array) {
    this.#postings = postings;
    this.#runs = new RunReader(bytes, postings.frequencies);
  }

  /** How many documents have the term. */
  get documentCount(): number {
    return this.#postings.ordinals.length;
  }

  /** Reads those in a document, which has the term and is behind the one before. */
  read(ordinal: number): void {
    const { ordinals, frequencies } = this.#postings;
    // As ordinals ascend, no more of them than their difference are between two.
    const end = Math.min(ordinals.length, this.#index + ordinal - this.#ordinal + 1);
    const index = ordinals.find(ordinal, this.#index, end);
    this.count = frequencies.at(index);
    if (this.count > this.positions.length) this.positions = new Int32Array(2 * this.count);
    this.#runs.read(index, this.positions);
    this.#index = index;
    this.#ordinal = ordinal;
  }
}
