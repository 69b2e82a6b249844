/** Where intervals of values begin and end in a segment's sorted values. */

import { compareScalars, type ScalarValue } from "../../model/value.ts";
import type { DictionaryView } from "../../segment/view/segment-view.ts";
import type { Interval } from "../documents/interval.ts";
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
  const sorted = sortedKeys(values);
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

/** Keys of one type in ascending order; numbers without a function that compares them. */
function sortedKeys(values: readonly SortedKey[]): Iterable<SortedKey> {
  if (values.every((value) => typeof value === "number")) return Float64Array.from(values).sort();
  if (values.every((value) => typeof value === "bigint")) {
    const isUnsigned = values.every((value) => value >= 0n);
    return (isUnsigned ? BigUint64Array : BigInt64Array).from(values).sort();
  }
  return [...values].sort(compareScalars);
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

/**
 * The entries whose values lie in an interval, and the first key behind its end. O(log keys); where
 * it is known to begin at the key `fromKey` or behind, O(log) of the keys from there to its start,
 * and from its start to its end.
 */
export function rangeOf(
  keys: EntryKeys,
  { low, high }: ValueInterval,
  fromKey?: number,
): EntryRange & { readonly endKey: number } {
  const { entryCount, keyCount } = keys;
  const startKey = low === undefined ? 0 : keyFrom(keys, low, fromKey);
  const start = low === undefined ? knownCut(0) : cutAt(keys, low, startKey);
  if (high === undefined) return { start, end: knownCut(entryCount), endKey: keyCount };
  const endKey = keyFrom(keys, high, fromKey === undefined ? undefined : startKey);
  return { start, end: cutAt(keys, high, endKey), endKey };
}

function knownCut(entry: number): EntryCut {
  return { from: entry, to: entry, place: undefined };
}

/** The first key that is not before a place. */
function keyFrom({ keyAt, keyCount }: EntryKeys, place: ValuePlace, fromKey?: number): number {
  const isPassed = (key: number) => isBefore(keyAt(key), place);
  if (fromKey === undefined) return firstBetween(0, keyCount, isPassed);
  return firstNear(fromKey, keyCount, isPassed);
}

/** Where a place is, before the key that is the first not before it. */
function cutAt(keys: EntryKeys, place: ValuePlace, key: number): EntryCut {
  const { keyCount, isExact, entryCount, startOf } = keys;
  const to = key < keyCount ? startOf(key) : entryCount;
  if (isExact || key === 0) return knownCut(to);
  // The key before it is of an entry that lies before it, too.
  return { from: startOf(key - 1) + 1, to, place };
}

/** The first of some places in order that is not passed, or `end`. */
function firstBetween(start: number, end: number, isPassed: (place: number) => boolean): number {
  let low = start;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isPassed(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The same, in steps that grow from the start on. */
function firstNear(start: number, end: number, isPassed: (place: number) => boolean): number {
  let low = start;
  for (let step = 1; low + step <= end; step *= 2) {
    const place = low + step - 1;
    if (!isPassed(place)) return firstBetween(low, place, isPassed);
    low = place + 1;
  }
  return firstBetween(low, end, isPassed);
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

/**
 * Finds a cut among the entries that it may be before: `ordinals`, of which the first is `first`.
 * It is `least` or behind, and near that where `least` is one of them.
 */
export function settleCut(
  { from, to, place }: EntryCut,
  { ordinals, first }: { readonly ordinals: Uint32Array; readonly first: number },
  valueAt: (ordinal: number) => SortedKey,
  least = 0,
): number {
  if (place === undefined) return from;
  const isPassed = (entry: number) => isBefore(valueAt(ordinals[entry - first]), place);
  return least > from ? firstNear(least, to, isPassed) : firstBetween(from, to, isPassed);
}
