/** Finds sequences of terms in texts, token by token. */

/** A term of a sequence and how many positions after the first one it stands. */
export interface SequenceTerm {
  readonly term: string;
  readonly distance: number;
}

/**
 * Finds a sequence of terms among the tokens of a text, which come one by one: Shift-And
 * (Baeza-Yates and Gonnet, A new approach to text searching, 1992). A token takes time for each 32
 * positions of the sequence.
 */
export class SequenceScan {
  /** The text has the sequence. */
  isFound = false;
  /** Bits of the positions at which each term may stand, and of those at which any may. */
  readonly #places = new Map<string, Uint32Array>();
  readonly #gaps: Uint32Array;
  /** Bits of the positions up to which the sequence was met, before the next token. */
  readonly #met: Uint32Array;
  readonly #last: number;
  #position = -1;

  /** Distances ascend from 0. */
  constructor(sequence: readonly SequenceTerm[]) {
    this.#last = sequence[sequence.length - 1].distance;
    this.#gaps = new Uint32Array((this.#last >>> 5) + 1).fill(0xffff_ffff);
    this.#met = new Uint32Array(this.#gaps.length);
    for (const { distance } of sequence) this.#gaps[distance >>> 5] &= ~(1 << (distance & 31));
    for (const { term, distance } of sequence) {
      const places = this.#places.get(term) ?? this.#gaps.slice();
      places[distance >>> 5] |= 1 << (distance & 31);
      this.#places.set(term, places);
    }
  }

  /** Begins with a text, whose positions begin with 0. */
  begin(): void {
    this.#met.fill(0);
    this.#position = -1;
  }

  /**
   * Takes the next token of the text: positions ascend, and positions of dropped tokens are left
   * out.
   */
  add(term: string, position: number): void {
    let isAny = true;
    for (let at = this.#position + 1; at < position && isAny; at++) isAny = this.#shift(this.#gaps);
    this.#shift(this.#places.get(term) ?? this.#gaps);
    this.#position = position;
    if ((this.#met[this.#last >>> 5] & (1 << (this.#last & 31))) !== 0) this.isFound = true;
  }

  /** Returns true if some prefix of the sequence still matches. */
  #shift(places: Uint32Array): boolean {
    const met = this.#met;
    let carry = 1;
    let all = 0;
    for (let i = 0; i < met.length; i++) {
      const next = met[i] >>> 31;
      met[i] = ((met[i] << 1) | carry) & places[i];
      all |= met[i];
      carry = next;
    }
    return all !== 0;
  }
}
