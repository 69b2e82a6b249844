import { WideMap } from "./wide-map.ts";
import { WordTable } from "./word-table.ts";

/** A value of an attribute, or an id. */
export type Scalar = string | number | bigint | boolean;

/** High word of the one NaN. */
const NAN_HIGH = 0x7ff8_0000;

const float = new Float64Array(1);
const floatWords = new Int32Array(float.buffer);
const integer = new BigInt64Array(1);
const integerWords = new Int32Array(integer.buffer);

/**
 * Numbers for scalars of one type that clients may have chosen, as a `Map` would have them: V8
 * hashes strings under a random seed, but numbers and bigints under none. Bigints have 64 bits,
 * signed in all keys of a table or in none.
 */
export class ScalarTable {
  /** Made for the first string. */
  #strings: WideMap<number> | undefined;
  readonly #words = new WordTable();

  /** The number of a scalar; 0 if it has none. Zeros of either sign are one key, and so is NaN. */
  get(value: Scalar): number {
    if (typeof value === "string") return this.#strings?.get(value) ?? 0;
    const words = wordsOf(value);
    return this.#words.get(words[0], words[1]);
  }

  /**
   * The number of a scalar. One that has none gets the given number, above 0 and below 2^32, and
   * the result is 0.
   */
  add(value: Scalar, number: number): number {
    if (typeof value === "string") {
      this.#strings ??= new WideMap<number>();
      return this.#strings.add(value, number) ?? 0;
    }
    const words = wordsOf(value);
    return this.#words.add(words[0], words[1], number);
  }

  /** `add` of the bigint of two 32-bit words, without making one. */
  addWords(low: number, high: number, number: number): number {
    return this.#words.add(low, high, number);
  }
}

/** Both words of a key; the array is used again. */
function wordsOf(value: number | bigint | boolean): Int32Array {
  if (typeof value === "bigint") {
    integer[0] = value;
    return integerWords;
  }
  // Adding makes a zero of either sign positive.
  float[0] = Number(value) + 0;
  if (Number.isNaN(float[0])) {
    floatWords[0] = 0;
    floatWords[1] = NAN_HIGH;
  }
  return floatWords;
}
