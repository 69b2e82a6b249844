/**
 * Orders documents of different segments by their raw column bytes, so that no value is decoded to
 * be compared. Null sorts below every value.
 */

import { assert } from "../base/assert.ts";
import type { Column, ColumnData } from "../model/columns.ts";
import { UUID_BYTES } from "../model/uuid.ts";
import type { SegmentSnapshot } from "../segment/segment-view.ts";
import { integerReader } from "./column-values.ts";
import type { OrderKey } from "./plan.ts";

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
 * Returns a function from ordinal to a number that never contradicts the order of the key: equal
 * numbers say nothing. It lets a top k refuse most documents with one comparison.
 */
export function orderHint(
  { view }: SegmentSnapshot,
  { attribute, direction }: OrderKey,
): (ordinal: number) => number {
  const column = attribute === "id" ? { data: view.ids } : view.column(attribute)?.column;
  const sign = direction === "asc" ? 1 : -1;
  const absent = Number.NEGATIVE_INFINITY * sign;
  if (column === undefined) return () => absent;
  const hint = dataHint(column.data);
  return (ordinal) => (isPresent(column, ordinal) ? hint(ordinal) * sign : absent);
}

type ComparedColumn = Pick<Column, "data" | "presence">;

function orderColumns(
  segments: readonly SegmentSnapshot[],
  attribute: string,
): (ComparedColumn | undefined)[] {
  return segments.map(({ view }) => view.column(attribute)?.column);
}

function columnComparer(columns: readonly (ComparedColumn | undefined)[]): DocumentComparer {
  const readers = columns.map((column) => column && valueComparer(column.data));
  return (segmentA, ordinalA, segmentB, ordinalB) => {
    const a = columns[segmentA];
    const b = columns[segmentB];
    const hasA = a !== undefined && isPresent(a, ordinalA);
    const hasB = b !== undefined && isPresent(b, ordinalB);
    if (!hasA || !hasB) return Number(hasA) - Number(hasB);
    const compare = readers[segmentA];
    return compare === undefined ? 0 : compare(ordinalA, b.data, ordinalB);
  };
}

function isPresent({ presence }: ComparedColumn, ordinal: number): boolean {
  return presence === undefined || ((presence[ordinal >> 3] >> (ordinal & 7)) & 1) === 1;
}

type ValueComparer = (ordinal: number, other: ColumnData, otherOrdinal: number) => number;

/** Both sides have the same kind, since an attribute has one type. */
function valueComparer(data: ColumnData): ValueComparer {
  if (data.kind === "string" || data.kind === "uuid") return bytesComparer(data);
  assert("values" in data, `order by ${data.kind}`);
  const { values } = data;
  return (ordinal, other, otherOrdinal) => {
    const a = values[ordinal];
    const b = (other as typeof data).values[otherOrdinal];
    return a < b ? -1 : a > b ? 1 : 0;
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

function dataHint(data: ColumnData): (ordinal: number) => number {
  if (data.kind === "string" || data.kind === "uuid") {
    const [start, end] = byteRange(data);
    const { bytes } = data;
    return (ordinal) => {
      const from = start(ordinal);
      const length = end(ordinal) - from;
      let hint = 0;
      for (let i = 0; i < HINT_BYTES; i++) hint = hint * 256 + (i < length ? bytes[from + i] : 0);
      return hint;
    };
  }
  if (data.kind === "i64" || data.kind === "u64") return integerReader(data);
  assert(data.kind === "f64" || data.kind === "bool", `order by ${data.kind}`);
  const { values } = data;
  return (ordinal) => values[ordinal];
}
