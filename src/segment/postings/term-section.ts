/**
 * Sorted distinct strings: terms of a text index, values of a dictionary, dimensions of sparse
 * vectors. Ascending by UTF-8 bytes; the code of a string is its position. Two arrays, packed where
 * they are used: offsets (count + 1) and bytes.
 *
 * Strings are compared and joined as "byte strings": JavaScript strings with one character per
 * byte, whose order is the order of the bytes and which the engine compares and hashes natively.
 */

import { KIB } from "../../base/byte-sizes.ts";
import { mergeRuns } from "../../base/merge-runs.ts";
import { joinInSteps } from "../../base/pieces.ts";
import type { Steps } from "../../base/steps.ts";
import { utf8Slice } from "../../codec/columns-packing.ts";
import { TextBytes } from "../../codec/text-bytes.ts";
import { compareStrings } from "../../model/value.ts";
import type { StringOrder } from "./key-order.ts";

/** Sorted distinct strings end to end. */
export interface SortedStrings {
  readonly offsets: Uint32Array;
  readonly bytes: Uint8Array;
}

const textEncoder = new TextEncoder();
const SURROGATE = /[\ud800-\udfff]/;
/** Strings that one step sorts: some milliseconds at most. */
const SORTED_RUN = 2048;

/** Strings, and what is joined for them, that one step merges. */
const MERGED_RUN = 4096;
/** Bytes of a string that take as long as one thing that is looked at. */
const LOOKED_BYTES = 64;

/** Strings that one step joins. */
const JOINED_STRINGS = 8192;

/** Bytes that are read as characters at once, and units that are joined. */
const READ_BYTES = 256 * KIB;

/** How many strings there are. */
export function stringCount(strings: SortedStrings): number {
  return strings.offsets.length - 1;
}

/** Decodes the string with a code. */
export function stringAt(strings: SortedStrings, code: number): string {
  return utf8Slice(strings.bytes, strings.offsets[code], strings.offsets[code + 1]);
}

/** First code whose string is >= `text`; the count of strings if none. O(log n). */
export function lowerBound(strings: SortedStrings, text: string): number {
  return lowerBoundOf(strings, textEncoder.encode(text));
}

/** Code of exactly this string, or -1. O(log n). */
export function codeOf(strings: SortedStrings, text: string): number {
  return codeOfBytes(strings, textEncoder.encode(text));
}

/** Code of the string of exactly these bytes, or -1. O(log n). */
export function codeOfBytes(strings: SortedStrings, wanted: Uint8Array): number {
  const code = lowerBoundOf(strings, wanted);
  return code < stringCount(strings) && compareTo(strings, code, wanted) === 0 ? code : -1;
}

/** Code of the last string that is <= these bytes; -1 if none. O(log n). */
export function lastUpTo(strings: SortedStrings, wanted: Uint8Array): number {
  let low = 0;
  let high = stringCount(strings);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareTo(strings, middle, wanted) <= 0) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Joins byte strings that are sorted already. */
export function fromByteStrings(values: readonly string[]): Steps<SortedStrings> {
  return joinStrings(values, (joined) => Buffer.from(joined, "latin1"));
}

/** Reads bytes as characters, one each. */
export function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

/** Reads strings before `end`, most often in their order, as byte strings: some at a time. */
export function byteStringReader(
  { offsets, bytes }: SortedStrings,
  end: number,
): (index: number) => string {
  let start = 0;
  let next = 0;
  let read = "";
  return (index) => {
    if (index < start || index >= next) {
      start = index;
      for (next = index + 1; next < end; next++) {
        if (offsets[next + 1] - offsets[start] > READ_BYTES) break;
      }
      read = latin1(bytes.subarray(offsets[start], offsets[next]));
    }
    const base = offsets[start];
    return read.substring(offsets[index] - base, offsets[index + 1] - base);
  };
}

/** The order of strings by their UTF-8 bytes. */
export const BY_BYTES: StringOrder = { sort: sortByBytes, compare: compareStrings };
/** The order of byte strings. */
export const BY_UNITS: StringOrder = { sort: sortInSteps, compare: compareUnits };

/** Sorts distinct strings by their UTF-8 bytes. */
export function* sortByBytes(values: readonly string[]): Steps<string[]> {
  // JavaScript's order is by UTF-16 units: the same, and faster, unless there are surrogates.
  let hasSurrogates = false;
  for (let i = 0; i < values.length && !hasSurrogates; i++) {
    if (i % SORTED_RUN === 0) yield;
    hasSurrogates = SURROGATE.test(values[i]);
  }
  return yield* sortInSteps(values, hasSurrogates ? compareStrings : undefined);
}

/** Sorts distinct strings by `compare`, by default in the order of their UTF-16 units. */
export function* sortInSteps(
  values: readonly string[],
  compare?: (a: string, b: string) => number,
): Steps<string[]> {
  const runs: string[][] = [];
  for (let start = 0; start < values.length; start += SORTED_RUN) {
    runs.push(values.slice(start, start + SORTED_RUN).sort(compare));
    yield;
  }
  return yield* mergeRuns(runs, compare ?? compareUnits);
}

function compareUnits(a: string, b: string): number {
  return a < b ? -1 : 1;
}

/** Encodes strings that are sorted already. */
export function encodeSorted(values: readonly string[]): Steps<SortedStrings> {
  return joinStrings(values, (joined) => textEncoder.encode(joined));
}

/** Joins strings by the bytes that `encode` makes of several, end to end. */
function* joinStrings(
  values: readonly string[],
  encode: (joined: string) => Uint8Array,
): Steps<SortedStrings> {
  const offsets = new Uint32Array(values.length + 1);
  const pieces: Uint8Array[] = [];
  for (let start = 0; start < values.length; ) {
    let end = start;
    let units = 0;
    while (end < values.length && end - start < JOINED_STRINGS && units < READ_BYTES) {
      units += values[end++].length;
    }
    const joined = values.slice(start, end).join("");
    const bytes = encode(joined);
    const isUnits = bytes.length === units;
    for (let i = start; i < end; i++) {
      offsets[i + 1] = offsets[i] + (isUnits ? values[i].length : Buffer.byteLength(values[i]));
    }
    pieces.push(bytes);
    start = end;
    yield;
  }
  return { offsets, bytes: yield* joinInSteps(pieces) };
}

/** A string while tables are merged: the tables that have it, ascending, and its code in each. */
export interface MergedString {
  readonly tables: Int32Array;
  /** How many of `tables` mean anything. */
  tableCount: number;
  /** By table, not by position in `tables`. */
  readonly codes: Int32Array;
}

/**
 * Merges sorted strings, in steps. Visits each distinct one in ascending order, and is told how
 * many things were looked at for it; the visited object is used again for the next one.
 */
export function* mergeSorted(
  tables: readonly SortedStrings[],
  visit: (merged: MergedString) => number,
): Steps<void> {
  const codes = new Int32Array(tables.length);
  const merged: MergedString = { tables: new Int32Array(tables.length), tableCount: 0, codes };
  const least = merged.tables;
  const keys = new Float64Array(tables.length);
  for (let t = 0; t < tables.length; t++) keys[t] = keyAt(tables[t], 0);
  let looked = 0;
  for (;;) {
    let leastKey = Number.POSITIVE_INFINITY;
    let count = 0;
    for (let t = 0; t < keys.length; t++) {
      const key = keys[t];
      if (key > leastKey || key === Number.POSITIVE_INFINITY) continue;
      let order = key < leastKey ? -1 : 0;
      if (order === 0) {
        const first = least[0];
        order = compareStringsAt(tables[t], codes[t], tables[first], codes[first]);
      }
      if (order > 0) continue;
      if (order < 0) count = 0;
      leastKey = key;
      least[count++] = t;
    }
    if (count === 0) return;
    merged.tableCount = count;
    const { offsets } = tables[least[0]];
    const bytes = offsets[codes[least[0]] + 1] - offsets[codes[least[0]]];
    looked += visit(merged) + count * Math.floor(bytes / LOOKED_BYTES);
    for (let i = 0; i < count; i++) keys[least[i]] = keyAt(tables[least[i]], ++codes[least[i]]);
    if (looked < MERGED_RUN) continue;
    yield;
    looked = 0;
  }
}

/** Collects strings of other tables that come in ascending order. */
export class StringCollector {
  readonly #ends: number[] = [0];
  readonly #bytes = new TextBytes(256);

  /** How many were added. */
  get count(): number {
    return this.#ends.length - 1;
  }

  /** Adds the string with a code in `strings`. */
  add(strings: SortedStrings, code: number): void {
    this.addBytes(strings.bytes, strings.offsets[code], strings.offsets[code + 1]);
  }

  /** Adds the string of the bytes from `start` to before `end`. */
  addBytes(bytes: Uint8Array, start: number, end: number): void {
    this.#bytes.appendBytes(bytes, start, end);
    this.#ends.push(this.#ends[this.#ends.length - 1] + end - start);
  }

  /** All strings; nothing more may be added. */
  *finish(): Steps<SortedStrings> {
    return { offsets: Uint32Array.from(this.#ends), bytes: yield* this.#bytes.finish() };
  }
}

/** Bytes of a string that its key holds: as many as a float64 holds exactly. */
const KEY_BYTES = 6;

/** A number that orders strings by their first bytes; infinite after the last string. */
function keyAt(strings: SortedStrings, code: number): number {
  if (code >= strings.offsets.length - 1) return Number.POSITIVE_INFINITY;
  const start = strings.offsets[code];
  const end = strings.offsets[code + 1];
  let key = 0;
  for (let i = 0; i < KEY_BYTES; i++) {
    key = key * 256 + (start + i < end ? strings.bytes[start + i] : 0);
  }
  return key;
}

function compareStringsAt(
  left: SortedStrings,
  leftCode: number,
  right: SortedStrings,
  rightCode: number,
): number {
  const leftStart = left.offsets[leftCode];
  const rightStart = right.offsets[rightCode];
  const leftLength = left.offsets[leftCode + 1] - leftStart;
  const rightLength = right.offsets[rightCode + 1] - rightStart;
  const shared = Math.min(leftLength, rightLength);
  for (let i = 0; i < shared; i++) {
    const difference = left.bytes[leftStart + i] - right.bytes[rightStart + i];
    if (difference !== 0) return difference;
  }
  return leftLength - rightLength;
}

/** First code whose string is >= these bytes; the count of strings if none. O(log n). */
export function lowerBoundOf(strings: SortedStrings, wanted: Uint8Array): number {
  let low = 0;
  let high = stringCount(strings);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareTo(strings, middle, wanted) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Compares a string of a table with the bytes of another. */
function compareTo(strings: SortedStrings, code: number, wanted: Uint8Array): number {
  const start = strings.offsets[code];
  const length = strings.offsets[code + 1] - start;
  const shared = Math.min(length, wanted.length);
  for (let i = 0; i < shared; i++) {
    const difference = strings.bytes[start + i] - wanted[i];
    if (difference !== 0) return difference;
  }
  return length - wanted.length;
}
