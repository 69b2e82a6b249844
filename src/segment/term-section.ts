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
  return code < stringCount(strings) && compareTo(strings, code, wanted) === 0 ? code : -1;
}

/** Joins byte strings that are sorted already. */
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
  const joined = values.join("");
  const bytes = textEncoder.encode(joined);
  const isAscii = bytes.length === joined.length;
  const offsets = new Uint32Array(values.length + 1);
  for (let i = 0; i < values.length; i++) {
    offsets[i + 1] = offsets[i] + (isAscii ? values[i].length : Buffer.byteLength(values[i]));
  }
  return { offsets, bytes };
}

/**
 * Merges sorted strings. Visits each distinct one in ascending order, with its code in each table or
 * -1, and a table that has it; the array of codes is used again for the next visit.
 */
export function mergeSorted(
  tables: readonly SortedStrings[],
  visit: (codes: Int32Array, table: number) => void,
): void {
  const next = new Int32Array(tables.length);
  const codes = new Int32Array(tables.length);
  const keys = new Float64Array(tables.length);
  for (let t = 0; t < tables.length; t++) keys[t] = keyAt(tables[t], 0);
  for (;;) {
    let least = -1;
    for (let t = 0; t < keys.length; t++) {
      if (keys[t] === Number.POSITIVE_INFINITY) continue;
      if (least < 0 || keys[t] < keys[least]) least = t;
      else if (keys[t] === keys[least] && compareHeads(tables, next, t, least) < 0) least = t;
    }
    if (least < 0) return;
    for (let t = 0; t < keys.length; t++) {
      const isEqual = keys[t] === keys[least] && compareHeads(tables, next, t, least) === 0;
      codes[t] = isEqual ? next[t] : -1;
    }
    for (let t = 0; t < keys.length; t++) {
      if (codes[t] >= 0) keys[t] = keyAt(tables[t], ++next[t]);
    }
    visit(codes, least);
  }
}

/** Collects strings of other tables that come in ascending order. */
export class StringCollector {
  readonly #ends: number[] = [0];
  #bytes = new Uint8Array(256);

  /** How many were added. */
  get count(): number {
    return this.#ends.length - 1;
  }

  /** Adds the string with a code in `strings`. */
  add(strings: SortedStrings, code: number): void {
    const start = strings.offsets[code];
    const end = strings.offsets[code + 1];
    const at = this.#ends[this.#ends.length - 1];
    if (at + end - start > this.#bytes.length) this.#grow(at + end - start);
    for (let i = start, to = at; i < end; i++, to++) this.#bytes[to] = strings.bytes[i];
    this.#ends.push(at + end - start);
  }

  finish(): SortedStrings {
    const end = this.#ends[this.#ends.length - 1];
    return { offsets: Uint32Array.from(this.#ends), bytes: this.#bytes.subarray(0, end) };
  }

  #grow(bytesMin: number): void {
    const grown = new Uint8Array(Math.max(bytesMin, 2 * this.#bytes.length));
    grown.set(this.#bytes);
    this.#bytes = grown;
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

function compareHeads(
  tables: readonly SortedStrings[],
  next: Int32Array,
  a: number,
  b: number,
): number {
  if (a === b) return 0;
  const [left, right] = [tables[a], tables[b]];
  const leftStart = left.offsets[next[a]];
  const rightStart = right.offsets[next[b]];
  const leftLength = left.offsets[next[a] + 1] - leftStart;
  const rightLength = right.offsets[next[b] + 1] - rightStart;
  const shared = Math.min(leftLength, rightLength);
  for (let i = 0; i < shared; i++) {
    const difference = left.bytes[leftStart + i] - right.bytes[rightStart + i];
    if (difference !== 0) return difference;
  }
  return leftLength - rightLength;
}

function lowerBoundOf(strings: SortedStrings, wanted: Uint8Array): number {
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
