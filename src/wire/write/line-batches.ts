/** Lines of JSON, cut into bodies of writes while they arrive. */

import { clip } from "../../base/bounded-text.ts";
import { KIB, MIB } from "../../base/byte-sizes.ts";
import { DatabaseError, isDatabaseError } from "../../base/errors.ts";
import { isSpace, withoutMark, withoutSpace } from "../../base/json-bytes.ts";
import type { Steps } from "../../base/steps.ts";
import { skipJson } from "../json/json-body.ts";
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
/** Work between two pauses, in bytes that take a nanosecond or two each. */
const STEP_WORK = 64 * KIB;
/** Work of a line besides its bytes: some hundred nanoseconds. */
const LINE_WORK = 256;

const LINE_FEED = 0x0a;
const OBJECT_START = 0x7b;
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
  /** Space at the beginning of the line that is not held. */
  #blankBytes = 0;
  #line = 1;

  /** `members` are further members of the first write. */
  constructor(members: Readonly<Record<string, unknown>>) {
    this.#members = members;
  }

  /** Takes the next bytes, which are copied. */
  *push(chunk: Uint8Array): Steps<void> {
    let at = 0;
    let work = 0;
    while (at < chunk.length) {
      if (work >= STEP_WORK) {
        yield;
        work = 0;
      }
      if (this.#heldBytes === 0) {
        const start = this.#passBlanks(chunk, at, STEP_WORK - work);
        work += start - at;
        at = start;
        if (work >= STEP_WORK) continue;
      }
      const end = chunk.indexOf(LINE_FEED, at);
      if (end < 0) {
        this.#hold(chunk.subarray(at));
        return;
      }
      work += LINE_WORK + end - at;
      yield* this.#endLine(chunk.subarray(at, end));
      at = end + 1;
    }
  }

  /** Takes the end of the body, where a last line needs no line feed. */
  *end(): Steps<void> {
    if (this.#heldBytes > 0) yield* this.#endLine(new Uint8Array(0));
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

  /**
   * Passes space before a line, and empty lines; returns where something else stands, or where
   * `most` bytes are passed.
   */
  #passBlanks(chunk: Uint8Array, start: number, most: number): number {
    const end = Math.min(chunk.length, start + most);
    let at = start;
    for (; at < end && isSpace(chunk[at]); at++) {
      if (chunk[at] === LINE_FEED) {
        this.#line++;
        this.#blankBytes = 0;
      } else if (++this.#blankBytes > LINE_BYTES_MAX) throw this.#tooLong();
    }
    return at;
  }

  #hold(rest: Uint8Array): void {
    if (rest.length === 0) return;
    this.#heldBytes += rest.length;
    if (this.#heldBytes > LINE_BYTES_MAX) throw this.#tooLong();
    this.#held.push(rest.slice());
  }

  /** Takes a line that ends with those bytes. */
  *#endLine(end: Uint8Array): Steps<void> {
    const document = this.#takeLine(end);
    if (document.length > STEP_WORK) yield* checkLong(document, this.#line);
    else if (document.length > 0) checkShort(document, this.#line);
    if (document.length > 0) {
      this.#documents.push(document);
      this.#lines.push(this.#line);
      this.#bytes += document.length;
    }
    this.#line++;
    this.#blankBytes = 0;
    if (this.#bytes >= BATCH_BYTES || this.#lines.length >= BATCH_LINES_MAX) this.#close();
  }

  /** The line without space around it. */
  #takeLine(end: Uint8Array): Uint8Array {
    const whole = this.#heldBytes === 0 ? end.slice() : Buffer.concat([...this.#held, end]);
    this.#held = [];
    this.#heldBytes = 0;
    if (whole.length > LINE_BYTES_MAX) throw this.#tooLong();
    return withoutSpace(this.#line === 1 ? withoutMark(whole) : whole);
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

/** Makes sure that a line is one object: it cannot end the list that it is put into. */
function checkShort(document: Uint8Array, line: number): void {
  const scanned = scanObject(document);
  if (typeof scanned === "string") throw new LineFault(line, clip(scanned));
}

/** `checkShort` in steps; finds every fault of the syntax. */
function* checkLong(document: Uint8Array, line: number): Steps<void> {
  if (document[0] !== OBJECT_START) return checkShort(document, line);
  try {
    yield* skipJson(document);
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
    throw new LineFault(line, error.message.replace(/^💔 /, ""));
  }
}
