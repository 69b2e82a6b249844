/** Filters by what lies in order: the bits of intervals of values, without looking at the others. */

import { runSteps, type Steps } from "../../base/steps.ts";
import type { SegmentView } from "../../segment/view/segment-view.ts";
import { emptyBits, flipRange, type OrdinalBits } from "../documents/ordinal-bits.ts";
import type { Need, SegmentRun } from "../operator/operator.ts";
import { attributeNeeds } from "./attribute-source.ts";
import { hasElements } from "./element-order.ts";
import { countElements, elementNeeds, matchElements } from "./element-source.ts";
import { pickRangeAccess, type RangeAccess, sortedPays } from "./pick-access.ts";
import { type EntryCut, rangeOf, type SortedFilter, settleCut } from "./sorted-cut.ts";
import { hasSorted, type SortedSource, sortedSource } from "./sorted-order.ts";
import type { ValueNode, ValueRun } from "./value-node.ts";

/** Entries that are taken between two pauses: about a nanosecond each. */
const ENTRIES_PER_STEP = 65_536;
/** So few values are compared before anything is looked for. */
const SORTED_VALUES_MIN = 128;
/** Ranges of a list that are read between two pauses, in some microseconds each. */
const RANGES_PER_STEP = 128;
/** Bitmaps of milestones that are joined between two pauses, in some 10 µs each. */
const BITMAPS_PER_STEP = 16;
/** Ranges whose entries are counted at once, in about a microsecond each. */
const COUNTED_RANGES_MAX = 1024;

/** Tells, without reading anything, whether the values that a filter compares are in order. */
export function isSorted({ attribute, on }: ValueNode, view: SegmentView): boolean {
  return on === "value" ? hasSorted(attribute, view) : hasElements(attribute, view);
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
  // Of several, each is looked for from where the one before it ends.
  let fromKey = intervals.length > 1 ? 0 : undefined;
  for (const [i, interval] of intervals.entries()) {
    if (i % RANGES_PER_STEP === RANGES_PER_STEP - 1) yield;
    const range = rangeOf(keys, interval, fromKey);
    if (fromKey !== undefined) fromKey = range.endKey;
    if (range.start.from < range.end.to) accesses.push(pickRangeAccess(shape, range));
  }
  const scan = { values, valueCost: filter.valueCost(dictionary) };
  return sortedPays(shape, accesses, scan) ? accesses : undefined;
}

/** Looks at what `matchSorted` looks at, or at all that a scan does. */
export function sortedNeeds(node: ValueNode, filter: SortedFilter, run: SegmentRun): Need[] {
  if (node.on === "some_element") return elementNeeds(node, filter, run);
  const { view, together } = run;
  const look = (): void => {
    const { attribute } = node;
    const source = hasSorted(attribute, view) ? sortedSource(attribute, view) : undefined;
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
  run: ValueRun,
): Steps<OrdinalBits | undefined> {
  if (node.on === "some_element") return yield* matchElements(node, filter, run);
  const { view, within, extent, together, work } = run;
  const source = sortedSource(node.attribute, view);
  if (source === undefined) return undefined;
  const { sorted, valueAt } = source;
  const accesses = yield* accessesOf(source, filter, extent.end - extent.start);
  if (accesses === undefined) return undefined;
  together(looksOf(source, accesses, { filter, node, view }));
  const bits = yield* joinMilestones(source, accesses, { filter, within, work });
  for (const [i, access] of accesses.entries()) {
    if (i % RANGES_PER_STEP === RANGES_PER_STEP - 1) yield;
    if (access.isRun) {
      const run = { start: access.range.start.to, end: access.range.end.to };
      work.entriesTouched += flipRange(bits, within, run);
      continue;
    }
    for (const { first, end, cutsOf } of slicesOf(access)) {
      const ordinals = sorted.entries(first, end);
      const [from, to] = cutsOf((cut, least) =>
        settleCut(cut, { ordinals, first }, valueAt, least),
      );
      work.entriesTouched += Math.max(0, to - from);
      for (let at = from; at < to; at += ENTRIES_PER_STEP) {
        if (at > from) yield;
        const end = Math.min(at + ENTRIES_PER_STEP, to) - first;
        flipOrdinals(bits, within, ordinals.subarray(at - first, end));
      }
    }
  }
  return bits;
}

/**
 * What of the candidates the bitmaps of all ranges have, each flipping what it has, and those
 * without a value where these match.
 */
function* joinMilestones(
  { sorted }: SortedSource,
  accesses: readonly RangeAccess[],
  { filter, within, work }: Pick<ValueRun, "within" | "work"> & { readonly filter: SortedFilter },
): Steps<OrdinalBits> {
  const { entryCount, documentCount, milestones } = sorted;
  const joined: OrdinalBits[] = [];
  let isInverted = false;
  for (const { entries, index } of accesses.flatMap((access) => access.milestones ?? [])) {
    if (entries === 0) continue;
    work.entriesTouched += within.length;
    if (index === undefined) isInverted = !isInverted;
    else joined.push(sorted.bitmap(index));
  }
  if (filter.nullMatches && entryCount < documentCount) {
    joined.push(sorted.bitmap(milestones.length - 1));
    isInverted = !isInverted;
  }
  const [first, second, ...others] = joined;
  if (first === undefined) return isInverted ? within.slice() : emptyBits(documentCount);
  const mask = isInverted ? -1 : 0;
  const bits = new Uint32Array(within.length);
  if (second === undefined) joinOne(bits, first, within, mask);
  else joinTwo(bits, [first, second], within, mask);
  for (const [i, other] of others.entries()) {
    if (i % BITMAPS_PER_STEP === BITMAPS_PER_STEP - 1) yield;
    flipBits(bits, other, within);
  }
  return bits;
}

/**
 * How many documents match, deleted ones included: the entries between two places, without looking
 * at them. Undefined where values are not in order. Throws `BytesMissing`.
 */
export function countSorted(
  node: ValueNode,
  filter: SortedFilter,
  run: SegmentRun,
): number | undefined {
  if (node.on === "some_element") return countElements(node, filter, run);
  const { view, together } = run;
  const source = isSorted(node, view) ? sortedSource(node.attribute, view) : undefined;
  const intervals = source && filter.intervals(source.dictionary);
  if (source === undefined || intervals === undefined) return undefined;
  if (intervals.length > COUNTED_RANGES_MAX) return undefined;
  const { sorted, keys, valueAt } = source;
  const placeOf = (cut: EntryCut, least?: number): number => {
    if (cut.from === cut.to) return cut.from;
    const ordinals = sorted.entries(cut.from, cut.to);
    return settleCut(cut, { ordinals, first: cut.from }, valueAt, least);
  };
  let fromKey = intervals.length > 1 ? 0 : undefined;
  const counts = together(
    intervals.map((interval) => () => {
      const { start, end, endKey } = rangeOf(keys, interval, fromKey);
      if (fromKey !== undefined) fromKey = endKey;
      const first = placeOf(start);
      return Math.max(0, placeOf(end, first) - first);
    }),
  );
  const absentCount = filter.nullMatches ? sorted.documentCount - sorted.entryCount : 0;
  return counts.reduce((sum, count) => sum + count, absentCount);
}

/** The entry that a cut is before, which is `least` or behind. */
type SettleCut = (cut: EntryCut, least?: number) => number;

/** Some entries, and which of them are flipped, given where the cuts are. */
interface EntrySlice {
  readonly first: number;
  readonly end: number;
  readonly cutsOf: (settle: SettleCut) => readonly [number, number];
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
        cutsOf: (settle) => {
          const from = settle(start);
          return [from, settle(end, from)];
        },
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

function joinOne(bits: OrdinalBits, one: OrdinalBits, within: OrdinalBits, mask: number): void {
  for (let w = 0; w < bits.length; w++) bits[w] = within[w] & (one[w] ^ mask);
}

/** In one loop, since most of what it costs is to go over the words. */
function joinTwo(
  bits: OrdinalBits,
  [one, other]: readonly [OrdinalBits, OrdinalBits],
  within: OrdinalBits,
  mask: number,
): void {
  for (let w = 0; w < bits.length; w++) bits[w] = within[w] & (one[w] ^ other[w] ^ mask);
}

function flipBits(bits: OrdinalBits, other: OrdinalBits, within: OrdinalBits): void {
  for (let w = 0; w < bits.length; w++) bits[w] ^= within[w] & other[w];
}

function flipOrdinals(bits: OrdinalBits, within: OrdinalBits, ordinals: Uint32Array): void {
  for (let i = 0; i < ordinals.length; i++) {
    const ordinal = ordinals[i];
    const w = ordinal >>> 5;
    bits[w] ^= within[w] & (1 << (ordinal & 31));
  }
}
