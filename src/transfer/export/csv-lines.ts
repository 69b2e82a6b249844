/**
 * Rows as CSV (RFC 4180) in the order of the schema. Numbers and booleans stand as in JSON, texts
 * as they are, arrays and vectors as JSON; null is an empty cell, an empty text a quoted one.
 */

import { rowMembers } from "./page-rows.ts";

const NEEDS_QUOTES = /[",\r\n]|^\s|\s$|^$/;

/** The first line: names of the columns. */
export function csvHeader(columns: readonly string[]): string {
  return `${columns.map(quoted).join(",")}\n`;
}

/** One row. */
export function csvLine(columns: readonly string[], row: Buffer): string {
  const members = rowMembers(row);
  return `${columns.map((name) => cellText(members.get(name))).join(",")}\n`;
}

function cellText(json: string | undefined): string {
  if (json === undefined || json === "null") return "";
  return quoted(json.startsWith('"') ? (JSON.parse(json) as string) : json);
}

function quoted(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
