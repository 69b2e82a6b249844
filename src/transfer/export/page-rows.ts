/**
 * The rows of a query's answer as they are written in it. Nothing is parsed and written again, so
 * every value stays the same to the bit: integers of 64 bits, float32 in their shortest decimals.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = new Set([0x7b, 0x5b]);
const CLOSE = new Set([0x7d, 0x5d]);
const ROWS_START = '{"rows":[';

/** Where each row's object stands in the answer. Throws if the answer holds no rows. */
export function pageRows(answer: Buffer): Buffer[] {
  if (answer.toString("latin1", 0, ROWS_START.length) !== ROWS_START) {
    const start = answer.toString("utf8", 0, 80);
    throw new Error(`the answer to a query begins with ${start} instead of its rows`);
  }
  const rows: Buffer[] = [];
  let depth = 0;
  let start = 0;
  for (let at = ROWS_START.length; at < answer.length; at++) {
    const byte = answer[at];
    if (byte === QUOTE) at = stringEnd(answer, at);
    else if (OPEN.has(byte)) {
      if (depth++ === 0) start = at;
    } else if (CLOSE.has(byte)) {
      if (depth-- === 0) return rows; // The end of the rows themselves.
      if (depth === 0) rows.push(answer.subarray(start, at + 1));
    }
  }
  throw new Error("the answer to a query ends within its rows");
}

/** The members of a row: each value as it is written, by its name. */
export function rowMembers(row: Buffer): Map<string, string> {
  const members = new Map<string, string>();
  let at = 1;
  while (row[at] === QUOTE) {
    const nameEnd = stringEnd(row, at) + 1;
    const name = JSON.parse(row.toString("utf8", at, nameEnd)) as string;
    const end = valueEnd(row, nameEnd + 1);
    members.set(name, row.toString("utf8", nameEnd + 1, end));
    at = end + 1;
  }
  return members;
}

/** A row's id as it is written. */
export function idOfRow(row: Buffer): string {
  const id = rowMembers(row.subarray(0, idEnd(row) + 1)).get("id");
  if (id === undefined) throw new Error("a row of an answer does not begin with its id");
  return id;
}

/** Where the value of the first member ends. */
function idEnd(row: Buffer): number {
  return valueEnd(row, stringEnd(row, 1) + 2);
}

/** The index after a value that begins at `start`: of a comma, or of what closes its container. */
function valueEnd(bytes: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = stringEnd(bytes, at);
    else if (OPEN.has(byte)) depth++;
    else if (CLOSE.has(byte)) {
      if (depth-- === 0) return at;
    } else if (byte === 0x2c && depth === 0) return at;
  }
  return bytes.length;
}

/** The index of the quote that ends the string that begins at `start`. */
function stringEnd(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(QUOTE, start + 1); at >= 0; at = bytes.indexOf(QUOTE, at + 1)) {
    let escapes = 0;
    while (bytes[at - 1 - escapes] === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return at;
  }
  throw new Error("the answer to a query ends within a string");
}
