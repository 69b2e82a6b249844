/**
 * The rows of a query's answer as they are written in it. Nothing is parsed and written again, so
 * every value stays the same to the bit: integers of 64 bits, float32 in their shortest decimals.
 */

import { scanArray, scanObject } from "../../wire/json/scan-object.ts";

const ROWS_START = '{"rows":[';

/** The bytes of each row's object. Throws if the answer holds no rows, or ends within them. */
export function pageRows(answer: Buffer): Buffer[] {
  if (answer.toString("latin1", 0, ROWS_START.length) !== ROWS_START) {
    const start = answer.toString("utf8", 0, 80);
    throw new Error(`the answer to a query begins with ${start} instead of its rows`);
  }
  const rows = scanArray(answer, ROWS_START.length - 1);
  if (rows === undefined) throw new Error("the answer to a query ends within its rows");
  return rows.map(({ start, end }) => answer.subarray(start, end));
}

/** The members of a row: each value as it is written, by its name. */
export function rowMembers(row: Buffer): Map<string, string> {
  const members = scanObject(row);
  if (typeof members === "string") throw new Error(`a row of an answer is malformed: ${members}`);
  return new Map(members.map(({ name, start, end }) => [name, row.toString("utf8", start, end)]));
}

/** A row's id as it is written. */
export function idOfRow(row: Buffer): string {
  const id = rowMembers(row).get("id");
  if (id === undefined) throw new Error("a row of an answer has no id");
  return id;
}
