/** What operators have in common that look at values one by one: those of scalars or of arrays. */

import { assert } from "../../base/assert.ts";
import type { Steps } from "../../base/steps.ts";
import { setBit } from "../../codec/bitmap.ts";
import type { AttributeType } from "../../model/attribute-type.ts";
import { formatDatetime } from "../../model/datetime.ts";
import type { AttributeValue, ScalarValue } from "../../model/value.ts";
import type { DictionaryView } from "../../segment/view/segment-view.ts";
import { isScalarData, type ScalarData } from "../documents/column-values.ts";
import {
  andBits,
  eachBit,
  emptyBits,
  extentOf,
  type OrdinalBits,
} from "../documents/ordinal-bits.ts";
import type { PredicateRun } from "../operator/operator.ts";
import { type AttributeNode, type AttributeSource, presentIn } from "./attribute-source.ts";

/** A predicate about the value of a scalar attribute, or about some element of an array. */
export interface ValueNode extends AttributeNode {
  readonly on: "value" | "some_element";
}

/** Values end to end: those of scalars by ordinal, with placeholders, or the elements of arrays. */
export interface Entries {
  readonly data: ScalarData;
  readonly count: number;
  /** Only entries from `start` to before `end` are asked for. */
  readonly start: number;
  readonly end: number;
  /** The distinct values, if the attribute has a dictionary; its codes are by entry. */
  readonly dictionary: DictionaryView | undefined;
}

/**
 * Marks in `bits` which entries match, of those from `start` to before `end`; others match or not.
 * So do placeholders, which are cut out by presence.
 */
export type EntryMatcher = (entries: Entries, bits: OrdinalBits) => Steps<void>;

/** Marks those that match of the entries from `start` to before `end`. */
export type Marker = (start: number, end: number) => void;

/** Entries that a marker takes between two pauses: a loop of some nanoseconds each. */
const ENTRIES_PER_STEP = 65_536;
/** Elements of one document's array that are compared between two pauses: up to .4 µs each. */
const ELEMENTS_PER_STEP = 16_384;

/** Marks all entries that are asked for. */
export function* markAll({ start, end }: Entries, mark: Marker): Steps<void> {
  for (let from = start; from < end; from += ENTRIES_PER_STEP) {
    if (from > start) yield;
    mark(from, Math.min(from + ENTRIES_PER_STEP, end));
  }
}

/** A run whose operator knows where its candidates are. */
export interface ValueRun extends PredicateRun {
  /** All candidates lie from `start` to before `end`. */
  readonly extent: { readonly start: number; readonly end: number };
}

/** Finds where the candidates are, which takes a look at the words around them. */
export function withExtent(run: PredicateRun): ValueRun {
  return { ...run, extent: extentOf(run.within, run.view.documentCount) };
}

/** The candidates with a value that matches, or with some element that does; a new set. */
export function* matchValues(
  { on }: ValueNode,
  source: AttributeSource | undefined,
  { view, within, extent, work }: ValueRun,
  match: EntryMatcher,
): Steps<OrdinalBits> {
  const count = view.documentCount;
  if (source === undefined) return emptyBits(count);
  const { data, dictionary } = source;
  const present = presentIn(source, count);
  work.valuesCompared += extent.end - extent.start;
  if (on === "some_element") {
    const having = yield* matchElements(source, count, { ...extent, match });
    return andBits(andBits(present, having), within);
  }
  assert(isScalarData(data), "a scalar filter on another column");
  const bits = emptyBits(count);
  yield* match({ data, count, dictionary, ...extent }, bits);
  return andBits(andBits(present, bits), within);
}

function* matchElements(
  { data, dictionary }: AttributeSource,
  count: number,
  of: { readonly start: number; readonly end: number; readonly match: EntryMatcher },
): Steps<OrdinalBits> {
  const bits = emptyBits(count);
  if (data.kind !== "array" || !isScalarData(data.elements)) return bits;
  const { offsets, elements } = data;
  const [start, end] = [offsets[of.start], offsets[of.end]];
  const matching = emptyBits(offsets[count]);
  yield* of.match({ data: elements, count: offsets[count], start, end, dictionary }, matching);
  let ordinal = of.start;
  yield* eachBit(matching, (element) => {
    if (element < start) return;
    while (offsets[ordinal + 1] <= element) ordinal++;
    setBit(bits, ordinal);
  });
  return bits;
}

/** Checks one value of a document; in steps if it is a long array. */
export function valueMatches(
  { on }: ValueNode,
  value: AttributeValue,
  matches: (value: ScalarValue) => boolean,
): boolean | Steps<boolean> {
  if (value === null) return false;
  if (on === "value") return matches(value as ScalarValue);
  const elements = value as readonly ScalarValue[];
  return elements.length > ELEMENTS_PER_STEP
    ? someElement(elements, matches)
    : elements.some(matches);
}

function* someElement(
  elements: readonly ScalarValue[],
  matches: (value: ScalarValue) => boolean,
): Steps<boolean> {
  for (let i = 0; i < elements.length; i++) {
    if (matches(elements[i])) return true;
    if (i % ELEMENTS_PER_STEP === ELEMENTS_PER_STEP - 1) yield;
  }
  return false;
}

/** What a line of explanation is about. */
export function subjectText({ attribute, on }: ValueNode): string {
  return on === "value" ? attribute : `some element of ${attribute}`;
}

/** A value of the type as explanations print it. */
export function valueText(value: ScalarValue, type: AttributeType): string {
  const isDatetime = (type.kind === "scalar" || type.kind === "array") && type.of === "datetime";
  if (isDatetime && typeof value === "bigint") return formatDatetime(value);
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}
