/** Filters by what lies in order: the bits of intervals of values, without looking at the others. */

import { assert } from "../../base/assert.ts";
import { runSteps, type Steps } from "../../base/steps.ts";
import { DICTIONARY_INDEX, SORTED_CODES } from "../../segment/columns/dictionary-index.ts";
import {
  SORTED_NUMBERS,
  SORTED_NUMBERS_INDEX,
} from "../../segment/columns/sorted-numbers-index.ts";
import type { SortedValues } from "../../segment/columns/sorted-section.ts";
import type { DictionaryView, SegmentView } from "../../segment/segment-view.ts";
import { andBits, emptyBits, invertBits, type OrdinalBits } from "../ordinal-bits.ts";
import type { Need, SegmentRun } from "../plan/operator.ts";
import { attributeNeeds } from "./attribute-source.ts";
import { type Milestone, pickRangeAccess, type RangeAccess, sortedPays } from "./pick-access.ts";
import {
  type EntryCut,
  rangeOf,
  type SortedNumber,
  settleCut,
  type ValueInterval,
} from "./sorted-cut.ts";
import type { ValueNode, ValueRun } from "./value-node.ts";

/** Entries that are taken between two pauses: about a nanosecond each. */
const ENTRIES_PER_STEP = 65_536;
/** So few values are compared before anything is looked for. */
const SORTED_VALUES_MIN = 128;
/** Ranges of a list that are read between two pauses, in some microseconds each. */
const RANGES_PER_STEP = 128;

/** Sections that tell, without being read, what there is. */
const KINDS = [SORTED_NUMBERS, SORTED_CODES];
const DIRECTORIES = KINDS.map(({ directory }) => ({ sections: [directory] }));
const ORDINALS = KINDS.map(({ ordinals }) => ({ sections: [ordinals] }));

/** What a filter asks of sorted values. */
export interface SortedFilter {
  /** Ascending, none in common; undefined: to compare values is better. */
  intervals(dictionary: DictionaryView | undefined): ValueInterval[] | undefined;
  readonly nullMatches: boolean;
  /** What it takes to compare one value, in the time of one entry; with codes or without. */
  valueCost(dictionary: DictionaryView | undefined): number;
}

/** The sorted values of an attribute. */
export interface SortedSource {
  readonly sorted: SortedValues;
  /** Whose codes are sorted; undefined for numbers. */
  readonly dictionary: DictionaryView | undefined;
}

/** Tells, without reading anything, whether a segment has values of an attribute in order. */
function hasSorted(attribute: string, view: SegmentView): boolean {
  return DIRECTORIES.some((kinds) => view.hasIndex(kinds, attribute));
}

/** The same of the values that a filter compares. */
export function isSorted({ attribute, on }: ValueNode, view: SegmentView): boolean {
  return on === "value" && hasSorted(attribute, view);
}

/** The same of their ordinals, which attributes of few values do not have. */
export function hasEntries(attribute: string, view: SegmentView): boolean {
  return ORDINALS.some((kinds) => view.hasIndex(kinds, attribute));
}

/** Undefined where a segment has no values of an attribute in order. Throws `BytesMissing`. */
export function sortedSource(attribute: string, view: SegmentView): SortedSource | undefined {
  if (attribute === "id") return undefined;
  const numbers = view.index(SORTED_NUMBERS_INDEX, attribute);
  if (numbers !== undefined) return { sorted: numbers, dictionary: undefined };
  const dictionary = view.index(DICTIONARY_INDEX, attribute);
  return dictionary?.sorted && { sorted: dictionary.sorted, dictionary };
}

function sourceOf({ attribute, on }: ValueNode, view: SegmentView): SortedSource | undefined {
  return on === "value" ? sortedSource(attribute, view) : undefined;
}

/** How ranges are read; undefined where values are compared. */
function* accessesOf(
  { sorted, dictionary }: SortedSource,
  filter: SortedFilter,
  values: number,
): Steps<RangeAccess[] | undefined> {
  const intervals = values < SORTED_VALUES_MIN ? undefined : filter.intervals(dictionary);
  if (intervals === undefined) return undefined;
  const { entryCount, milestones, documentCount } = sorted;
  const hasOrdinals = sorted.ordinalCount > 0;
  const shape = { entryCount, milestones, documentCount, hasOrdinals };
  const accesses: RangeAccess[] = [];
  for (const [i, interval] of intervals.entries()) {
    if (i % RANGES_PER_STEP === RANGES_PER_STEP - 1) yield;
    const range = rangeOf(sorted, interval);
    if (range.start.from < range.end.to) accesses.push(pickRangeAccess(shape, range));
  }
  const scan = { values, valueCost: filter.valueCost(dictionary) };
  return sortedPays(shape, accesses, scan) ? accesses : undefined;
}

/** Looks at what `matchSorted` looks at, or at all that a scan does. */
export function sortedNeeds(
  node: ValueNode,
  filter: SortedFilter,
  { view, together }: SegmentRun,
): Need[] {
  const look = (): void => {
    const source = hasSorted(node.attribute, view) ? sourceOf(node, view) : undefined;
    const accesses = source && runSteps(accessesOf(source, filter, view.documentCount));
    if (source === undefined || accesses === undefined) {
      together(attributeNeeds(node.attribute, view));
      return;
    }
    together(looksOf(source, accesses, { filter, node, view }));
  };
  // To open a column is to know where it is, which is read beside the directory of the order.
  return [look, () => void view.column(node.attribute)];
}

/**
 * The candidates that match, a new set; undefined where it costs less to compare the values of all
 * candidates. Throws `BytesMissing`.
 */
export function* matchSorted(
  node: ValueNode,
  filter: SortedFilter,
  { view, within, extent, together, work }: ValueRun,
): Steps<OrdinalBits | undefined> {
  const source = sourceOf(node, view);
  if (source === undefined) return undefined;
  const { sorted } = source;
  const accesses = yield* accessesOf(source, filter, extent.end - extent.start);
  if (accesses === undefined) return undefined;
  together(looksOf(source, accesses, { filter, node, view }));
  const bits = emptyBits(view.documentCount);
  const valueAt = valueReader(source, node.attribute, view);
  for (const [i, access] of accesses.entries()) {
    if (i % RANGES_PER_STEP === RANGES_PER_STEP - 1) yield;
    for (const milestone of access.milestones ?? []) {
      work.entriesTouched += joinBitmap(bits, sorted, milestone);
    }
    for (const { first, end, cutsOf } of slicesOf(access)) {
      const ordinals = sorted.entries(first, end);
      const [from, to] = cutsOf((cut) => settleCut(cut, { ordinals, first }, valueAt));
      work.entriesTouched += Math.max(0, to - from);
      for (let at = from; at < to; at += ENTRIES_PER_STEP) {
        if (at > from) yield;
        flipOrdinals(bits, ordinals, at - first, Math.min(at + ENTRIES_PER_STEP, to) - first);
      }
    }
  }
  if (filter.nullMatches) addAbsent(bits, sorted);
  return andBits(bits, within);
}

/** Some entries, and which of them are flipped, given where the cuts are. */
interface EntrySlice {
  readonly first: number;
  readonly end: number;
  readonly cutsOf: (settle: (cut: EntryCut) => number) => readonly [number, number];
}

/** What is read of entries one by one. */
function slicesOf({ range, milestones }: RangeAccess): EntrySlice[] {
  const { start, end } = range;
  if (milestones === undefined) {
    return [
      {
        first: start.from,
        end: Math.max(start.from, end.to),
        cutsOf: (settle) => [settle(start), settle(end)],
      },
    ];
  }
  return [start, end].map((cut, i) => {
    const { entries } = milestones[i];
    return {
      first: Math.min(cut.from, entries),
      end: Math.max(cut.to, entries),
      cutsOf: (settle) => {
        const place = settle(cut);
        return place < entries ? [place, entries] : [entries, place];
      },
    };
  });
}

function looksOf(
  { sorted, dictionary }: SortedSource,
  accesses: readonly RangeAccess[],
  { filter, node, view }: { filter: SortedFilter; node: ValueNode; view: SegmentView },
): Need[] {
  const looks: Need[] = [];
  let isSettled = true;
  for (const access of accesses) {
    const { start, end } = access.range;
    if (start.from !== start.to || end.from !== end.to) isSettled = false;
    for (const { index } of access.milestones ?? []) {
      if (index !== undefined) looks.push(() => void sorted.bitmap(index));
    }
    for (const { first, end } of slicesOf(access))
      looks.push(() => void sorted.entries(first, end));
  }
  if (filter.nullMatches && sorted.entryCount < sorted.documentCount) {
    looks.push(() => void sorted.bitmap(sorted.milestones.length - 1));
  }
  if (!isSettled && dictionary === undefined) {
    looks.push(() => void view.column(node.attribute)?.column);
  }
  return looks;
}

/** Reads sorted numbers by ordinal, and the column when it is asked first. */
export function valueReader(
  { dictionary }: SortedSource,
  attribute: string,
  view: SegmentView,
): (ordinal: number) => SortedNumber {
  if (dictionary !== undefined) return (ordinal) => dictionary.codes[ordinal];
  let values: ArrayLike<SortedNumber> | undefined;
  return (ordinal) => {
    if (values === undefined) {
      const data = view.column(attribute)?.column.data;
      assert(data !== undefined && "values" in data, "sorted values without a column");
      values = data.values;
    }
    return values[ordinal];
  };
}

/** Flips the bits of the entries before a milestone; returns how many words that took. */
function joinBitmap(bits: OrdinalBits, sorted: SortedValues, milestone: Milestone): number {
  if (milestone.entries === 0) return 0;
  if (milestone.index === undefined) invertBits(bits, sorted.documentCount);
  else flipBits(bits, sorted.bitmap(milestone.index));
  return bits.length;
}

function flipBits(bits: OrdinalBits, other: OrdinalBits): void {
  for (let w = 0; w < bits.length; w++) bits[w] ^= other[w];
}

function flipOrdinals(bits: OrdinalBits, ordinals: Uint32Array, start: number, end: number): void {
  for (let i = start; i < end; i++) {
    const ordinal = ordinals[i];
    bits[ordinal >>> 5] ^= 1 << (ordinal & 31);
  }
}

/** Adds the documents without a value to some that have one. */
function addAbsent(bits: OrdinalBits, sorted: SortedValues): void {
  const { entryCount, documentCount, milestones } = sorted;
  if (entryCount === documentCount) return;
  flipBits(bits, sorted.bitmap(milestones.length - 1));
  invertBits(bits, documentCount);
}
