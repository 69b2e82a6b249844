/**
 * Which entries of a column are in a set of values: one tight loop for each representation.
 * Entries are ordinals for scalars and elements for arrays; placeholders of absent values are
 * marked or not, so callers intersect with presence.
 */

import { assert } from "../../base/assert.ts";
import { setBit } from "../../codec/bitmap.ts";
import { UUID_BYTES, writeUuidBytes } from "../../model/uuid.ts";
import type { DictionaryView } from "../../segment/segment-view.ts";
import {
  compareBytes,
  integerReader,
  type ScalarData,
  scalarReader,
  wordsOf,
} from "../column-values.ts";
import { emptyBits, type OrdinalBits } from "../ordinal-bits.ts";
import type { IntervalEnd, ValueSet } from "../predicate.ts";
import { hasValue } from "../value-set.ts";

/** Marks the first `count` entries of `data` that are in the set. */
export function markValues(
  data: ScalarData,
  count: number,
  set: ValueSet,
  dictionary: DictionaryView | undefined,
): OrdinalBits {
  if (dictionary !== undefined) return markCodes(dictionary, count, set);
  if (set.kind === "interval") {
    if (data.kind === "i64" || data.kind === "u64") return markIntegers(data, count, set);
    if (data.kind === "f64") return markFloats(data.values, count, set);
    if (data.kind === "string" || data.kind === "uuid") return markBytes(data, count, set);
  }
  if (set.kind === "list" && set.values.length === 1 && data.kind !== "bool") {
    const end: IntervalEnd = { value: set.values[0], inclusive: true };
    return markValues(data, count, { kind: "interval", low: end, high: end }, undefined);
  }
  const bits = emptyBits(count);
  const read = scalarReader(data);
  const listed = set.kind === "list" ? new Set(set.values) : undefined;
  for (let i = 0; i < count; i++) {
    const value = read(i);
    if (listed === undefined ? hasValue(set, value) : listed.has(value)) setBit(bits, i);
  }
  return bits;
}

type Interval = Extract<ValueSet, { kind: "interval" }>;

/** Tests each distinct value once. */
function markCodes(dictionary: DictionaryView, count: number, set: ValueSet): OrdinalBits {
  const bits = emptyBits(count);
  const { codes } = dictionary;
  if (set.kind === "interval") {
    const start = set.low === undefined ? 0 : codeAfter(dictionary, set.low, !set.low.inclusive);
    const end =
      set.high === undefined
        ? dictionary.size
        : codeAfter(dictionary, set.high, set.high.inclusive);
    for (let i = 0; i < count; i++) if (codes[i] >= start && codes[i] < end) setBit(bits, i);
    return bits;
  }
  const chosen = new Uint8Array(dictionary.size);
  if (set.kind === "list") {
    for (const value of set.values) {
      const code = dictionary.codeOf(String(value));
      if (code >= 0) chosen[code] = 1;
    }
  } else {
    for (let code = dictionary.lowerBound(set.prefix); code < dictionary.size; code++) {
      const value = dictionary.value(code);
      if (!value.startsWith(set.prefix)) break;
      if (set.matches(value)) chosen[code] = 1;
    }
  }
  for (let i = 0; i < count; i++) if (chosen[codes[i]] === 1) setBit(bits, i);
  return bits;
}

/** First code whose value is at least the end's, or greater than it when `past`. */
function codeAfter(dictionary: DictionaryView, end: IntervalEnd, past: boolean): number {
  const value = String(end.value);
  const code = dictionary.lowerBound(value);
  return past && code < dictionary.size && dictionary.value(code) === value ? code + 1 : code;
}

/** Compares high words, then low words; signs are flipped so that unsigned order is right. */
function markIntegers(
  data: Extract<ScalarData, { kind: "i64" | "u64" }>,
  count: number,
  set: Interval,
): OrdinalBits {
  const bits = emptyBits(count);
  const signed = data.kind === "i64";
  const min = lowest(set.low, signed ? -(2n ** 63n) : 0n);
  const max = highest(set.high, signed ? 2n ** 63n - 1n : 2n ** 64n - 1n);
  if (min > max) return bits;
  const near = [Number(min), Number(max)] as const;
  if (isExact(set.low, near[0]) && isExact(set.high, near[1])) {
    return markNear(data, count, near);
  }
  const flip = signed ? 0x80000000 : 0;
  const words = wordsOf(data.values);
  const minHigh = (highWord(min) ^ flip) >>> 0;
  const minLow = lowWord(min);
  const maxHigh = (highWord(max) ^ flip) >>> 0;
  const maxLow = lowWord(max);
  for (let i = 0; i < count; i++) {
    const high = (words[2 * i + 1] ^ flip) >>> 0;
    if (high < minHigh || high > maxHigh) continue;
    const low = words[2 * i];
    if (high === minHigh && low < minLow) continue;
    if (high === maxHigh && low > maxLow) continue;
    setBit(bits, i);
  }
  return bits;
}

/** Tells whether a comparison of floats with the end is one of the integers themselves. */
function isExact(end: IntervalEnd | undefined, near: number): boolean {
  return end === undefined || Number.isSafeInteger(near);
}

/**
 * Compares the nearest floats, 32 at a time without branches: rounding keeps the order, and no
 * other integer rounds to a safe one.
 */
function markNear(
  data: Extract<ScalarData, { kind: "i64" | "u64" }>,
  count: number,
  [min, max]: readonly [number, number],
): OrdinalBits {
  const bits = emptyBits(count);
  const read = integerReader(data);
  for (let w = 0; w < bits.length; w++) {
    const start = w << 5;
    const size = Math.min(32, count - start);
    let word = 0;
    for (let b = 0; b < size; b++) {
      const value = read(start + b);
      word |= (Number(value >= min) & Number(value <= max)) << b;
    }
    bits[w] = word;
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

function markFloats(values: Float64Array, count: number, set: Interval): OrdinalBits {
  const bits = emptyBits(count);
  const low = set.low === undefined ? Number.NEGATIVE_INFINITY : Number(set.low.value);
  const high = set.high === undefined ? Number.POSITIVE_INFINITY : Number(set.high.value);
  const openLow = set.low?.inclusive === false;
  const openHigh = set.high?.inclusive === false;
  for (let i = 0; i < count; i++) {
    const value = values[i];
    if (value < low || value > high) continue;
    if ((openLow && value === low) || (openHigh && value === high)) continue;
    setBit(bits, i);
  }
  return bits;
}

/** Compares strings and UUIDs as bytes, without decoding them. */
function markBytes(
  data: Extract<ScalarData, { kind: "string" | "uuid" }>,
  count: number,
  set: Interval,
): OrdinalBits {
  const bits = emptyBits(count);
  const low = set.low && encodeEnd(set.low, data.kind);
  const high = set.high && encodeEnd(set.high, data.kind);
  const offsets = data.kind === "string" ? data.offsets : undefined;
  for (let i = 0; i < count; i++) {
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
  return bits;
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
