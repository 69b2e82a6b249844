/** Rows as readers find them in files, before anything is known of the namespace they go to. */

import type { AttributeType } from "../../model/attribute-type.ts";
import type { DecimalCell } from "./decimal-cell.ts";
import type { InvalidText } from "./decode-text.ts";

/** Where reading goes on. All three count from the file's start. */
export interface ReadPosition {
  /** Rows before it, faulty ones included. */
  readonly rows: number;
  /** Line that comes next, from 1; in files without lines, the number of the next row. */
  readonly line: number;
  /** Byte of the decompressed text; 0 in files that are read by row. May exceed 2^32. */
  readonly offset: number;
}

/** The start of every file. */
export const FILE_START: ReadPosition = { rows: 0, line: 1, offset: 0 };

/**
 * A value in the form in which all binary formats hand it on: 64-bit integers and decimals without
 * a fraction as bigints, datetimes as ISO 8601 texts, lists of floats without nulls as they are
 * stored. `undefined` stands for null.
 */
export type CellValue =
  | undefined
  | boolean
  | number
  | bigint
  | string
  | DecimalCell
  | InvalidText
  | Float32Array
  | Float64Array
  | readonly CellValue[];

/** What a row holds. */
export type RowContent =
  /** What stands in the file, which should be a JSON object; nothing of it was checked. */
  | { readonly kind: "json"; readonly text: Uint8Array }
  /**
   * Texts of a table, one for each column; what they mean is for the schema to say. A cell of
   * nothing is undefined, one of an empty text in quotes is `""`.
   */
  | { readonly kind: "texts"; readonly texts: readonly (string | undefined)[] }
  /** Values of a table, one for each column. */
  | { readonly kind: "values"; readonly values: readonly CellValue[] }
  /** It could not be read. */
  | { readonly kind: "fault"; readonly error: string; readonly raw: string };

/** One row and its place. */
export interface SourceRow {
  /** Its line from 1 (where it begins), or its number in files without lines. */
  readonly line: number;
  /** Where reading goes on after it. */
  readonly next: ReadPosition;
  readonly content: RowContent;
}

/** A column that a file declares. `type` is absent where only the texts tell. */
export interface SourceColumn {
  readonly name: string;
  readonly type?: AttributeType;
  /** Why its values cannot be imported, with the way out; the column may be left out. */
  readonly fault?: string;
  /** The fault is that its values have members of their own. */
  readonly isNested?: boolean;
  /** What the reader does to its values that users should know. */
  readonly note?: string;
  /** The note says that integers become the nearest float64. */
  readonly rounds?: boolean;
}

/** One file, read row by row. */
export interface RowReader {
  /** The columns of a table; undefined where each row names its own members. Call it first. */
  columns(): Promise<readonly SourceColumn[] | undefined>;
  /** The rows from a position on, some at a time, in order. One call at a time. */
  rows(from: ReadPosition): AsyncGenerator<readonly SourceRow[]>;
}

/** A fault of a whole file: reading it cannot go on. The message names the file. */
export class FileFault extends Error {}
