/** Reads numbers of columns. */

import { assert } from "../../../base/assert.ts";
import type { ColumnData } from "../../../model/columns.ts";
import { integerReader } from "../../documents/column-values.ts";

/** The nearest 64-bit float of a document's value. */
export type NumberReader = (ordinal: number) => number;

/** Tells whether a column has numbers. */
export function isNumberData({ kind }: ColumnData): boolean {
  return kind === "i64" || kind === "u64" || kind === "f64";
}

/** Makes the reader of a column that has numbers. */
export function numberReader(data: ColumnData): NumberReader {
  assert(data.kind === "i64" || data.kind === "u64" || data.kind === "f64", "score of no number");
  return data.kind === "f64" ? (ordinal) => data.values[ordinal] : integerReader(data);
}
