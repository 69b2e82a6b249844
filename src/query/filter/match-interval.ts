/**
 * Which values of a column lie in an interval: one tight loop for each representation, over some
 * entries at a time. Placeholders of absent values match or not, so callers cut them out by
 * presence.
 */

import { assert } from "../../base/assert.ts";
import { setBit } from "../../codec/bitmap.ts";
import { UUID_BYTES, writeUuidBytes } from "../../model/uuid.ts";
import type { DictionaryView } from "../../segment/view/segment-view.ts";
import {
  compareBytes,
  type ScalarData,
  scalarReader,
  wordsOf,
} from "../documents/column-values.ts";
import { type Interval, type IntervalEnd, isInside } from "../documents/interval.ts";
import type { OrdinalBits } from "../documents/ordinal-bits.ts";
import type { Entries, Marker } from "./value-node.ts";

/** Marks the entries that lie in the interval. */
export function intervalMarker(interval: Interval, entries: Entries, bits: OrdinalBits): Marker {
  const { data, count, dictionary } = entries;
  if (dictionary !== undefined) return codesMarker(dictionary, interval, bits);
  if (data.kind === "i64" || data.kind === "u64") {
    return integersMarker(data, { interval, bits, count });
  }
  if (data.kind === "f64") return floatsMarker(data.values, interval, bits);
  if (data.kind === "string" || data.kind === "uuid") return bytesMarker(data, interval, bits);
  const read = scalarReader(data);
  return (start, end) => {
    for (let i = start; i < end; i++) if (isInside(interval, read(i))) setBit(bits, i);
  };
}

/** Codes ascend with the values. */
function codesMarker(dictionary: DictionaryView, interval: Interval, bits: OrdinalBits): Marker {
  const { codes } = dictionary;
  const { first, past } = codeRange(dictionary, interval);
  return (start, end) => {
    for (let i = start; i < end; i++) if (codes[i] >= first && codes[i] < past) setBit(bits, i);
  };
}

/** Some codes of a dictionary, from `first` to before `past`. */
export interface CodeRange {
  readonly first: number;
  readonly past: number;
}

/** The codes of the values in an interval. */
export function codeRange(dictionary: DictionaryView, { low, high }: Interval): CodeRange {
  return {
    first: low === undefined ? 0 : codeAfter(dictionary, low, !low.inclusive),
    past: high === undefined ? dictionary.size : codeAfter(dictionary, high, high.inclusive),
  };
}

/** First code whose value is at least the end's, or greater than it when `past`. */
function codeAfter(dictionary: DictionaryView, end: IntervalEnd, past: boolean): number {
  const value = String(end.value);
  const code = dictionary.lowerBound(value);
  return past && code < dictionary.size && dictionary.value(code) === value ? code + 1 : code;
}

/** Compares high words, then low words; signs are flipped so that unsigned order is right. */
function integersMarker(
  data: Extract<ScalarData, { kind: "i64" | "u64" }>,
  { interval, bits, count }: IntegerRun,
): Marker {
  const signed = data.kind === "i64";
  const min = lowest(interval.low, signed ? -(2n ** 63n) : 0n);
  const max = highest(interval.high, signed ? 2n ** 63n - 1n : 2n ** 64n - 1n);
  if (min > max) return () => undefined;
  const near = [Number(min), Number(max)] as const;
  if (isExact(interval.low, near[0]) && isExact(interval.high, near[1])) {
    return nearMarker(data, near, { bits, count });
  }
  const flip = signed ? 0x80000000 : 0;
  const words = wordsOf(data.values);
  const minHigh = (highWord(min) ^ flip) >>> 0;
  const minLow = lowWord(min);
  const maxHigh = (highWord(max) ^ flip) >>> 0;
  const maxLow = lowWord(max);
  return (start, end) => {
    for (let i = start; i < end; i++) {
      const high = (words[2 * i + 1] ^ flip) >>> 0;
      if (high < minHigh || high > maxHigh) continue;
      const low = words[2 * i];
      if (high === minHigh && low < minLow) continue;
      if (high === maxHigh && low > maxLow) continue;
      setBit(bits, i);
    }
  };
}

interface IntegerRun {
  readonly interval: Interval;
  readonly bits: OrdinalBits;
  /** Of all entries. */
  readonly count: number;
}

/** Tells whether a comparison of floats with the end is one of the integers themselves. */
function isExact(end: IntervalEnd | undefined, near: number): boolean {
  return end === undefined || Number.isSafeInteger(near);
}

/**
 * Compares the nearest floats, 32 at a time without branches: rounding keeps the order, and no
 * other integer rounds to a safe one. A loop for each type, since one that calls what reads a value
 * takes four times as long.
 */
function nearMarker(
  data: Extract<ScalarData, { kind: "i64" | "u64" }>,
  [min, max]: readonly [number, number],
  { bits, count }: Pick<IntegerRun, "bits" | "count">,
): Marker {
  const words = wordsOf(data.values);
  const wordOf = data.kind === "i64" ? nearWordSigned : nearWordUnsigned;
  return (start, end) => {
    for (let w = start >>> 5; w << 5 < end; w++) {
      const first = w << 5;
      bits[w] = wordOf(words, { first, end: Math.min(first + 32, count), min, max });
    }
  };
}

/** Entries, and the least and the greatest float that match. */
interface NearRange {
  readonly first: number;
  readonly end: number;
  readonly min: number;
  readonly max: number;
}

/** The bits of up to 32 entries; see `integerReader`. */
function nearWordSigned(words: Uint32Array, { first, end, min, max }: NearRange): number {
  let bits = 0;
  for (let i = first, at = 2 * first; i < end; i++, at += 2) {
    const value = (words[at + 1] | 0) * 2 ** 32 + words[at];
    bits |= (Number(value >= min) & Number(value <= max)) << i;
  }
  return bits;
}

function nearWordUnsigned(words: Uint32Array, { first, end, min, max }: NearRange): number {
  let bits = 0;
  for (let i = first, at = 2 * first; i < end; i++, at += 2) {
    const value = words[at + 1] * 2 ** 32 + words[at];
    bits |= (Number(value >= min) & Number(value <= max)) << i;
  }
  return bits;
}

function lowest(low: IntervalEnd | undefined, least: bigint): bigint {
  if (low === undefined) return least;
  assert(typeof low.value === "bigint", "integer interval has another type");
  return low.inclusive ? low.value : low.value + 1n;
}

function highest(high: IntervalEnd | undefined, greatest: bigint): bigint {
  if (high === undefined) return greatest;
  assert(typeof high.value === "bigint", "integer interval has another type");
  return high.inclusive ? high.value : high.value - 1n;
}

function highWord(value: bigint): number {
  return Number(BigInt.asUintN(32, value >> 32n));
}

function lowWord(value: bigint): number {
  return Number(BigInt.asUintN(32, value));
}

function floatsMarker(values: Float64Array, interval: Interval, bits: OrdinalBits): Marker {
  const low = interval.low === undefined ? Number.NEGATIVE_INFINITY : Number(interval.low.value);
  const high = interval.high === undefined ? Number.POSITIVE_INFINITY : Number(interval.high.value);
  const openLow = interval.low?.inclusive === false;
  const openHigh = interval.high?.inclusive === false;
  return (start, end) => {
    for (let i = start; i < end; i++) {
      const value = values[i];
      if (value < low || value > high) continue;
      if ((openLow && value === low) || (openHigh && value === high)) continue;
      setBit(bits, i);
    }
  };
}

/** Compares strings and UUIDs as bytes, without decoding them. */
function bytesMarker(
  data: Extract<ScalarData, { kind: "string" | "uuid" }>,
  interval: Interval,
  bits: OrdinalBits,
): Marker {
  const low = interval.low && encodeEnd(interval.low, data.kind);
  const high = interval.high && encodeEnd(interval.high, data.kind);
  const offsets = data.kind === "string" ? data.offsets : undefined;
  return (from, to) => {
    for (let i = from; i < to; i++) {
      const start = offsets === undefined ? i * UUID_BYTES : offsets[i];
      const end = offsets === undefined ? start + UUID_BYTES : offsets[i + 1];
      if (low !== undefined) {
        const order = compareBytes(data.bytes, start, end, low.bytes);
        if (order < 0 || (order === 0 && !low.inclusive)) continue;
      }
      if (high !== undefined) {
        const order = compareBytes(data.bytes, start, end, high.bytes);
        if (order > 0 || (order === 0 && !high.inclusive)) continue;
      }
      setBit(bits, i);
    }
  };
}

function encodeEnd(
  end: IntervalEnd,
  kind: "string" | "uuid",
): { bytes: Uint8Array; inclusive: boolean } {
  const { inclusive } = end;
  if (kind === "string") return { bytes: Buffer.from(String(end.value), "utf8"), inclusive };
  const bytes = new Uint8Array(UUID_BYTES);
  writeUuidBytes(String(end.value), bytes, 0);
  return { bytes, inclusive };
}
