/**
 * Rows as CSV (RFC 4180) in the order of the schema. Numbers and booleans stand as in JSON, texts
 * as they are, arrays and vectors as JSON; null is an empty cell, an empty text a quoted one.
 */

import { csvCell, isFormulaText } from "../../base/csv-cell.ts";
import { rowMembers } from "./page-rows.ts";

/** How a text becomes a cell: as it is, or so that no spreadsheet runs it. */
export type TextCell = (text: string) => string;

/** An apostrophe stands before what would be a formula. It comes back from an import, too. */
export function harmlessCell(text: string): string {
  return csvCell(isFormulaText(text) ? `'${text}` : text);
}

/** The first line: names of the columns. */
export function csvHeader(columns: readonly string[], textCell: TextCell): string {
  return `${columns.map(textCell).join(",")}\n`;
}

/** One row. */
export function csvLine(columns: readonly string[], row: Buffer, textCell: TextCell): string {
  const members = rowMembers(row);
  return `${columns.map((name) => cellOf(members.get(name), textCell)).join(",")}\n`;
}

function cellOf(json: string | undefined, textCell: TextCell): string {
  if (json === undefined || json === "null") return "";
  return json.startsWith('"') ? textCell(JSON.parse(json) as string) : csvCell(json);
}
