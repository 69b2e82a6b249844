/**
 * Sums of many groups in flat arrays, by the group's place in a table: what `exact-sum.ts` does for
 * one group, without an object for each of them.
 */

import { must } from "../../base/assert.ts";
import { hasBit } from "../../codec/bitmap.ts";
import { FloatSum, type IntegerSum } from "../documents/exact-sum.ts";
import type { OrdinalBits } from "../documents/ordinal-bits.ts";

/** Values that are added between two carries: sums of so many words stay below 2^53. */
const CARRY_VALUES = 2 ** 20;
const WORD = 2 ** 32;

/** Integers by ordinal, two words each, the low one first; the high one is signed or not. */
export interface IntegerValues {
  readonly words: Uint32Array;
  readonly isSigned: boolean;
  /** Who has a value; undefined if all have. */
  readonly present: OrdinalBits | undefined;
}

/** Floats by ordinal. */
export interface FloatValues {
  readonly values: Float64Array;
  /** Who has a value; undefined if all have. */
  readonly present: OrdinalBits | undefined;
}

/** Sums of 64-bit integers, each as three digits to the base of 2^32 that are exact floats. */
export class IntegerPlaces {
  readonly #low: Float64Array;
  readonly #middle: Float64Array;
  readonly #high: Float64Array;
  /** Values that were added since the last carry, at most. */
  #pending = 0;

  constructor(size: number) {
    this.#low = new Float64Array(size);
    this.#middle = new Float64Array(size);
    this.#high = new Float64Array(size);
  }

  add(
    places: Uint32Array,
    ordinals: Uint32Array,
    { words, isSigned, present }: IntegerValues,
  ): void {
    if (this.#pending + ordinals.length > CARRY_VALUES) this.#carry();
    this.#pending += ordinals.length;
    const low = this.#low;
    const middle = this.#middle;
    for (let i = 0; i < ordinals.length; i++) {
      if (present !== undefined && !hasBit(present, ordinals[i])) continue;
      const at = 2 * ordinals[i];
      low[places[i]] += words[at];
      middle[places[i]] += isSigned ? words[at + 1] | 0 : words[at + 1];
    }
  }

  /** Adds what a place has to the sum of its group. */
  addTo(sum: IntegerSum, place: number): void {
    const upper = BigInt(this.#high[place]) * BigInt(WORD) + BigInt(this.#middle[place]);
    sum.absorb(upper * BigInt(WORD) + BigInt(this.#low[place]));
  }

  /** Leaves less than 2^32 in all digits but the highest. */
  #carry(): void {
    carryDigit(this.#low, this.#middle);
    carryDigit(this.#middle, this.#high);
    this.#pending = 0;
  }
}

function carryDigit(from: Float64Array, to: Float64Array): void {
  for (let place = 0; place < from.length; place++) {
    const carried = Math.floor(from[place] / WORD);
    from[place] -= carried * WORD;
    to[place] += carried;
  }
}

/** Sums of floats, each as two floats as long as that is exact. */
export class FloatPlaces {
  readonly #sums: Float64Array;
  /** What roundings of `#sums` have lost, exactly. */
  readonly #lost: Float64Array;
  /** Of values with which even that would lose something. */
  readonly #apart = new Map<number, FloatSum>();

  constructor(size: number) {
    this.#sums = new Float64Array(size);
    this.#lost = new Float64Array(size);
  }

  add(places: Uint32Array, ordinals: Uint32Array, { values, present }: FloatValues): void {
    const sums = this.#sums;
    const losses = this.#lost;
    for (let i = 0; i < ordinals.length; i++) {
      if (present !== undefined && !hasBit(present, ordinals[i])) continue;
      const place = places[i];
      const value = values[ordinals[i]];
      const before = sums[place];
      const sum = before + value;
      const valuePart = sum - before;
      const error = before - (sum - valuePart) + (value - valuePart);
      const lostBefore = losses[place];
      const lost = lostBefore + error;
      const errorPart = lost - lostBefore;
      // Beyond the range of floats it is not a number.
      if (lostBefore - (lost - errorPart) + (error - errorPart) === 0) {
        sums[place] = sum;
        losses[place] = lost;
      } else {
        this.#addApart(place, value);
      }
    }
  }

  #addApart(place: number, value: number): void {
    if (!this.#apart.has(place)) this.#apart.set(place, new FloatSum());
    must(this.#apart.get(place), "a sum was just made").add(value);
  }

  /** Adds what a place has to the sum of its group. */
  addTo(sum: FloatSum, place: number): void {
    sum.add(this.#sums[place]);
    sum.add(this.#lost[place]);
    const apart = this.#apart.get(place);
    if (apart !== undefined) sum.absorb(apart.exact());
  }
}
