/** What is shown of documents, as files: JSON Lines and CSV. */

import { csvCell, isFormulaText } from "../../../src/base/csv-cell.ts";
import type { DocumentRow } from "../../api/documents.ts";
import { stringifyExact } from "../../api/exact-json.ts";
import { vectorValues } from "./vector-values.ts";

/** What can be downloaded. */
export type RowFormat = "jsonl" | "csv";

/** Which rows, and what of them. */
export interface ShownRows {
  readonly rows: readonly DocumentRow[];
  readonly columns: readonly string[];
  /** Columns whose values are vectors, in whatever form. */
  readonly vectorColumns: ReadonlySet<string>;
}

/** The text of the file; vectors are arrays of numbers in it, ids exact. */
export function rowsText(format: RowFormat, shown: ShownRows): string {
  return format === "jsonl" ? jsonLines(shown) : commaSeparated(shown);
}

function jsonLines(shown: ShownRows): string {
  const names = ["id", ...shown.columns];
  return shown.rows
    .map((row) => {
      const members = names.map((name) => [name, shownValue(row, name, shown)] as const);
      return `${stringifyExact(Object.fromEntries(members))}\n`;
    })
    .join("");
}

function commaSeparated(shown: ShownRows): string {
  const names = ["id", ...shown.columns];
  const lines = shown.rows.map((row) =>
    names.map((name) => cellText(shownValue(row, name, shown))).join(","),
  );
  return `${[names.map(cellText).join(","), ...lines].join("\r\n")}\r\n`;
}

/** Undefined where the document has no such attribute. */
function shownValue(row: DocumentRow, name: string, { vectorColumns }: ShownRows): unknown {
  const value = row[name];
  if (!vectorColumns.has(name) || value === undefined || value === null) return value;
  const values = vectorValues(value);
  return values === undefined ? value : [...values];
}

/** How many cells of the table as CSV a spreadsheet would run as formulas. */
export function formulaCount({ rows, columns }: Pick<ShownRows, "rows" | "columns">): number {
  const names = ["id", ...columns];
  const isFormula = (value: unknown) => typeof value === "string" && isFormulaText(value);
  return rows.reduce((sum, row) => sum + names.filter((name) => isFormula(row[name])).length, 0);
}

function cellText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return csvCell(typeof value === "string" ? value : stringifyExact(value));
}
