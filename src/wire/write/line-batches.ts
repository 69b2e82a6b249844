/** Lines of JSON, cut into bodies of writes while they arrive. */

import { clip } from "../../base/bounded-text.ts";
import { MIB } from "../../base/byte-sizes.ts";
import { DatabaseError } from "../../base/errors.ts";
import type { Steps } from "../../base/steps.ts";
import { scanObject } from "../json/scan-object.ts";

/** Bytes of lines from which on they are committed; each commit has a price of its own. */
const BATCH_BYTES = 4 * MIB;
/** Lines of a batch. */
const BATCH_LINES_MAX = 10_000;
/** Longest line; larger documents go through the write endpoint. */
const LINE_BYTES_MAX = 16 * MIB;
/**
 * What of an import is in memory at a time: a batch with its last line, the body that is made of
 * it, and what waits for the write thread.
 */
export const IMPORT_HELD_BYTES_MAX = 2 * (BATCH_BYTES + LINE_BYTES_MAX) + 4 * MIB;
/** Lines between two pauses; a line is looked at once, at a nanosecond or two for each byte. */
const STEP_BYTES = 256 * 1024;

const LINE_FEED = 0x0a;
const COMMA = Buffer.from(",");
const END = Buffer.from("]}");

/** A line breaks a rule; `line` counts from 1. */
export class LineFault extends Error {
  readonly line: number;
  readonly code: "malformed" | "too_large";

  constructor(line: number, message: string, code: LineFault["code"] = "malformed") {
    super(message);
    this.line = line;
    this.code = code;
  }
}

/** Documents that are written together. */
export interface LineBatch {
  /** The body of a write. */
  readonly body: Uint8Array;
  /** The line of each row. */
  readonly lines: readonly number[];
}

/** Gathers lines. After a fault it holds the lines before it. */
export class LineBatches {
  #members: Readonly<Record<string, unknown>>;
  readonly #full: LineBatch[] = [];
  #documents: Uint8Array[] = [];
  #lines: number[] = [];
  #bytes = 0;
  /** The beginning of a line whose end has not come. */
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #line = 1;

  /** `members` are further members of the first write. */
  constructor(members: Readonly<Record<string, unknown>>) {
    this.#members = members;
  }

  /** Takes the next bytes, which are copied. */
  *push(chunk: Uint8Array): Steps<void> {
    let start = 0;
    let sliceEnd = STEP_BYTES;
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, start);
      if (end < 0) break;
      this.#endLine(chunk.subarray(start, end));
      start = end + 1;
      if (this.#bytes >= BATCH_BYTES || this.#lines.length >= BATCH_LINES_MAX) {
        this.#close();
      }
      if (start < sliceEnd) continue;
      yield;
      sliceEnd = start + STEP_BYTES;
    }
    this.#hold(chunk.subarray(start));
  }

  /** Takes the end of the body, where a last line needs no line feed. */
  end(): void {
    if (this.#heldBytes > 0) this.#endLine(new Uint8Array(0));
  }

  /** The batches that are full, once. */
  takeFull(): readonly LineBatch[] {
    return this.#full.splice(0);
  }

  /** All lines so far, once. */
  takeAll(): readonly LineBatch[] {
    this.#close();
    return this.takeFull();
  }

  #close(): void {
    if (this.#lines.length === 0) return;
    const head = JSON.stringify(this.#members).slice(1, -1);
    const pieces: Uint8Array[] = [Buffer.from(`{${head}${head === "" ? "" : ","}"upsert_rows":[`)];
    for (const [i, document] of this.#documents.entries()) {
      if (i > 0) pieces.push(COMMA);
      pieces.push(document);
    }
    pieces.push(END);
    this.#full.push({ body: Buffer.concat(pieces), lines: this.#lines });
    this.#members = {};
    this.#documents = [];
    this.#lines = [];
    this.#bytes = 0;
  }

  #hold(rest: Uint8Array): void {
    if (rest.length === 0) return;
    this.#heldBytes += rest.length;
    if (this.#heldBytes > LINE_BYTES_MAX) throw this.#tooLong();
    this.#held.push(rest.slice());
  }

  #endLine(end: Uint8Array): void {
    const line = this.#line;
    const whole = this.#heldBytes === 0 ? end.slice() : Buffer.concat([...this.#held, end]);
    this.#held = [];
    this.#heldBytes = 0;
    if (whole.length > LINE_BYTES_MAX) throw this.#tooLong();
    const document = trimmed(line === 1 ? withoutMark(whole) : whole);
    if (document.length > 0) {
      // A line that is one object cannot end the list that it is put into.
      const scanned = scanObject(document);
      if (typeof scanned === "string") throw new LineFault(line, clip(scanned));
      this.#documents.push(document);
      this.#lines.push(line);
      this.#bytes += document.length;
    }
    this.#line++;
  }

  #tooLong(): LineFault {
    const rule = `a line has at most ${LINE_BYTES_MAX} bytes; send larger documents as a write`;
    return new LineFault(this.#line, rule, "too_large");
  }
}

/** The error for a line, of the code that its fault has. */
export function lineError(fault: LineFault): DatabaseError {
  return new DatabaseError(fault.code, `💔 ${fault.message}`);
}

function trimmed(bytes: Uint8Array): Uint8Array {
  let start = 0;
  let end = bytes.length;
  while (end > start && isSpace(bytes[end - 1])) end--;
  while (start < end && isSpace(bytes[start])) start++;
  return bytes.subarray(start, end);
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0d || byte === 0x09;
}

function withoutMark(bytes: Uint8Array): Uint8Array {
  const isMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return isMark ? bytes.subarray(3) : bytes;
}
