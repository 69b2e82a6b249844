/** Whether documents have a sequence of terms, from the positions of those. */

import type { Steps } from "../../base/steps.ts";
import type { TermPositions } from "../../segment/text/term-positions.ts";
import type { SequenceTerm } from "./sequence-scan.ts";

/** A distinct term, and all the distances at which it stands. */
interface SoughtTerm {
  readonly term: TermPositions;
  readonly distances: readonly number[];
}

/** Starts and positions that are compared between two pauses, in about a nanosecond each. */
const STARTS_PER_STEP = 1 << 17;
/** Starts that there is room for at first. */
const STARTS_MIN = 64;

/** Finds a sequence in documents that have all of its terms, and are asked about in their order. */
export class SequenceFinder {
  /** Positions that were read so far. */
  positionsRead = 0;
  /** The term that the fewest documents have is first. */
  readonly #sought: readonly SoughtTerm[];
  /** Where the sequence may begin, ascending. */
  #starts = new Int32Array(STARTS_MIN);
  /** The current document, and the next term and distance to check in it. */
  #ordinal = 0;
  #term = 0;
  #distance = 0;
  #count: number | undefined;

  constructor(sequence: readonly SequenceTerm[], positionsOf: (term: string) => TermPositions) {
    const distances = new Map<string, number[]>();
    for (const { term, distance } of sequence) {
      const known = distances.get(term);
      if (known === undefined) distances.set(term, [distance]);
      else known.push(distance);
    }
    const sought = Array.from(distances, ([term, own]) => {
      return { term: positionsOf(term), distances: own };
    });
    this.#sought = sought.sort((a, b) => a.term.documentCount - b.term.documentCount);
  }

  /**
   * Returns true if a document has the sequence; in steps if its terms have very many positions.
   */
  has(ordinal: number): boolean | Steps<boolean> {
    this.#ordinal = ordinal;
    this.#term = 0;
    this.#distance = 0;
    this.#count = undefined;
    return this.#advance() ?? this.#finish();
  }

  *#finish(): Steps<boolean> {
    for (;;) {
      yield;
      const found = this.#advance();
      if (found !== undefined) return found;
    }
  }

  /** Continues with a document; undefined after `STARTS_PER_STEP` starts. */
  #advance(): boolean | undefined {
    let work = 0;
    for (; this.#term < this.#sought.length; this.#term++) {
      const { term, distances } = this.#sought[this.#term];
      for (; this.#distance < distances.length; this.#distance++) {
        if (work > STARTS_PER_STEP) return undefined;
        if (this.#distance === 0) {
          term.read(this.#ordinal);
          this.positionsRead += term.count;
        }
        const distance = distances[this.#distance];
        this.#count =
          this.#count === undefined
            ? this.#begin(term, distance)
            : this.#keep(this.#count, term, distance);
        if (this.#count === 0) return false;
        work += this.#count + term.count;
      }
      this.#distance = 0;
    }
    return true;
  }

  /** Takes all starts for which the term stands at a distance. */
  #begin({ positions, count }: TermPositions, distance: number): number {
    if (count > this.#starts.length) this.#starts = new Int32Array(2 * count);
    const starts = this.#starts;
    let kept = 0;
    for (let i = 0; i < count; i++) {
      if (positions[i] >= distance) starts[kept++] = positions[i] - distance;
    }
    return kept;
  }

  /** Keeps those of so many starts for which the term stands at a distance. */
  #keep(startCount: number, { positions, count }: TermPositions, distance: number): number {
    const starts = this.#starts;
    let kept = 0;
    let at = 0;
    for (let i = 0; i < startCount; i++) {
      const position = starts[i] + distance;
      while (at < count && positions[at] < position) at++;
      if (at === count) break;
      if (positions[at] === position) starts[kept++] = starts[i];
    }
    return kept;
  }
}
