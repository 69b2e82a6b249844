/** Numbers the values of group keys, so that groups are found by small numbers. */

import { type DatabaseError, invalid } from "../../base/errors.ts";
import { ScalarTable } from "../../base/tables/scalar-table.ts";
import { hasBit } from "../../codec/bitmap.ts";
import { compareScalars, type ScalarValue } from "../../model/value.ts";
import type { SegmentView } from "../../segment/view/segment-view.ts";
import {
  isScalarData,
  type ScalarData,
  scalarReader,
  wordsOf,
} from "../documents/column-values.ts";
import { type OrdinalBits, presenceBits } from "../documents/ordinal-bits.ts";
import type { GroupNode } from "../operator/plan.ts";

/** Number of a key's value, the same in all segments; 0 is null. */
export type KeyNumber = number;

/** Numbers of a key's values, and of combinations: two of them are one integer, exactly. */
export const KEY_NUMBERS_MAX = 2 ** 26;

/** Integers from 0 on whose numbers are found without a hash. */
const SMALL_INTEGERS = 4096;

/** What is thrown where there are more. */
export function tooManyKeys(): DatabaseError {
  return invalid(
    `💔 group_by: over ${KEY_NUMBERS_MAX} groups; narrow the filters or group by fewer attributes`,
  );
}

/** Reads a key of documents. */
export type KeyReader = SingleKeyReader | ElementKeyReader;

/** Documents have one key each. */
export interface SingleKeyReader {
  readonly form: "single";
  /** Writes the number of each document's key. */
  readonly read: ReadNumbers;
  /** Who has a value; undefined if all have. */
  readonly present?: OrdinalBits | undefined;
  /** Absent where values are not in a dictionary. */
  readonly dictionary?: CodedKeys | undefined;
  /** Absent where values are no integers or bools. */
  readonly small?: SmallKeys | undefined;
}

/** Documents have as many keys as distinct elements; without a value they have one, null. */
export interface ElementKeyReader {
  readonly form: "elements";
  readonly present: OrdinalBits;
  /** The elements of a document go from one offset to before the next. */
  readonly offsets: Uint32Array;
  /** The same as of single ones, of elements. */
  readonly read: ReadNumbers;
  readonly dictionary?: CodedKeys | undefined;
}

/** The codes of documents' values, or of elements. */
export interface CodedKeys {
  /** Above all codes. */
  readonly size: number;
  readonly codes: Uint32Array;
  /** Decodes the value the first time. */
  numberOf(code: number): KeyNumber;
}

/** Values that are places in a small table: bools, and integers from 0 on. */
export interface SmallKeys {
  /** Places of the table. */
  readonly size: number;
  /**
   * Counts documents, which all have a value, by its place; returns how many have none there, and
   * lists those in `others`, which has room for all.
   */
  tally(ordinals: Uint32Array, counts: Uint32Array, others: Uint32Array): number;
  /** Writes the place of each in the same way; `elsewhere` of those that have none. */
  place(ordinals: Uint32Array, places: Uint32Array, elsewhere: number): void;
  numberOf(place: number): KeyNumber;
}

type ReadNumbers = (indexes: Uint32Array, into: Uint32Array) => void;

/** The distinct values of one group key, all of one type. */
export class KeyInterner {
  readonly #isFloat: boolean;
  /** Integers that floats hold exactly as floats, which cost the heap nothing. */
  readonly #values: (ScalarValue | null)[] = [null];
  readonly #numbers = new ScalarTable();

  constructor({ type }: Pick<GroupNode, "type">) {
    this.#isFloat = type.kind === "scalar" && type.of === "float";
  }

  /** Above all numbers. */
  get size(): number {
    return this.#values.length;
  }

  numberOf(value: ScalarValue): KeyNumber {
    return this.#numbers.add(value, this.#values.length) || this.#keep(value);
  }

  /** The same for an integer: its low 32 bits without a sign, and the rest with its own. */
  numberOfWords(low: number, high: number): KeyNumber {
    const known = this.#numbers.addWords(low, high, this.#values.length);
    return known || this.#keep(integerOf(low, high));
  }

  /** Keeps a value to which the table has just given the next number, and returns that. */
  #keep(value: ScalarValue): KeyNumber {
    if (this.#values.length === KEY_NUMBERS_MAX) throw tooManyKeys();
    const near = typeof value === "bigint" ? Number(value) : Number.NaN;
    return this.#values.push(Number.isSafeInteger(near) ? near : value) - 1;
  }

  valueOf(key: KeyNumber): ScalarValue | null {
    const value = this.#values[key];
    return !this.#isFloat && typeof value === "number" ? BigInt(value) : value;
  }

  /** The order of two values, ascending, null first. */
  compare(x: KeyNumber, y: KeyNumber): number {
    const [a, b] = [this.#values[x], this.#values[y]];
    if (a === null || b === null) return Number(b === null) - Number(a === null);
    // Of one integer that floats hold exactly and one that they do not.
    if (typeof a !== typeof b) return a < b ? -1 : 1;
    return compareScalars(a, b);
  }
}

function integerOf(low: number, high: number): number | bigint {
  const near = high * 2 ** 32 + low;
  return Number.isSafeInteger(near) ? near : (BigInt(high) << 32n) + BigInt(low);
}

/**
 * Makes the reader of a key's values in one segment. Strings are decoded once per distinct value.
 */
export function keyReader(node: GroupNode, view: SegmentView, interner: KeyInterner): KeyReader {
  const columnView = view.column(node.attribute);
  if (columnView === undefined) return { form: "single", read: readNulls };
  const { data, presence } = columnView.column;
  const present = presenceBits(presence, view.documentCount);
  const values = data.kind === "array" ? data.elements : data;
  if (!isScalarData(values)) {
    // Arrays of which only empty ones were seen.
    const offsets = new Uint32Array(view.documentCount + 1);
    return { form: "elements", present, offsets, read: readNulls };
  }
  const dictionary = columnView.dictionary && codedKeys(columnView.dictionary, interner);
  const read =
    dictionary === undefined ? directNumbers(values, interner) : codedNumbers(dictionary);
  if (data.kind === "array") {
    return { form: "elements", present, offsets: data.offsets, read, dictionary };
  }
  const small = smallKeys(values, interner);
  if (presence === undefined) return { form: "single", read, dictionary, small };
  return {
    form: "single",
    present,
    dictionary,
    small,
    read: (ordinals, into) => {
      read(ordinals, into);
      for (let i = 0; i < ordinals.length; i++) if (!hasBit(present, ordinals[i])) into[i] = 0;
    },
  };
}

const readNulls: ReadNumbers = (indexes, into) => {
  into.fill(0, 0, indexes.length);
};

function directNumbers(values: ScalarData, interner: KeyInterner): ReadNumbers {
  if (values.kind === "bool") {
    // Looked up as they come: a value that no document has gets no number.
    const numbers = new Uint32Array(2);
    return (indexes, into) => {
      for (let i = 0; i < indexes.length; i++) {
        const bit = values.values[indexes[i]] === 0 ? 0 : 1;
        if (numbers[bit] === 0) numbers[bit] = interner.numberOf(bit === 1);
        into[i] = numbers[bit];
      }
    };
  }
  if (values.kind !== "i64" && values.kind !== "u64") {
    const valueAt = scalarReader(values);
    return (indexes, into) => {
      for (let i = 0; i < indexes.length; i++) into[i] = interner.numberOf(valueAt(indexes[i]));
    };
  }
  // As of dictionaries: 0 is "not looked up yet".
  const smallNumbers = new Uint32Array(SMALL_INTEGERS);
  const words = wordsOf(values.values);
  const isSigned = values.kind === "i64";
  return (indexes, into) => {
    for (let i = 0; i < indexes.length; i++) {
      const low = words[2 * indexes[i]];
      const high = words[2 * indexes[i] + 1];
      if (high !== 0 || low >= SMALL_INTEGERS) {
        into[i] = interner.numberOfWords(low, isSigned ? high | 0 : high);
        continue;
      }
      if (smallNumbers[low] === 0) smallNumbers[low] = interner.numberOfWords(low, 0);
      into[i] = smallNumbers[low];
    }
  };
}

function smallKeys(values: ScalarData, interner: KeyInterner): SmallKeys | undefined {
  if (values.kind === "bool") {
    const bits = values.values;
    return {
      size: 2,
      tally(ordinals, counts) {
        for (let i = 0; i < ordinals.length; i++) counts[bits[ordinals[i]] === 0 ? 0 : 1]++;
        return 0;
      },
      place(ordinals, places) {
        for (let i = 0; i < ordinals.length; i++) places[i] = bits[ordinals[i]] === 0 ? 0 : 1;
      },
      numberOf: (place) => interner.numberOf(place === 1),
    };
  }
  if (values.kind !== "i64" && values.kind !== "u64") return undefined;
  const words = wordsOf(values.values);
  return {
    size: SMALL_INTEGERS,
    tally(ordinals, counts, others) {
      let count = 0;
      for (let i = 0; i < ordinals.length; i++) {
        const low = words[2 * ordinals[i]];
        if (low < SMALL_INTEGERS && words[2 * ordinals[i] + 1] === 0) counts[low]++;
        else others[count++] = ordinals[i];
      }
      return count;
    },
    place(ordinals, places, elsewhere) {
      for (let i = 0; i < ordinals.length; i++) {
        const low = words[2 * ordinals[i]];
        const isSmall = low < SMALL_INTEGERS && words[2 * ordinals[i] + 1] === 0;
        places[i] = isSmall ? low : elsewhere;
      }
    },
    numberOf: (place) => interner.numberOfWords(place, 0),
  };
}

function codedKeys(
  dictionary: { size: number; codes: Uint32Array; value(code: number): string },
  interner: KeyInterner,
): CodedKeys {
  const { size, codes } = dictionary;
  // 0 stands for "not looked up yet", since no value has the number of null.
  const numbers = new Uint32Array(size);
  const numberOf = (code: number): KeyNumber => {
    if (numbers[code] === 0) numbers[code] = interner.numberOf(dictionary.value(code));
    return numbers[code];
  };
  return { size, codes, numberOf };
}

function codedNumbers({ codes, numberOf }: CodedKeys): ReadNumbers {
  return (indexes, into) => {
    for (let i = 0; i < indexes.length; i++) into[i] = numberOf(codes[indexes[i]]);
  };
}
