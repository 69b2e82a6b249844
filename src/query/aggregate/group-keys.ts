/** Interns the values of group keys, so that groups are found by small numbers. */

import { numberHash, scalarHash, WideMap } from "../../base/wide-map.ts";
import { hasBit } from "../../codec/bitmap.ts";
import type { ScalarValue } from "../../model/value.ts";
import type { SegmentView } from "../../segment/segment-view.ts";
import { integerReader, isScalarData, type ScalarData, scalarReader } from "../column-values.ts";
import { type OrdinalBits, presenceBits } from "../ordinal-bits.ts";
import type { GroupNode } from "../plan/plan.ts";

/** Number of a key's value, the same in all segments; 0 is null. */
export type KeyNumber = number;

/** Reads the keys of documents. */
export interface KeyReader {
  /** Undefined if a document may have several keys, or none. */
  readonly keyOf: ((ordinal: number) => KeyNumber) | undefined;
  readonly forEachKey: (ordinal: number, visit: (key: KeyNumber) => void) => void;
}

/** The distinct values of one group key, all of one type. */
export class KeyInterner {
  readonly #values: (ScalarValue | null)[] = [null];
  readonly #numbers = new WideMap<ScalarValue, KeyNumber>(scalarHash);
  /** Integers that floats hold exactly: they are found faster than bigints. */
  readonly #integers = new WideMap<number, KeyNumber>(numberHash);

  numberOf(value: ScalarValue): KeyNumber {
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    this.#numbers.add(value, this.#values.length);
    return this.#values.push(value) - 1;
  }

  /** The same for the bigint of a safe integer; zeros of either sign are one. */
  numberOfInteger(value: number): KeyNumber {
    const known = this.#integers.get(value);
    if (known !== undefined) return known;
    this.#integers.add(value, this.#values.length);
    return this.#values.push(BigInt(value)) - 1;
  }

  valueOf(key: KeyNumber): ScalarValue | null {
    return this.#values[key];
  }

  /** The number that readers of segments give to a value of a key. */
  numberOfKey(value: ScalarValue | null): KeyNumber {
    if (value === null) return 0;
    const near = typeof value === "bigint" ? Number(value) : Number.NaN;
    return Number.isSafeInteger(near) ? this.numberOfInteger(near) : this.numberOf(value);
  }
}

/**
 * Makes the reader of a key's values in one segment. Strings are decoded once per distinct value.
 */
export function keyReader(node: GroupNode, view: SegmentView, interner: KeyInterner): KeyReader {
  const columnView = view.column(node.attribute);
  if (columnView === undefined) return singleReader(() => 0);
  const { data, presence } = columnView.column;
  const present = presenceBits(presence, view.documentCount);
  const values = data.kind === "array" ? data.elements : data;
  if (!isScalarData(values)) return emptyArrays(present);
  const dictionary = columnView.dictionary;
  const numberAt =
    dictionary === undefined ? directNumbers(values, interner) : codedNumbers(dictionary, interner);
  if (data.kind === "array") return elementReader(data.offsets, present, numberAt);
  if (presence === undefined) return singleReader(numberAt);
  return singleReader((ordinal) => (hasBit(present, ordinal) ? numberAt(ordinal) : 0));
}

function singleReader(keyOf: NumberAt): KeyReader {
  return { keyOf, forEachKey: (ordinal, visit) => visit(keyOf(ordinal)) };
}

type NumberAt = (index: number) => KeyNumber;

function directNumbers(values: ScalarData, interner: KeyInterner): NumberAt {
  const read = scalarReader(values);
  if (values.kind !== "i64" && values.kind !== "u64") {
    return (index) => interner.numberOf(read(index));
  }
  const near = integerReader(values);
  return (index) => {
    const value = near(index);
    return Number.isSafeInteger(value)
      ? interner.numberOfInteger(value)
      : interner.numberOf(read(index));
  };
}

function codedNumbers(
  dictionary: { size: number; codes: Uint32Array; value(code: number): string },
  interner: KeyInterner,
): NumberAt {
  // 0 stands for "not looked up yet", since no value has the number of null.
  const numbers = new Uint32Array(dictionary.size);
  return (index) => {
    const code = dictionary.codes[index];
    if (numbers[code] === 0) numbers[code] = interner.numberOf(dictionary.value(code));
    return numbers[code];
  };
}

/** A missing array is one null key, an empty one no key; an element counts once per document. */
function elementReader(offsets: Uint32Array, present: OrdinalBits, numberAt: NumberAt): KeyReader {
  const forEachKey: KeyReader["forEachKey"] = (ordinal, visit) => {
    if (!hasBit(present, ordinal)) {
      visit(0);
      return;
    }
    const seen = new Set<KeyNumber>();
    for (let e = offsets[ordinal]; e < offsets[ordinal + 1]; e++) seen.add(numberAt(e));
    for (const key of seen) visit(key);
  };
  return { keyOf: undefined, forEachKey };
}

/** For arrays of which only empty ones were seen. */
function emptyArrays(present: OrdinalBits): KeyReader {
  const forEachKey: KeyReader["forEachKey"] = (ordinal, visit) => {
    if (!hasBit(present, ordinal)) visit(0);
  };
  return { keyOf: undefined, forEachKey };
}
