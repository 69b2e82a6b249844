/** A JSON array of objects, as `json.dump` and `jq -s` write it. */

import { MIB } from "../../base/byte-sizes.ts";
import { BYTE_ORDER_MARK } from "../../base/json-bytes.ts";
import type { ByteSource } from "./byte-source.ts";
import { LINE_BYTES_MAX } from "./json-lines-reader.ts";
import {
  FileFault,
  type ReadPosition,
  type RowReader,
  type SourceColumn,
  type SourceRow,
} from "./source-row.ts";

const BYTE = {
  lineFeed: 0x0a,
  quote: 0x22,
  comma: 0x2c,
  arrayStart: 0x5b,
  backslash: 0x5c,
  arrayEnd: 0x5d,
  objectStart: 0x7b,
  objectEnd: 0x7d,
} as const;

/** See the file's head. Elements are cut out, not checked: that is for who takes the rows. */
export class JsonArrayReader implements RowReader {
  readonly #source: ByteSource;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  async columns(): Promise<readonly SourceColumn[] | undefined> {
    return undefined;
  }

  async *rows(from: ReadPosition): AsyncGenerator<readonly SourceRow[]> {
    const cutter = new ElementCutter(this.#source.name, from);
    for await (const chunk of this.#source.open(from.offset)) {
      const rows = cutter.push(chunk);
      if (rows.length > 0) yield rows;
    }
    cutter.end();
  }
}

/** Cuts the elements out of an array that arrives in chunks. */
class ElementCutter {
  readonly #name: string;
  /** Bytes from the start of the element, or of what stands between two, that is being read. */
  #held: Uint8Array = new Uint8Array(0);
  /** How far `#held` was looked at. */
  #at = 0;
  #elementStart: number | undefined;
  #depth = 0;
  #inString = false;
  #state: "before" | "inside" | "after" = "before";
  #elementLine: number;
  #line: number;
  #rowCount: number;
  /** Offset in the file of the first byte of `#held`. */
  #heldOffset: number;

  constructor(name: string, from: ReadPosition) {
    this.#name = name;
    this.#line = from.line;
    this.#elementLine = from.line;
    this.#rowCount = from.rows;
    this.#heldOffset = from.offset;
    if (from.offset > 0) this.#state = "inside";
  }

  push(chunk: Uint8Array): SourceRow[] {
    const rows: SourceRow[] = [];
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    if (bytes.length > LINE_BYTES_MAX + chunk.length + MIB) {
      throw this.#fault(`an element has at most ${LINE_BYTES_MAX} bytes`);
    }
    let at = this.#at;
    for (; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === BYTE.lineFeed) this.#line++;
      if (this.#inString) {
        if (byte === BYTE.backslash) at++;
        else if (byte === BYTE.quote) this.#inString = false;
      } else if (this.#state === "inside") {
        this.#inside(rows, bytes, at);
      } else if (byte > 0x20) {
        this.#outside(bytes, at);
      }
    }
    const start = this.#elementStart ?? Math.min(at, bytes.length);
    this.#held = bytes.subarray(start);
    this.#heldOffset += start;
    // A backslash at the end leaves the position behind it: the escaped byte is not looked at.
    this.#at = at - start;
    if (this.#elementStart !== undefined) this.#elementStart = 0;
    return rows;
  }

  end(): void {
    if (this.#state === "before") throw this.#fault("the file is empty; expected a JSON array");
    if (this.#state === "inside") throw this.#fault("the array is not closed: the file is cut off");
  }

  #inside(rows: SourceRow[], bytes: Uint8Array, at: number): void {
    const byte = bytes[at];
    if (byte <= 0x20) return;
    const isElementEnd = byte === BYTE.comma || byte === BYTE.arrayEnd;
    if (this.#depth === 0 && isElementEnd) {
      this.#endElement(rows, bytes, at);
      if (byte === BYTE.arrayEnd) this.#state = "after";
      return;
    }
    if (this.#elementStart === undefined) {
      this.#elementStart = at;
      this.#elementLine = this.#line;
    }
    if (byte === BYTE.quote) this.#inString = true;
    else if (byte === BYTE.objectStart || byte === BYTE.arrayStart) this.#depth++;
    else if (byte === BYTE.objectEnd || byte === BYTE.arrayEnd) this.#depth--;
    if (this.#depth < 0) throw this.#fault("a brace is closed that was not opened");
  }

  #endElement(rows: SourceRow[], bytes: Uint8Array, at: number): void {
    const isClosing = bytes[at] === BYTE.arrayEnd;
    if (this.#elementStart === undefined) {
      // `[]`, and the end after a position behind the last comma.
      if (isClosing) return;
      throw this.#fault("there is nothing before this comma");
    }
    this.#rowCount++;
    // The comma comes along, so that a reader may begin at the next element.
    const offset = this.#heldOffset + at + (isClosing ? 0 : 1);
    const next = { rows: this.#rowCount, line: this.#line, offset };
    const text = trimEnd(bytes.subarray(this.#elementStart, at));
    rows.push({ line: this.#elementLine, next, content: { kind: "json", text } });
    this.#elementStart = undefined;
  }

  #outside(bytes: Uint8Array, at: number): void {
    // The mark may arrive in pieces.
    if (bytes[at] === BYTE_ORDER_MARK[this.#heldOffset + at]) return;
    if (this.#state === "before" && bytes[at] === BYTE.arrayStart) {
      this.#state = "inside";
      return;
    }
    const where = this.#state === "before" ? "expected [" : "expected nothing after the array";
    throw this.#fault(`${where}, got ${JSON.stringify(String.fromCharCode(bytes[at]))}`);
  }

  #fault(what: string): FileFault {
    return new FileFault(`${this.#name}:${this.#line}: ${what}`);
  }
}

function trimEnd(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] <= 0x20) end--;
  return bytes.subarray(0, end);
}
