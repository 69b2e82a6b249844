/** Values of Arrow's batches as cells, read from their buffers where the library would round. */

import {
  type Batch,
  type Column,
  type DataType,
  DateUnit,
  TimeUnit,
  Type,
} from "@uwdata/flechette";
import { formatDatetime } from "../../../model/datetime.ts";
import { cutTime } from "../cut-time.ts";
import { decimalCells } from "../decimal-cell.ts";
import { decodeText } from "../decode-text.ts";
import type { CellValue } from "../source-row.ts";

/**
 * Options of the library for batches that are read here: integers of 64 bits and more stay exact.
 */
export const EXACT = { useBigInt: true, useBigIntTimestamp: true, useDecimalInt: true } as const;

/** The cell at a position of a batch or a column. */
export type CellAt = (index: number) => CellValue;

type AnyBatch = Batch<unknown>;
/** Members that only batches of some types have. */
interface BatchMembers {
  readonly dictionary: Column<unknown>;
  readonly key: (index: number) => number;
  readonly view: (index: number) => Uint8Array;
}

const MS_PER_DAY = 86_400_000n;
const NANOS_PER_MS = 1_000_000n;

/** The cells of a column. */
export function columnCells({ data, offsets }: Column<unknown>): CellAt {
  const batches = data.map(batchCells);
  if (batches.length === 1) return batches[0];
  return (index) => {
    const at = offsets.findLastIndex((start) => start <= index);
    return batches[at]?.(index - offsets[at]);
  };
}

/** The cells of a batch. */
export function batchCells(batch: AnyBatch): CellAt {
  const value = valueReader(batch, batch.type);
  // A batch without nulls may have no bitmap; some types have the bitmap in their children.
  const hasNulls = batch.nullCount > 0 && batch.validity?.length > 0;
  return (index) => {
    const isNull = hasNulls && !batch.isValid(index);
    return isNull ? undefined : value(index);
  };
}

/** Reads values that are not null. */
function valueReader(batch: AnyBatch, type: DataType): CellAt {
  const members = batch as unknown as BatchMembers;
  switch (type.typeId) {
    case Type.Dictionary:
      return dictionaryReader(members);
    case Type.RunEndEncoded:
      return runReader(batch);
    case Type.Utf8:
    case Type.LargeUtf8:
      return (index) => decodeText(bytesAt(batch, index));
    case Type.Utf8View:
      return (index) => decodeText(members.view(index));
    case Type.Binary:
    case Type.LargeBinary:
    case Type.BinaryView:
    case Type.FixedSizeBinary:
      return (index) => Buffer.from(batch.value(index) as Uint8Array).toString("base64");
    case Type.Decimal: {
      const cell = decimalCells(type.scale);
      return (index) => cell(BigInt(batch.value(index) as bigint | number));
    }
    case Type.Date: {
      const perUnit = type.unit === DateUnit.DAY ? MS_PER_DAY : 1n;
      return (index) => formatDatetime(BigInt(batch.values[index]) * perUnit);
    }
    case Type.Timestamp:
      return timestampReader(batch, type.unit);
    case Type.List:
    case Type.LargeList:
    case Type.ListView:
    case Type.LargeListView:
    case Type.FixedSizeList:
      return listReader(batch, type);
    default:
      return (index) => (batch.value(index) ?? undefined) as CellValue;
  }
}

function timestampReader({ values }: AnyBatch, unit: number): CellAt {
  const at = (index: number) => values[index] as bigint;
  switch (unit) {
    case TimeUnit.SECOND:
      return (index) => formatDatetime(at(index) * 1000n);
    case TimeUnit.MILLISECOND:
      return (index) => formatDatetime(at(index));
    case TimeUnit.MICROSECOND:
      return (index) => cutTime(at(index), 1000n);
    default:
      return (index) => cutTime(at(index), NANOS_PER_MS);
  }
}

function bytesAt({ values, offsets }: AnyBatch, index: number): Uint8Array {
  return (values as Uint8Array).subarray(Number(offsets[index]), Number(offsets[index + 1]));
}

/** Each entry is read once, however often it occurs. */
function dictionaryReader(batch: BatchMembers): CellAt {
  const cells = columnCells(batch.dictionary);
  const known = new Map<number, CellValue>();
  return (index) => {
    const at = batch.key(index);
    if (!known.has(at)) known.set(at, cells(at));
    return known.get(at);
  };
}

/** The run that an index lies in, by the ends of the runs. */
function runReader({ children: [runs, values] }: AnyBatch): CellAt {
  const ends = runs.values;
  const cells = batchCells(values);
  return (index) => {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (Number(ends[middle]) <= index) low = middle + 1;
      else high = middle;
    }
    return cells(low);
  };
}

/** Lists of float32 without nulls are views of the batch. */
function listReader(batch: AnyBatch, type: DataType): CellAt {
  const [elements] = batch.children;
  const range = rangeReader(batch, type);
  const cells = batchCells(elements);
  const isFloats = elements.type.typeId === Type.Float && elements.nullCount === 0;
  return (index) => {
    const { start, end } = range(index);
    if (isFloats) {
      const floats = elements.slice(start, end);
      if (floats instanceof Float32Array) return floats;
    }
    return Array.from({ length: Math.max(0, end - start) }, (_, i) => cells(start + i));
  };
}

/** Returns the bounds of a list's elements by its index. */
export function rangeReader(
  { offsets, sizes }: AnyBatch,
  type: DataType,
): (index: number) => { readonly start: number; readonly end: number } {
  if (type.typeId === Type.FixedSizeList) {
    const { stride } = type;
    return (index) => ({ start: index * stride, end: (index + 1) * stride });
  }
  const isView = type.typeId === Type.ListView || type.typeId === Type.LargeListView;
  return (index) => {
    const start = Number(offsets[index]);
    return { start, end: isView ? start + Number(sizes[index]) : Number(offsets[index + 1]) };
  };
}
