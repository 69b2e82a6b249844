/** Runs a predicate over one segment: which ordinals match, dead documents included. */

import { assert, unreachable } from "../base/assert.ts";
import type { Ordinal } from "../base/ids.ts";
import { fullBitmap, hasBit, setBit } from "../codec/bitmap.ts";
import type { ColumnData } from "../model/columns.ts";
import type { ScalarValue } from "../model/value.ts";
import type { DictionaryView, SegmentView } from "../segment/segment-view.ts";
import { isScalarData } from "./column-values.ts";
import { markValues } from "./filter/match-interval.ts";
import { matchSequence, matchTokens } from "./filter-tokens.ts";
import {
  andBits,
  emptyBits,
  forEachBit,
  invertBits,
  isEmpty,
  type OrdinalBits,
  orBits,
  presenceBits,
} from "./ordinal-bits.ts";
import type { AttributeTest, Predicate, ValueSet } from "./predicate.ts";

/**
 * The ordinals among `within` that match. `within` (usually the live documents) is not changed; the
 * planner puts cheap predicates first, so that costly ones run within few candidates.
 */
export function filterSegment(
  predicate: Predicate,
  view: SegmentView,
  within: OrdinalBits,
): OrdinalBits {
  switch (predicate.kind) {
    case "and": {
      let bits: OrdinalBits = within.slice();
      for (const part of predicate.predicates) {
        if (isEmpty(bits)) break;
        bits = filterSegment(part, view, bits);
      }
      return bits;
    }
    case "or": {
      const bits = emptyBits(view.documentCount);
      for (const part of predicate.predicates) orBits(bits, filterSegment(part, view, within));
      return bits;
    }
    case "not": {
      const matching = filterSegment(predicate.predicate, view, within);
      return andBits(invertBits(matching, view.documentCount), within);
    }
    case "test":
      return andBits(testSegment(predicate, view, within), within);
    case "reference":
      assert(false, "$ref_new outside of a condition");
  }
}

/** An attribute of a segment, or its ids, as one thing. */
interface Source {
  readonly data: ColumnData;
  readonly presence: Uint8Array | undefined;
  readonly dictionary: DictionaryView | undefined;
}

function sourceOf(attribute: string, view: SegmentView): Source | undefined {
  if (attribute === "id") return { data: view.ids, presence: undefined, dictionary: undefined };
  const found = view.column(attribute);
  if (found === undefined) return undefined;
  const { data, presence } = found.column;
  return { data, presence, dictionary: found.dictionary };
}

/** May return ordinals outside of `within`. */
function testSegment(
  { attribute, test }: AttributeTest,
  view: SegmentView,
  within: OrdinalBits,
): OrdinalBits {
  const count = view.documentCount;
  const source = sourceOf(attribute, view);
  if (source === undefined) {
    // No document here has a value.
    const nullMatches = test.kind === "scalar" && test.nullMatches;
    return nullMatches ? fullBitmap(count) : emptyBits(count);
  }
  const present = presenceBits(source.presence, count);
  switch (test.kind) {
    case "present":
      return present;
    case "scalar":
      if (attribute === "id" && test.set.kind === "list") return idsIn(view, test.set.values);
      return scalarsIn(source, count, test, present);
    case "any_element":
      return andBits(anyElementIn(source, count, test.set), present);
    case "array_equals":
      return andBits(arraysEqual(source, count, test.values), present);
    case "tokens":
      return matchTokens(test, view, attribute);
    case "sequence":
      return matchSequence(test, view, attribute, within);
    case "vector_equals":
      assert(false, "vector comparison outside of a condition");
      break;
    default:
      return unreachable(test);
  }
  return present;
}

function scalarsIn(
  { data, dictionary }: Source,
  count: number,
  test: { readonly set: ValueSet; readonly nullMatches: boolean },
  present: OrdinalBits,
): OrdinalBits {
  assert(isScalarData(data), "scalar test on another column");
  const bits = andBits(markValues(data, count, test.set, dictionary), present);
  return test.nullMatches ? orBits(bits, invertBits(present, count)) : bits;
}

/** One hash lookup for each listed id. */
function idsIn(view: SegmentView, values: readonly ScalarValue[]): OrdinalBits {
  const bits = emptyBits(view.documentCount);
  for (const value of values) {
    assert(typeof value === "bigint" || typeof value === "string", "id of another type");
    const ordinal = view.ordinalOf(value);
    if (ordinal !== undefined) setBit(bits, ordinal);
  }
  return bits;
}

function anyElementIn({ data, dictionary }: Source, count: number, set: ValueSet): OrdinalBits {
  const bits = emptyBits(count);
  if (data.kind !== "array" || !isScalarData(data.elements)) return bits;
  const { offsets, elements } = data;
  const marked = markValues(elements, offsets[count], set, dictionary);
  let ordinal = 0;
  forEachBit(marked, (element) => {
    while (offsets[ordinal + 1] <= element) ordinal++;
    setBit(bits, ordinal);
  });
  return bits;
}

/**
 * Narrows position by position: documents of the right length, then those whose i-th element is
 * right.
 */
function arraysEqual(
  { data, dictionary }: Source,
  count: number,
  values: readonly ScalarValue[],
): OrdinalBits {
  const bits = emptyBits(count);
  if (data.kind !== "array") return bits;
  const { offsets, elements } = data;
  for (let o = 0; o < count; o++) {
    if (offsets[o + 1] - offsets[o] === values.length) setBit(bits, o);
  }
  if (values.length === 0 || !isScalarData(elements)) return bits;
  for (const value of new Set(values)) {
    const set: ValueSet = { kind: "list", values: [value] };
    const marked = markValues(elements, offsets[count], set, dictionary);
    for (let o = 0; o < count; o++) {
      if (!hasBit(bits, o)) continue;
      const agrees = values.every((v, i) => v !== value || hasBit(marked, offsets[o] + i));
      if (!agrees) bits[o >>> 5] &= ~(1 << (o & 31));
    }
  }
  return bits;
}

/** One ordinal, for callers that look at a single document. */
export function singleBit(ordinal: Ordinal, count: number): OrdinalBits {
  const bits = emptyBits(count);
  setBit(bits, ordinal);
  return bits;
}
