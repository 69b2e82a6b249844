/** Answers of queries for people: documents and groups as tables, one below the other. */

import { countedText } from "../../base/amount-text.ts";
import type { JsonObject, JsonValue } from "../../model/json-value.ts";
import { isJsonNumbers } from "../../model/json-value.ts";
import { jsonText } from "../../wire/json/json-text.ts";
import { clippedText, tableText } from "./table-text.ts";

/** Of a cell: some words are enough to know a document again. */
const CELL_CHARS_MAX = 60;
/** Numbers of a vector that are shown. */
const VECTOR_NUMBERS_SHOWN = 3;

/** The tables of an answer, or of each of several results. */
export function answerText(answer: JsonObject): string {
  const results = answer.get("results");
  const parts = Array.isArray(results) ? results : [answer];
  const texts = parts.map((part) => (part instanceof Map ? resultText(part) : ""));
  const tables = texts.map((text, i) => (texts.length > 1 ? `result ${i + 1}\n${text}` : text));
  return `${tables.join("\n")}${performanceText(answer)}`;
}

function resultText(result: JsonObject): string {
  return [...result]
    .flatMap(([name, value]) => {
      if (name === "billing" || name === "performance") return [];
      const rows = objectsOf(value);
      if (rows !== undefined) return [rowsText(rows, name === "rows" ? "document" : "group")];
      return value instanceof Map ? [rowsText([value], "")] : [`${name} ${cellText(value)}\n`];
    })
    .join("\n");
}

function rowsText(rows: readonly JsonObject[], counted: string): string {
  if (rows.length === 0) return `no ${counted}s\n`;
  const names = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  const columns = names.map((name) => {
    const values = rows.map((row) => row.get(name)).filter((value) => value !== undefined);
    const isNumeric = values.every(
      (value) => typeof value === "number" || typeof value === "bigint",
    );
    return { title: name, align: isNumeric ? ("right" as const) : ("left" as const) };
  });
  const cells = rows.map((row) => names.map((name) => cellText(row.get(name) ?? null)));
  const foot = counted === "" ? "" : `${countedText(rows.length, counted)}\n`;
  return tableText(columns, cells) + foot;
}

/** Elements that are objects all; undefined for everything else. */
function objectsOf(value: JsonValue): readonly JsonObject[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const objects = value.filter((element) => element instanceof Map);
  return objects.length === value.length ? objects : undefined;
}

function performanceText(answer: JsonObject): string {
  const performance = answer.get("performance");
  if (!(performance instanceof Map)) return "";
  return `${performance.get("server_total_ms")} ms on the server`;
}

/** A value in one line; what is longer than a cell ends with `…`. */
function cellText(value: JsonValue): string {
  if (value === null) return "";
  if (typeof value === "string") return clippedText(value, CELL_CHARS_MAX);
  if (isJsonNumbers(value) && value.values.length > 2 * VECTOR_NUMBERS_SHOWN) {
    const start = Array.from(value.values.subarray(0, VECTOR_NUMBERS_SHOWN)).join(", ");
    return `[${start}, … ${value.values.length} numbers]`;
  }
  return clippedText(jsonText(value), CELL_CHARS_MAX);
}
