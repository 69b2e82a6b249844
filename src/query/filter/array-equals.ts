import { unreachable } from "../../base/assert.ts";
import { mapInSteps, type Steps } from "../../base/steps.ts";
import { clearBit, setBit } from "../../codec/bitmap.ts";
import { UUID_BYTES, writeUuidBytes } from "../../model/uuid.ts";
import type { ScalarValue } from "../../model/value.ts";
import type { DictionaryView } from "../../segment/view/segment-view.ts";
import {
  compareBytes,
  isScalarData,
  type ScalarData,
  wordsOf,
} from "../documents/column-values.ts";
import {
  andBits,
  emptyBits,
  extentOf,
  isEmpty,
  nextBit,
  type OrdinalBits,
} from "../documents/ordinal-bits.ts";
import type { PredicateOperator } from "../operator/operator.ts";
import {
  type AttributeNode,
  type AttributeSource,
  attributeNeeds,
  attributeSource,
  presentIn,
} from "./attribute-source.ts";

/** An array has exactly these elements, in order. Null does not match. */
export interface ArrayEqualsNode extends AttributeNode {
  readonly kind: "array_equals";
  readonly values: readonly ScalarValue[];
}

/** Equality of arrays. */
export const ARRAY_EQUALS: PredicateOperator<ArrayEqualsNode> = {
  kind: "array_equals",
  cost: () => 2,
  grain: () => "ordinals",
  needs: ({ attribute }, { view }) => attributeNeeds(attribute, view),

  *run({ attribute, values }, { view, within }) {
    const count = view.documentCount;
    const source = attributeSource(attribute, view);
    if (source === undefined) return emptyBits(count);
    const bits = yield* equalArrays(source, extentOf(within, count), values, count);
    return andBits(andBits(bits, presentIn(source, count)), within);
  },

  matches: ({ attribute, values }, { current }) => {
    const elements = current(attribute) as readonly ScalarValue[] | null;
    return elements !== null && sameElements(elements, values);
  },

  explain: ({ attribute, values }, label) => [
    `${label}: ${attribute} is an array of ${values.length} given elements`,
  ],
};

/** Documents whose arrays are compared in length between two pauses: a nanosecond or two each. */
const DOCUMENTS_PER_STEP = 65_536;
/** Elements that are compared between two pauses: some nanoseconds each, more for long strings. */
const ELEMENTS_PER_STEP = 16_384;
/** Elements of the operand that are made comparable between two pauses: about a microsecond each. */
const OPERANDS_PER_STEP = 1024;

/**
 * Compares the arrays that are as long as the operand, element by element up to the first one that
 * differs. Cost: linear in the elements of the segment and of the operand.
 */
function* equalArrays(
  { data, dictionary }: AttributeSource,
  { start, end }: { readonly start: number; readonly end: number },
  values: readonly ScalarValue[],
  count: number,
): Steps<OrdinalBits> {
  const bits = emptyBits(count);
  if (data.kind !== "array") return bits;
  const { offsets, elements } = data;
  const { length } = values;
  for (let o = start; o < end; o++) {
    if (offsets[o + 1] - offsets[o] === length) setBit(bits, o);
    if ((o - start) % DOCUMENTS_PER_STEP === DOCUMENTS_PER_STEP - 1) yield;
  }
  if (length === 0 || !isScalarData(elements) || isEmpty(bits)) return bits;
  const areEqual = yield* elementsTest(values, elements, dictionary);
  if (areEqual === undefined) return emptyBits(count);
  let compared = 0;
  for (let o = nextBit(bits, start); o < end; o = nextBit(bits, o + 1)) {
    let from = 0;
    for (let agrees = true; agrees && from < length; ) {
      const to = Math.min(length, from + ELEMENTS_PER_STEP - compared);
      agrees = areEqual(offsets[o], from, to);
      compared += to - from;
      if (agrees) from = to;
      if (compared < ELEMENTS_PER_STEP) continue;
      yield;
      compared = 0;
    }
    if (from < length) clearBit(bits, o);
  }
  return bits;
}

/**
 * Checks whether the elements `first + from` to before `first + to` of a column are those from
 * `from` to before `to` of the operand.
 */
type ElementsTest = (first: number, from: number, to: number) => boolean;

/** Makes the operand comparable with elements as they are stored; undefined if none equal it. */
function* elementsTest(
  values: readonly ScalarValue[],
  elements: ScalarData,
  dictionary: DictionaryView | undefined,
): Steps<ElementsTest | undefined> {
  const { length } = values;
  if (dictionary !== undefined) {
    const wanted = new Uint32Array(length);
    for (let i = 0; i < length; i++) {
      const code = dictionary.codeOf(String(values[i]));
      if (code < 0) return undefined;
      wanted[i] = code;
      if (i % OPERANDS_PER_STEP === OPERANDS_PER_STEP - 1) yield;
    }
    return numbersTest(dictionary.codes, wanted, 1);
  }
  switch (elements.kind) {
    case "string":
      return stringsTest(
        elements,
        yield* mapInSteps(values, OPERANDS_PER_STEP, (value) => Buffer.from(String(value), "utf8")),
      );
    case "uuid": {
      const wanted = new Uint8Array(length * UUID_BYTES);
      yield* eachOperand(values, (value, i) =>
        writeUuidBytes(String(value), wanted, i * UUID_BYTES),
      );
      return numbersTest(elements.bytes, wanted, UUID_BYTES);
    }
    case "i64":
    case "u64": {
      const wanted =
        elements.kind === "i64" ? new BigInt64Array(length) : new BigUint64Array(length);
      yield* eachOperand(values, (value, i) => {
        wanted[i] = BigInt(value);
      });
      return numbersTest(wordsOf(elements.values), wordsOf(wanted), 2);
    }
    case "f64":
    case "bool": {
      const wanted = new Float64Array(length);
      yield* eachOperand(values, (value, i) => {
        wanted[i] = Number(value);
      });
      return numbersTest(elements.values, wanted, 1);
    }
    default:
      return unreachable(elements);
  }
}

function* eachOperand(
  values: readonly ScalarValue[],
  put: (value: ScalarValue, index: number) => void,
): Steps<void> {
  for (let i = 0; i < values.length; i++) {
    put(values[i], i);
    if (i % OPERANDS_PER_STEP === OPERANDS_PER_STEP - 1) yield;
  }
}

/** Compares elements that consist of `numbersEach` numbers. */
function numbersTest(
  stored: ArrayLike<number>,
  wanted: ArrayLike<number>,
  numbersEach: number,
): ElementsTest {
  return (first, from, to) => {
    const start = first * numbersEach;
    for (let i = from * numbersEach; i < to * numbersEach; i++) {
      if (stored[start + i] !== wanted[i]) return false;
    }
    return true;
  };
}

function stringsTest(
  { offsets, bytes }: Extract<ScalarData, { kind: "string" }>,
  wanted: readonly Uint8Array[],
): ElementsTest {
  return (first, from, to) => {
    for (let i = from; i < to; i++) {
      const element = first + i;
      if (offsets[element + 1] - offsets[element] !== wanted[i].length) return false;
      if (compareBytes(bytes, offsets[element], offsets[element + 1], wanted[i]) !== 0)
        return false;
    }
    return true;
  };
}

/** Checks whether two lists have the same elements in the same order. */
export function sameElements<T>(a: ArrayLike<T>, b: ArrayLike<T>): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
