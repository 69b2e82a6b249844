/** Filters by what lies in order: the bits of intervals of values, without looking at the others. */

import { runSteps, type Steps } from "../../base/steps.ts";
import type { SortedEntries } from "../../segment/columns/sorted-entries.ts";
import type { DictionaryView, SegmentView } from "../../segment/segment-view.ts";
import { andBits, emptyBits, flipRange, invertBits, type OrdinalBits } from "../ordinal-bits.ts";
import type { Need, SegmentRun } from "../plan/operator.ts";
import { attributeNeeds } from "./attribute-source.ts";
import { type Milestone, pickRangeAccess, type RangeAccess, sortedPays } from "./pick-access.ts";
import { type EntryCut, rangeOf, settleCut, type ValueInterval } from "./sorted-cut.ts";
import { hasSorted, type SortedSource, sortedSource } from "./sorted-order.ts";
import type { ValueNode, ValueRun } from "./value-node.ts";

/** Entries that are taken between two pauses: about a nanosecond each. */
const ENTRIES_PER_STEP = 65_536;
/** So few values are compared before anything is looked for. */
const SORTED_VALUES_MIN = 128;
/** Ranges of a list that are read between two pauses, in some microseconds each. */
const RANGES_PER_STEP = 128;
/** Ranges whose entries are counted at once, in some microseconds each. */
const COUNTED_RANGES_MAX = 32;

/** What a filter asks of sorted values. */
export interface SortedFilter {
  /** Ascending, none in common; undefined: to compare values is better. */
  intervals(dictionary: DictionaryView | undefined): ValueInterval[] | undefined;
  readonly nullMatches: boolean;
  /** What it takes to compare one value, in the time of one entry; with codes or without. */
  valueCost(dictionary: DictionaryView | undefined): number;
}

/** Tells, without reading anything, whether the values that a filter compares are in order. */
export function isSorted({ attribute, on }: ValueNode, view: SegmentView): boolean {
  return on === "value" && hasSorted(attribute, view);
}

function sourceOf({ attribute, on }: ValueNode, view: SegmentView): SortedSource | undefined {
  return on === "value" ? sortedSource(attribute, view) : undefined;
}

/** How ranges are read; undefined where values are compared. */
function* accessesOf(
  { sorted, keys, dictionary, isAscending }: SortedSource,
  filter: SortedFilter,
  values: number,
): Steps<RangeAccess[] | undefined> {
  const intervals = values < SORTED_VALUES_MIN ? undefined : filter.intervals(dictionary);
  if (intervals === undefined) return undefined;
  const { entryCount, milestones, documentCount } = sorted;
  const hasOrdinals = sorted.ordinalCount > 0;
  const shape = { entryCount, milestones, documentCount, hasOrdinals, isAscending };
  const accesses: RangeAccess[] = [];
  for (const [i, interval] of intervals.entries()) {
    if (i % RANGES_PER_STEP === RANGES_PER_STEP - 1) yield;
    const range = rangeOf(keys, interval);
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
  const { attribute } = node;
  return [look, () => void (attribute === "id" ? view.ids : view.column(attribute))];
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
  const { sorted, valueAt } = source;
  const accesses = yield* accessesOf(source, filter, extent.end - extent.start);
  if (accesses === undefined) return undefined;
  together(looksOf(source, accesses, { filter, node, view }));
  const bits = emptyBits(view.documentCount);
  for (const [i, access] of accesses.entries()) {
    if (i % RANGES_PER_STEP === RANGES_PER_STEP - 1) yield;
    for (const milestone of access.milestones ?? []) {
      work.entriesTouched += joinBitmap(bits, sorted, milestone);
    }
    if (access.isRun) {
      work.entriesTouched += flipRange(bits, access.range.start.to, access.range.end.to);
      continue;
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

/**
 * How many documents match, deleted ones included: the entries between two places, without looking
 * at them. Undefined where values are not in order. Throws `BytesMissing`.
 */
export function countSorted(
  node: ValueNode,
  filter: SortedFilter,
  { view, together }: SegmentRun,
): number | undefined {
  const source = isSorted(node, view) ? sourceOf(node, view) : undefined;
  const intervals = source && filter.intervals(source.dictionary);
  if (source === undefined || intervals === undefined) return undefined;
  if (intervals.length > COUNTED_RANGES_MAX) return undefined;
  const { sorted, keys, valueAt } = source;
  const placeOf = (cut: EntryCut): number => {
    if (cut.from === cut.to) return cut.from;
    const ordinals = sorted.entries(cut.from, cut.to);
    return settleCut(cut, { ordinals, first: cut.from }, valueAt);
  };
  const counts = together(
    intervals.map((interval) => () => {
      const { start, end } = rangeOf(keys, interval);
      return Math.max(0, placeOf(end) - placeOf(start));
    }),
  );
  const absentCount = filter.nullMatches ? sorted.documentCount - sorted.entryCount : 0;
  return counts.reduce((sum, count) => sum + count, absentCount);
}

/** Some entries, and which of them are flipped, given where the cuts are. */
interface EntrySlice {
  readonly first: number;
  readonly end: number;
  readonly cutsOf: (settle: (cut: EntryCut) => number) => readonly [number, number];
}

/** What is read of entries one by one. */
function slicesOf({ range, milestones, isRun }: RangeAccess): EntrySlice[] {
  if (isRun) return [];
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
  // Ids were looked at to find the cuts.
  if (!isSettled && dictionary === undefined && node.attribute !== "id") {
    looks.push(() => void view.column(node.attribute)?.column);
  }
  return looks;
}

/** Flips the bits of the entries before a milestone; returns how many words that took. */
function joinBitmap(bits: OrdinalBits, sorted: SortedEntries, milestone: Milestone): number {
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
function addAbsent(bits: OrdinalBits, sorted: SortedEntries): void {
  const { entryCount, documentCount, milestones } = sorted;
  if (entryCount === documentCount) return;
  flipBits(bits, sorted.bitmap(milestones.length - 1));
  invertBits(bits, documentCount);
}
