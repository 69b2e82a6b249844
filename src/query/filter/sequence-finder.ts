/** Whether documents have a sequence of terms, from the positions of those. */

import type { TermPositions } from "../../segment/text/term-positions.ts";

/** A term of a sequence and how many positions after the first one it stands. */
export interface SequenceTerm {
  readonly term: string;
  readonly distance: number;
}

/** A distinct term, and all the distances at which it stands. */
interface SoughtTerm {
  readonly term: TermPositions;
  readonly distances: readonly number[];
}

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

  has(ordinal: number): boolean {
    let count: number | undefined;
    for (const { term, distances } of this.#sought) {
      term.read(ordinal);
      this.positionsRead += term.count;
      for (const distance of distances) {
        count =
          count === undefined ? this.#begin(term, distance) : this.#keep(count, term, distance);
        if (count === 0) return false;
      }
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
