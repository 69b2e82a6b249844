/** Filters on the elements of arrays by what lies in order, without looking at the others. */

import { runSteps, type Steps } from "../../base/steps.ts";
import { hasBit, setBit } from "../../codec/bitmap.ts";
import type { SortedElements } from "../../segment/columns/element-section.ts";
import type { SegmentView } from "../../segment/view/segment-view.ts";
import { andBits, emptyBits, type OrdinalBits, orBits } from "../documents/ordinal-bits.ts";
import type { Need, SegmentRun } from "../operator/operator.ts";
import { attributeNeeds } from "./attribute-source.ts";
import {
  accessOf,
  countOf,
  type ElementAccess,
  ElementReader,
  type ElementSource,
  elementSource,
  hasElements,
  type Slice,
} from "./element-order.ts";
import { sortedPays } from "./pick-access.ts";
import type { EntryCut, EntryRange, SortedFilter } from "./sorted-cut.ts";
import type { ValueNode, ValueRun } from "./value-node.ts";

/** Entries that are taken between two pauses: about a nanosecond each. */
const ENTRIES_PER_STEP = 65_536;
/** The arrays of so few documents are compared before anything is looked for. */
const DOCUMENTS_MIN = 128;
/** Intervals of a list that are read between two pauses, in some microseconds each. */
const INTERVALS_PER_STEP = 128;
/** Bitmaps of parts that are joined between two pauses, in some 10 µs each. */
const BITMAPS_PER_STEP = 16;

/** How intervals are read; undefined where elements are compared. */
function* accessesOf(
  source: ElementSource,
  filter: SortedFilter,
  documents: number,
): Steps<ElementAccess[] | undefined> {
  const { elements, dictionary } = source;
  const intervals = documents < DOCUMENTS_MIN ? undefined : filter.intervals(dictionary);
  if (intervals === undefined) return undefined;
  const accesses: ElementAccess[] = [];
  for (const [i, interval] of intervals.entries()) {
    if (i % INTERVALS_PER_STEP === INTERVALS_PER_STEP - 1) yield;
    const access = accessOf(source, interval);
    if (access !== undefined) accesses.push(access);
  }
  // Which documents have more elements than others is not known before those are read.
  const each = Math.max(1, elements.entryCount / elements.documentCount);
  const scan = { values: documents * each, valueCost: filter.valueCost(dictionary) };
  return sortedPays(elements, accesses, scan) ? accesses : undefined;
}

/** Looks at what `matchElements` looks at, or at all that a scan does. */
export function elementNeeds(
  { attribute }: ValueNode,
  filter: SortedFilter,
  { view, together }: SegmentRun,
): Need[] {
  const look = (): void => {
    const source = hasElements(attribute, view) ? elementSource(attribute, view) : undefined;
    const accesses = source && runSteps(accessesOf(source, filter, view.documentCount));
    if (source === undefined || accesses === undefined) together(attributeNeeds(attribute, view));
    else together(looksOf(source, accesses, { attribute, view }));
  };
  return [look, () => void view.column(attribute)];
}

function looksOf(
  { elements }: ElementSource,
  accesses: readonly ElementAccess[],
  { attribute, view }: { readonly attribute: string; readonly view: SegmentView },
): Need[] {
  const looks: Need[] = [];
  for (const { slices, parts } of accesses) {
    for (const { start, end } of slices) looks.push(() => void elements.entries(start, end));
    for (const part of parts) looks.push(() => void elements.bitmap(part));
  }
  if (!accesses.every(({ range }) => isSettled(range))) {
    looks.push(() => void view.column(attribute)?.column);
  }
  return looks;
}

function isSettled({ start, end }: EntryRange): boolean {
  return start.from === start.to && end.from === end.to;
}

/**
 * The candidates some element of which matches, a new set; undefined where it costs less to compare
 * the elements of all candidates. Throws `BytesMissing`.
 */
export function* matchElements(
  { attribute }: ValueNode,
  filter: SortedFilter,
  run: ValueRun,
): Steps<OrdinalBits | undefined> {
  const { view, within, extent, together, work } = run;
  const source = elementSource(attribute, view);
  if (source === undefined) return undefined;
  const accesses = yield* accessesOf(source, filter, extent.end - extent.start);
  if (accesses === undefined) return undefined;
  together(looksOf(source, accesses, { attribute, view }));
  const bits = emptyBits(view.documentCount);
  yield* joinParts(bits, source.elements, accesses, run);
  const reader = readerFor(attribute, view, { source, accesses });
  const doubts: { readonly access: ElementAccess; readonly range: EntryRange }[] = [];
  for (const [i, access] of accesses.entries()) {
    if (i % INTERVALS_PER_STEP === INTERVALS_PER_STEP - 1) yield;
    const range = settledRange(access, source.elements, reader, () => work.valuesCompared++);
    if (!isSettled(range)) doubts.push({ access, range });
    for (const { start, end } of access.slices) {
      const from = Math.max(start, range.start.to);
      const to = Math.min(end, range.end.from);
      if (from >= to) continue;
      work.entriesTouched += to - from;
      const ordinals = source.elements.entries(start, end);
      yield* setEntries(bits, ordinals.subarray(from - start, to - start));
    }
  }
  andBits(bits, within);
  for (const { access, range } of doubts) {
    yield;
    for (const ordinal of doubtfulOf(access, range, source.elements)) {
      work.entriesTouched++;
      if (!hasBit(within, ordinal) || hasBit(bits, ordinal)) continue;
      work.valuesCompared++;
      if (reader?.hasWithin(ordinal, access.interval) === true) setBit(bits, ordinal);
    }
  }
  return bits;
}

/** Adds what the bitmaps of all parts have. */
function* joinParts(
  bits: OrdinalBits,
  elements: SortedElements,
  accesses: readonly ElementAccess[],
  { work }: ValueRun,
): Steps<void> {
  let joinedCount = 0;
  for (const { parts } of accesses) {
    for (const part of parts) {
      if (++joinedCount % BITMAPS_PER_STEP === 0) yield;
      work.entriesTouched += bits.length;
      orBits(bits, elements.bitmap(part));
    }
  }
}

/** Undefined where keys tell all. */
function readerFor(
  attribute: string,
  view: SegmentView,
  {
    source,
    accesses,
  }: { readonly source: ElementSource; readonly accesses: readonly ElementAccess[] },
): ElementReader | undefined {
  if (accesses.every(({ range }) => isSettled(range))) return undefined;
  return new ElementReader(attribute, view, source.keys);
}

/** Where an interval begins and ends, by single documents where keys do not tell. */
function settledRange(
  { range, slices }: ElementAccess,
  elements: SortedElements,
  reader: ElementReader | undefined,
  looked: () => void,
): EntryRange {
  if (reader === undefined || isSettled(range)) return range;
  const settle = (cut: EntryCut, { start, end }: Slice): EntryCut =>
    reader.settle(cut, { ordinals: elements.entries(start, end), first: start }, looked);
  // What keys leave open is read first and last.
  return {
    start: settle(range.start, slices[0]),
    end: settle(range.end, slices[slices.length - 1]),
  };
}

/** The documents of entries of which nobody knows whether they are of the interval. */
function* doubtfulOf(
  { slices }: ElementAccess,
  range: EntryRange,
  elements: SortedElements,
): Generator<number> {
  for (const [cut, { start, end }] of [
    [range.start, slices[0]],
    [range.end, slices[slices.length - 1]],
  ] as const) {
    yield* elements.entries(start, end).subarray(cut.from - start, cut.to - start);
  }
}

function* setEntries(bits: OrdinalBits, ordinals: Uint32Array): Steps<void> {
  for (let at = 0; at < ordinals.length; at += ENTRIES_PER_STEP) {
    if (at > 0) yield;
    const end = Math.min(at + ENTRIES_PER_STEP, ordinals.length);
    for (let i = at; i < end; i++) bits[ordinals[i] >>> 5] |= 1 << (ordinals[i] & 31);
  }
}

/**
 * How many documents have one element, deleted ones included: the entries between two places,
 * without looking at them. Undefined where elements are not in order, or several are asked for.
 * Throws `BytesMissing`.
 */
export function countElements(
  { attribute }: ValueNode,
  filter: SortedFilter,
  { view, together }: SegmentRun,
): number | undefined {
  const source = hasElements(attribute, view) ? elementSource(attribute, view) : undefined;
  const intervals = source && filter.intervals(source.dictionary);
  if (source === undefined || intervals === undefined || intervals.length > 1) return undefined;
  const access = intervals.length === 0 ? undefined : accessOf(source, intervals[0]);
  if (access === undefined) return 0;
  if (isSettled(access.range)) return countOf(access.interval, access.range);
  together(looksOf(source, [access], { attribute, view }));
  const reader = readerFor(attribute, view, { source, accesses: [access] });
  const range = settledRange(access, source.elements, reader, () => undefined);
  return countOf(access.interval, range);
}
