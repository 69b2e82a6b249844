/** Ranks of words as often as natural language has them. */

import type { Random } from "../src/base/random.ts";

/** Zipf's law as Mandelbrot has it. */
const EXPONENT = 1.05;
const SHIFT = 2.7;

/** Draws of the ranks of so many words, from 0. */
export class ZipfRanks {
  readonly #random: Random;
  /** Up to each rank, the sum of the frequencies. */
  readonly #sums: Float64Array;

  constructor(random: Random, words: number, shift = SHIFT) {
    this.#random = random;
    this.#sums = new Float64Array(words);
    let sum = 0;
    for (let rank = 0; rank < words; rank++) {
      sum += 1 / (rank + shift) ** EXPONENT;
      this.#sums[rank] = sum;
    }
  }

  next(): number {
    const last = this.#sums.length - 1;
    const at = this.#random.next() * this.#sums[last];
    let low = 0;
    let high = last;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#sums[middle] < at) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
