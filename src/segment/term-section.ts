/**
 * Sorted distinct strings: terms of a text index, values of a dictionary, dimensions of sparse
 * vectors. Ascending by UTF-8 bytes; the code of a string is its position. Two arrays, packed where
 * they are used: offsets (count + 1) and bytes.
 *
 * Strings are compared and joined as "byte strings": JavaScript strings with one character per byte,
 * whose order is the order of the bytes and which the engine compares and hashes natively.
 */

import { utf8Slice } from "../codec/columns-packing.ts";
import { compareStrings } from "../model/value.ts";

/** Sorted distinct strings end to end. */
export interface SortedStrings {
  readonly offsets: Uint32Array;
  readonly bytes: Uint8Array;
}

const textEncoder = new TextEncoder();
const SURROGATE = /[\ud800-\udfff]/;

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
  const wanted = textEncoder.encode(text);
  const code = lowerBoundOf(strings, wanted);
  return code < stringCount(strings) && compareAt(strings, code, wanted) === 0 ? code : -1;
}

/** All strings as byte strings. */
export function byteStrings(strings: SortedStrings): string[] {
  const { offsets } = strings;
  const joined = latin1(strings.bytes);
  return Array.from({ length: stringCount(strings) }, (_, code) =>
    joined.substring(offsets[code], offsets[code + 1]),
  );
}

/** The inverse of `byteStrings`. */
export function fromByteStrings(values: readonly string[]): SortedStrings {
  const offsets = new Uint32Array(values.length + 1);
  for (let i = 0; i < values.length; i++) offsets[i + 1] = offsets[i] + values[i].length;
  return { offsets, bytes: Buffer.from(values.join(""), "latin1") };
}

/** Reads bytes as characters, one each. */
export function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

/** Sorts distinct strings by their UTF-8 bytes, in place. */
export function sortByBytes(values: string[]): string[] {
  // JavaScript's order is by UTF-16 units: the same, and faster, unless there are surrogates.
  return values.some((value) => SURROGATE.test(value))
    ? values.sort(compareStrings)
    : values.sort();
}

/** Encodes strings that are sorted already. */
export function encodeSorted(values: readonly string[]): SortedStrings {
  const bytes = textEncoder.encode(values.join(""));
  const offsets = new Uint32Array(values.length + 1);
  for (let i = 0; i < values.length; i++) {
    offsets[i + 1] = offsets[i] + Buffer.byteLength(values[i]);
  }
  return { offsets, bytes };
}

/**
 * Merges sorted strings. Visits each distinct one in ascending order, with its code in each table or
 * -1; the array of codes is used again for the next visit.
 */
export function mergeSorted(
  tables: readonly SortedStrings[],
  visit: (value: string, codes: Int32Array) => void,
): void {
  const joined = tables.map(({ bytes }) => latin1(bytes));
  const next = new Int32Array(tables.length);
  const codes = new Int32Array(tables.length);
  const headOf = (t: number) => {
    const { offsets } = tables[t];
    if (next[t] + 1 >= offsets.length) return undefined;
    return joined[t].substring(offsets[next[t]], offsets[next[t] + 1]);
  };
  const heads = tables.map((_, t) => headOf(t));
  for (;;) {
    let least: string | undefined;
    for (const head of heads) {
      if (head !== undefined && (least === undefined || head < least)) least = head;
    }
    if (least === undefined) return;
    for (let t = 0; t < heads.length; t++) {
      codes[t] = -1;
      if (heads[t] !== least) continue;
      codes[t] = next[t]++;
      heads[t] = headOf(t);
    }
    visit(least, codes);
  }
}

function lowerBoundOf(strings: SortedStrings, wanted: Uint8Array): number {
  let low = 0;
  let high = stringCount(strings);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareAt(strings, middle, wanted) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function compareAt(strings: SortedStrings, code: number, wanted: Uint8Array): number {
  const start = strings.offsets[code];
  const length = strings.offsets[code + 1] - start;
  const shared = Math.min(length, wanted.length);
  for (let i = 0; i < shared; i++) {
    const difference = strings.bytes[start + i] - wanted[i];
    if (difference !== 0) return difference;
  }
  return length - wanted.length;
}
