/** Where intervals of values begin and end in a segment's sorted values. */

import { compareScalars, type ScalarValue } from "../../model/value.ts";
import type { DictionaryView } from "../../segment/segment-view.ts";
import type { Interval } from "./interval.ts";
import { type CodeRange, codeRange } from "./match-interval.ts";

/** What entries are in order of: a value, 0 or 1 of a bool, a code of a dictionary, or an id. */
export type SortedKey = number | bigint | string;

/** A place between values: before the first that is at least `value`, or greater when `past`. */
export interface ValuePlace {
  readonly value: SortedKey;
  readonly past: boolean;
}

/** Values between two places; an absent place is open. */
export interface ValueInterval {
  readonly low: ValuePlace | undefined;
  readonly high: ValuePlace | undefined;
}

/** What a filter asks of sorted values. */
export interface SortedFilter {
  /** Ascending, none in common; undefined: to compare values is better. */
  intervals(dictionary: DictionaryView | undefined): ValueInterval[] | undefined;
  readonly nullMatches: boolean;
  /** What it takes to compare one value, in the time of one entry; with codes or without. */
  valueCost(dictionary: DictionaryView | undefined): number;
}

/** A number, a bool or an id as it is in order; other strings are by their codes. */
export function sortedKey(value: ScalarValue): SortedKey {
  return typeof value === "boolean" ? Number(value) : value;
}

/** The interval of some codes; none if there are none. */
export function codeInterval({ first, past }: CodeRange): ValueInterval[] {
  if (first >= past) return [];
  return [{ low: { value: first, past: false }, high: { value: past, past: false } }];
}

/** An interval of values, or of their codes; none if there are no such codes. */
export function sortedIntervals(
  interval: Interval,
  dictionary: DictionaryView | undefined,
): ValueInterval[] {
  if (dictionary !== undefined) return codeInterval(codeRange(dictionary, interval));
  const { low, high } = interval;
  return [
    {
      low: low && { value: sortedKey(low.value), past: !low.inclusive },
      high: high && { value: sortedKey(high.value), past: high.inclusive },
    },
  ];
}

/** Intervals of single values, ascending and each once; of integers next to each other one. */
export function listIntervals(values: readonly SortedKey[]): ValueInterval[] {
  const sorted = [...values].sort((a, b) => (a < b ? -1 : Number(a > b)));
  const intervals: { low: ValuePlace; high: ValuePlace }[] = [];
  for (const value of sorted) {
    const last = intervals.at(-1);
    if (last?.high.value === value) continue;
    const high = { value, past: true };
    const isNext = typeof value === "bigint" && last?.high.value === value - 1n;
    if (isNext) intervals[intervals.length - 1] = { low: last.low, high };
    else intervals.push({ low: { value, past: false }, high });
  }
  return intervals;
}

/** The same of codes, of which -1 is none. */
export function codeListIntervals(codes: readonly number[]): ValueInterval[] {
  const found = codes.filter((code) => code >= 0).sort((a, b) => a - b);
  const ranges: CodeRange[] = [];
  for (const code of found) {
    const last = ranges.at(-1);
    if (last !== undefined && code < last.past) continue;
    if (last?.past === code) ranges[ranges.length - 1] = { first: last.first, past: code + 1 };
    else ranges.push({ first: code, past: code + 1 });
  }
  return ranges.flatMap(codeInterval);
}

/** A place between entries, as far as the keys tell: from `from` to `to`, both included. */
export interface EntryCut {
  readonly from: number;
  readonly to: number;
  /** What decides where they differ. */
  readonly place: ValuePlace | undefined;
}

/** Entries between two cuts. */
export interface EntryRange {
  readonly start: EntryCut;
  readonly end: EntryCut;
}

/** Where some keys are among the entries. */
export interface EntryKeys {
  readonly entryCount: number;
  readonly keyCount: number;
  /** Whether there is a key for each distinct value, or one for each of some entries. */
  readonly isExact: boolean;
  /** Ascending with `index`. */
  keyAt(index: number): SortedKey;
  /** The first entry of the key's value if keys are exact, else an entry that has it. */
  startOf(index: number): number;
}

/** The entries whose values lie in an interval. O(log keys). */
export function rangeOf(keys: EntryKeys, { low, high }: ValueInterval): EntryRange {
  const { entryCount } = keys;
  return {
    start: low === undefined ? knownCut(0) : cutAt(keys, low),
    end: high === undefined ? knownCut(entryCount) : cutAt(keys, high),
  };
}

function knownCut(entry: number): EntryCut {
  return { from: entry, to: entry, place: undefined };
}

function cutAt(keys: EntryKeys, place: ValuePlace): EntryCut {
  const { keyCount, isExact, entryCount } = keys;
  let low = 0;
  let high = keyCount;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(keys.keyAt(middle), place)) low = middle + 1;
    else high = middle;
  }
  const to = low < keyCount ? keys.startOf(low) : entryCount;
  if (isExact || low === 0) return knownCut(to);
  // The key before it is of an entry that lies before it, too.
  return { from: keys.startOf(low - 1) + 1, to, place };
}

function isBefore(value: SortedKey, place: ValuePlace): boolean {
  const order = compareScalars(value, place.value);
  return place.past ? order <= 0 : order < 0;
}

/** Tells whether a value lies in an interval. */
export function isWithin({ low, high }: ValueInterval, value: SortedKey): boolean {
  if (low !== undefined && isBefore(value, low)) return false;
  return high === undefined || isBefore(value, high);
}

/** Finds a cut among the entries that it may be before: `ordinals`, of which the first is `first`. */
export function settleCut(
  { from, to, place }: EntryCut,
  { ordinals, first }: { readonly ordinals: Uint32Array; readonly first: number },
  valueAt: (ordinal: number) => SortedKey,
): number {
  let low = from;
  let high = to;
  while (place !== undefined && low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(valueAt(ordinals[middle - first]), place)) low = middle + 1;
    else high = middle;
  }
  return low;
}
