/**
 * Orders documents of different segments by their raw column bytes, so that no value is decoded to
 * be compared. Null sorts below every value.
 */

import { assert } from "../../base/assert.ts";
import type { Column, ColumnData } from "../../model/columns.ts";
import { UUID_BYTES } from "../../model/uuid.ts";
import type { SegmentSnapshot } from "../../segment/view/segment-view.ts";
import { readIntegers, wordsOf } from "./column-values.ts";
import type { VisitPart } from "./ordinal-bits.ts";

/** One key of an ordering. */
export interface OrderKey {
  readonly attribute: string;
  readonly direction: "asc" | "desc";
}

/** Orders document `ordinalA` of segment `segmentA` against another; segments by their index. */
export type DocumentComparer = (
  segmentA: number,
  ordinalA: number,
  segmentB: number,
  ordinalB: number,
) => number;

/** Orders by id, ascending: numbers by size, strings and UUIDs by bytes. */
export function idComparer(segments: readonly SegmentSnapshot[]): DocumentComparer {
  return columnComparer(segments.map(({ view }) => ({ data: view.ids })));
}

/** Orders by several keys, then by id. */
export function orderComparer(
  segments: readonly SegmentSnapshot[],
  keys: readonly OrderKey[],
): DocumentComparer {
  const byId = idComparer(segments);
  const comparers = keys.map((key) => ({
    compare: key.attribute === "id" ? byId : columnComparer(orderColumns(segments, key.attribute)),
    sign: key.direction === "asc" ? 1 : -1,
  }));
  return (segmentA, ordinalA, segmentB, ordinalB) => {
    for (const { compare, sign } of comparers) {
      const order = compare(segmentA, ordinalA, segmentB, ordinalB);
      if (order !== 0) return order * sign;
    }
    return byId(segmentA, ordinalA, segmentB, ordinalB);
  };
}

/**
 * Returns a function that writes for each ordinal a number that never contradicts the order of the
 * key: equal numbers say nothing. It lets a top k refuse most documents with one comparison.
 */
export function orderHints(
  { view }: SegmentSnapshot,
  { attribute, direction }: OrderKey,
): VisitPart {
  const column: ComparedColumn | undefined =
    attribute === "id" ? { data: view.ids } : view.column(attribute)?.column;
  const sign = direction === "asc" ? 1 : -1;
  const absent = Number.NEGATIVE_INFINITY * sign;
  if (column === undefined) return (_ordinals, hints) => hints.fill(absent);
  const write = dataHints(column.data);
  return (ordinals, hints) => {
    write(ordinals, hints);
    if (sign < 0) for (let i = 0; i < ordinals.length; i++) hints[i] = -hints[i];
    if (column.presence === undefined) return;
    for (let i = 0; i < ordinals.length; i++) {
      if (!isPresent(column, ordinals[i])) hints[i] = absent;
    }
  };
}

type ComparedColumn = Pick<Column, "data" | "presence">;

function orderColumns(
  segments: readonly SegmentSnapshot[],
  attribute: string,
): (ComparedColumn | undefined)[] {
  return segments.map(({ view }) => view.column(attribute)?.column);
}

function columnComparer(columns: readonly (ComparedColumn | undefined)[]): DocumentComparer {
  const comparers: (ValueComparer | undefined)[] = [];
  return (segmentA, ordinalA, segmentB, ordinalB) => {
    const a = columns[segmentA];
    const b = columns[segmentB];
    const hasA = a !== undefined && isPresent(a, ordinalA);
    const hasB = b !== undefined && isPresent(b, ordinalB);
    if (!hasA || !hasB) return Number(hasA) - Number(hasB);
    comparers[segmentA] ??= valueComparer(a.data);
    return comparers[segmentA](ordinalA, b.data, ordinalB);
  };
}

function isPresent({ presence }: ComparedColumn, ordinal: number): boolean {
  return presence === undefined || ((presence[ordinal >> 3] >> (ordinal & 7)) & 1) === 1;
}

type ValueComparer = (ordinal: number, other: ColumnData, otherOrdinal: number) => number;

/** Both sides have the same kind, since an attribute has one type. */
function valueComparer(data: ColumnData): ValueComparer {
  if (data.kind === "string" || data.kind === "uuid") return bytesComparer(data);
  if (data.kind === "i64" || data.kind === "u64") return integerComparer(data);
  assert("values" in data, `order by ${data.kind}`);
  const { values } = data;
  return (ordinal, other, otherOrdinal) => {
    const a = values[ordinal];
    const b = (other as typeof data).values[otherOrdinal];
    return a < b ? -1 : a > b ? 1 : 0;
  };
}

type IntegerData = Extract<ColumnData, { kind: "i64" | "u64" }>;

/** By words: bigints would be made on the heap, two for each comparison. */
function integerComparer({ kind, values }: IntegerData): ValueComparer {
  const words = wordsOf(values);
  const sign = kind === "i64" ? 0x8000_0000 : 0;
  let known: ColumnData | undefined;
  let others = words;
  return (ordinal, other, otherOrdinal) => {
    if (other !== known) others = wordsOf((other as IntegerData).values);
    known = other;
    const high = (words[2 * ordinal + 1] ^ sign) >>> 0;
    const otherHigh = (others[2 * otherOrdinal + 1] ^ sign) >>> 0;
    if (high !== otherHigh) return high < otherHigh ? -1 : 1;
    const low = words[2 * ordinal];
    const otherLow = others[2 * otherOrdinal];
    return low < otherLow ? -1 : low > otherLow ? 1 : 0;
  };
}

function bytesComparer(data: ByteData): ValueComparer {
  const bytes = bufferOf(data.bytes);
  const [start, end] = byteRange(data);
  const buffers = new Map<ColumnData, OtherBytes>();
  return (ordinal, other, otherOrdinal) => {
    const b = buffers.get(other) ?? otherBytes(other, buffers);
    const from = b.start(otherOrdinal);
    const to = b.end(otherOrdinal);
    return bytes.compare(b.buffer, from, to, start(ordinal), end(ordinal));
  };
}

interface OtherBytes {
  readonly buffer: Buffer;
  readonly start: (ordinal: number) => number;
  readonly end: (ordinal: number) => number;
}

function otherBytes(data: ColumnData, known: Map<ColumnData, OtherBytes>): OtherBytes {
  assert(data.kind === "string" || data.kind === "uuid", "compared columns differ in type");
  const [start, end] = byteRange(data);
  const other = { buffer: bufferOf(data.bytes), start, end };
  known.set(data, other);
  return other;
}

type ByteData = Extract<ColumnData, { kind: "string" | "uuid" }>;

function byteRange(data: ByteData): [(ordinal: number) => number, (ordinal: number) => number] {
  if (data.kind === "uuid") return [(o) => o * UUID_BYTES, (o) => (o + 1) * UUID_BYTES];
  const { offsets } = data;
  return [(o) => offsets[o], (o) => offsets[o + 1]];
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Bytes of a string's start that fit a float exactly. */
const HINT_BYTES = 6;

function dataHints(data: ColumnData): VisitPart {
  switch (data.kind) {
    case "string":
    case "uuid":
      return byteHints(data);
    case "i64":
    case "u64":
      return (ordinals, hints) => readIntegers(data, ordinals, hints);
    default: {
      assert(data.kind === "f64" || data.kind === "bool", `order by ${data.kind}`);
      const { values } = data;
      return (ordinals, hints) => {
        for (let i = 0; i < ordinals.length; i++) hints[i] = values[ordinals[i]];
      };
    }
  }
}

function byteHints(data: ByteData): VisitPart {
  const [start, end] = byteRange(data);
  const { bytes } = data;
  return (ordinals, hints) => {
    for (let i = 0; i < ordinals.length; i++) {
      const from = start(ordinals[i]);
      const length = end(ordinals[i]) - from;
      let hint = 0;
      for (let b = 0; b < HINT_BYTES; b++) hint = hint * 256 + (b < length ? bytes[from + b] : 0);
      hints[i] = hint;
    }
  };
}
