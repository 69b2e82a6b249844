/** Values of Parquet columns, as the library reads them, as cells. */

import type { FileMetaData, SchemaTree } from "hyparquet";
import { formatDatetime } from "../../../model/datetime.ts";
import { cutTime } from "../cut-time.ts";
import { decimalCells, signedInteger } from "../decimal-cell.ts";
import { decodeText } from "../decode-text.ts";
import type { CellValue } from "../source-row.ts";
import { isDecimal, isTextLeaf, listElement, scaleOf } from "./parquet-column.ts";

/** Values that JavaScript has no exact form for are made texts at once. */
export const CELL_PARSERS = {
  timestampFromMilliseconds: (ms: bigint) => datetimeOf(ms, 1n),
  timestampFromMicroseconds: (micros: bigint) => datetimeOf(micros, 1000n),
  timestampFromNanoseconds: (nanos: bigint) => datetimeOf(nanos, 1_000_000n),
  dateFromDays: (days: number) =>
    typeof days === "number" ? formatDatetime(BigInt(days) * 86_400_000n) : undefined,
  stringFromBytes: (bytes: Uint8Array) => bytes && decodeText(bytes),
  jsonFromBytes: (bytes: Uint8Array) => bytes && decodeText(bytes),
};

function datetimeOf(value: unknown, perMs: bigint): string | undefined {
  return typeof value === "bigint" ? cutTime(value, perMs) : undefined;
}

/** The metadata with decimals declared as what they are stored as: the library rounds them. */
export function withoutDecimals(metadata: FileMetaData): FileMetaData {
  const schema = metadata.schema.map((element) => {
    if (!isDecimal(element)) return element;
    const { converted_type: _, logical_type: __, ...stored } = element;
    return stored;
  });
  return { ...metadata, schema };
}

/** Turns the values of a column into cells; `column` is as the file declares it. */
export function cellsOf(column: SchemaTree): (value: unknown) => CellValue {
  const { element, children } = column;
  if (element.repetition_type === "REPEATED") return listOf(valuesOf(column));
  const inner = children.length === 0 ? undefined : listElement(column);
  return inner === undefined ? valuesOf(column) : listOf(cellsOf(inner));
}

function valuesOf({ element, children }: SchemaTree): (value: unknown) => CellValue {
  if (children.length > 0) return (value) => value as CellValue;
  if (isDecimal(element)) return decimals(scaleOf(element));
  // The library decodes texts of the usual kind; other texts come as their bytes.
  const bytesOf = isTextLeaf(element) ? decodeText : base64;
  return (value) => {
    if (value === null || value === undefined) return undefined;
    return value instanceof Uint8Array ? bytesOf(value) : (value as CellValue);
  };
}

/** Lists of floats stay as they are stored; in the others a null stays, for who takes the row. */
function listOf(element: (value: unknown) => CellValue): (value: unknown) => CellValue {
  return (value) => {
    if (value === null || value === undefined) return undefined;
    return Array.isArray(value) ? value.map(element) : (value as CellValue);
  };
}

function decimals(scale: number): (value: unknown) => CellValue {
  const cell = decimalCells(scale);
  return (value) => {
    if (value === null || value === undefined) return undefined;
    return cell(value instanceof Uint8Array ? signedInteger(value) : BigInt(value as number));
  };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
