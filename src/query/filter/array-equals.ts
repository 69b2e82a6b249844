import type { Steps } from "../../base/steps.ts";
import { hasBit, setBit } from "../../codec/bitmap.ts";
import type { ScalarValue } from "../../model/value.ts";
import { isScalarData } from "../column-values.ts";
import { andBits, emptyBits, extentOf, type OrdinalBits } from "../ordinal-bits.ts";
import type { PredicateOperator } from "../plan/operator.ts";
import {
  type AttributeNode,
  type AttributeSource,
  attributeNeeds,
  attributeSource,
  presentIn,
} from "./attribute-source.ts";
import { markListed } from "./membership.ts";

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

/**
 * Narrows position by position: documents of the right length, then those whose i-th element is
 * right.
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
  for (let o = start; o < end; o++) {
    if (offsets[o + 1] - offsets[o] === values.length) setBit(bits, o);
  }
  if (values.length === 0 || !isScalarData(elements)) return bits;
  const entries = {
    data: elements,
    count: offsets[count],
    start: offsets[start],
    end: offsets[end],
    dictionary,
  };
  for (const value of new Set(values)) {
    const matching = emptyBits(entries.count);
    yield* markListed([value], entries, matching);
    yield;
    for (let o = start; o < end; o++) {
      if (!hasBit(bits, o)) continue;
      const agrees = values.every((v, i) => v !== value || hasBit(matching, offsets[o] + i));
      if (!agrees) bits[o >>> 5] &= ~(1 << (o & 31));
    }
  }
  return bits;
}

/** Tells whether two lists have the same elements in the same order. */
export function sameElements<T>(a: ArrayLike<T>, b: ArrayLike<T>): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
