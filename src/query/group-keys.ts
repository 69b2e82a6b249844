/** Interns the values of group keys, so that groups are found by small numbers. */

import { hasBit } from "../codec/bitmap.ts";
import type { ScalarValue } from "../model/value.ts";
import type { SegmentView } from "../segment/segment-view.ts";
import { isScalarData, scalarReader } from "./column-values.ts";
import { type OrdinalBits, presenceBits } from "./ordinal-bits.ts";
import type { GroupNode } from "./plan.ts";

/** Number of a key's value, the same in all segments; 0 is null. */
export type KeyNumber = number;

/** Calls `visit` with each key number of a document. */
export type KeyReader = (ordinal: number, visit: (key: KeyNumber) => void) => void;

/** The distinct values of one group key. */
export class KeyInterner {
  readonly #values: (ScalarValue | null)[] = [null];
  readonly #numbers = new Map<ScalarValue, KeyNumber>();

  numberOf(value: ScalarValue): KeyNumber {
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    this.#numbers.set(value, this.#values.length);
    return this.#values.push(value) - 1;
  }

  valueOf(key: KeyNumber): ScalarValue | null {
    return this.#values[key];
  }
}

/**
 * Makes the reader of a key's values in one segment. Strings are decoded once per distinct value.
 */
export function keyReader(node: GroupNode, view: SegmentView, interner: KeyInterner): KeyReader {
  const columnView = view.column(node.attribute);
  if (columnView === undefined) return (_ordinal, visit) => visit(0);
  const { data, presence } = columnView.column;
  const present = presenceBits(presence, view.documentCount);
  const values = data.kind === "array" ? data.elements : data;
  if (!isScalarData(values)) return emptyArrays(present);
  const dictionary = columnView.dictionary;
  const numberAt =
    dictionary === undefined
      ? directNumbers(scalarReader(values), interner)
      : codedNumbers(dictionary, interner);
  if (data.kind === "array") return elementReader(data.offsets, present, numberAt);
  return (ordinal, visit) => visit(hasBit(present, ordinal) ? numberAt(ordinal) : 0);
}

type NumberAt = (index: number) => KeyNumber;

function directNumbers(read: (index: number) => ScalarValue, interner: KeyInterner): NumberAt {
  return (index) => interner.numberOf(read(index));
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
  return (ordinal, visit) => {
    if (!hasBit(present, ordinal)) {
      visit(0);
      return;
    }
    const seen = new Set<KeyNumber>();
    for (let e = offsets[ordinal]; e < offsets[ordinal + 1]; e++) seen.add(numberAt(e));
    for (const key of seen) visit(key);
  };
}

/** For arrays of which only empty ones were seen. */
function emptyArrays(present: OrdinalBits): KeyReader {
  return (ordinal, visit) => {
    if (!hasBit(present, ordinal)) visit(0);
  };
}
