import { assert } from "../../base/assert.ts";

/** Small bodies come in one chunk, and the first chunk sets the size. */
const WINDOW_BYTES_MIN = 256;
const NEWLINE = 0x0a;
/** Bytes that are checked for a newline one by one before `indexOf` is called. */
const NEAR_BYTES = 32;
/** Space after the last byte for the zero and for loads of a word that start before it. */
const LOAD_BYTES = 8;

/**
 * The signal that the bytes received so far end inside a value. Not an Error: it is thrown up to
 * once per chunk, so it carries no stack.
 */
export const NEED_MORE_BYTES = Object.freeze({ signal: "more bytes are needed" });

/**
 * The signal that a token is too long for one step: what runs is undone, and runs again after a
 * pause, when it finds what was done of the token. No Error for the same reason.
 */
export const PAUSE_IN_TOKEN = Object.freeze({ signal: "a pause" });

/**
 * The unread part of a body that is still being received: bytes from `at` to `limit` of `bytes`.
 * Read bytes are dropped when room is needed, so the window grows with the longest stretch that
 * the reader must see at once, not with the body. `bytes[limit]` is always 0, which no JSON token
 * contains: loops may run without looking at `limit`, and look at it only when they stop.
 */
export class ByteWindow {
  /** Replaced by `push`: never keep it across one. */
  bytes: Buffer;
  /** The same bytes, for loads of whole words; readable up to `LOAD_BYTES` beyond `limit`. */
  view: DataView;
  at = 0;
  limit = 0;
  /** Whether the body is complete. */
  ended = false;

  #droppedBytes = 0;
  /** Lines of the dropped bytes. */
  #dropped: LineCount = { lines: 0, lineStart: 0 };
  /** Lines of the bytes before `#countedTo`, so that no caller counts all lines at once. */
  #counted: LineCount = this.#dropped;
  #countedTo = 0;

  constructor(capacity = WINDOW_BYTES_MIN) {
    this.bytes = Buffer.allocUnsafe(capacity + LOAD_BYTES);
    this.view = viewOf(this.bytes);
    this.bytes[0] = 0;
  }

  /** Position in the body of the next unread byte. */
  get offset(): number {
    return this.#droppedBytes + this.at;
  }

  /** Position in the body of the first byte of `bytes`. */
  get base(): number {
    return this.#droppedBytes;
  }

  /** Counts lines up to a byte, by default the next unread one; to be called now and then. */
  countLines(end = this.at): void {
    if (end <= this.#countedTo) return;
    this.#counted = this.#countLines(end);
    this.#countedTo = end;
  }

  /** Copies `chunk` to the end. Amortized cost is linear in the bytes pushed. */
  push(chunk: Uint8Array): void {
    assert(!this.ended, "bytes after the end of a body");
    if (this.limit + chunk.length + LOAD_BYTES > this.bytes.length) this.#makeRoom(chunk.length);
    this.bytes.set(chunk, this.limit);
    this.limit += chunk.length;
    this.bytes[this.limit] = 0;
  }

  /** Line and column of the byte at `at`, both from 1; columns count bytes. */
  position(at: number): { line: number; column: number } {
    const seen = this.#countLines(at);
    return { line: seen.lines + 1, column: this.#droppedBytes + at - seen.lineStart + 1 };
  }

  #makeRoom(chunkBytes: number): void {
    this.#dropped = this.#countLines(this.at);
    this.#countedTo -= this.at;
    if (this.#countedTo <= 0) {
      this.#counted = this.#dropped;
      this.#countedTo = 0;
    }
    this.#droppedBytes += this.at;

    const unread = this.bytes.subarray(this.at, this.limit);
    const needed = unread.length + chunkBytes + LOAD_BYTES;
    // Only a window that is at most half full is moved in place: else moves could be frequent.
    if (needed * 2 > this.bytes.length) {
      this.bytes = Buffer.allocUnsafe(needed * 2);
      this.view = viewOf(this.bytes);
    }
    this.bytes.set(unread);
    this.limit = unread.length;
    this.at = 0;
  }

  #countLines(end: number): LineCount {
    const { bytes } = this;
    const isCounted = end >= this.#countedTo;
    let { lines, lineStart } = isCounted ? this.#counted : this.#dropped;
    let at = bytes.indexOf(NEWLINE, isCounted ? this.#countedTo : 0);
    while (at !== -1 && at < end) {
      lines++;
      lineStart = this.#droppedBytes + ++at;
      // Calling `indexOf` costs as much as checking some bytes one by one; short lines have no
      // more.
      const near = Math.min(end, at + NEAR_BYTES);
      while (at < near && bytes[at] !== NEWLINE) at++;
      if (at === near) at = bytes.indexOf(NEWLINE, at);
    }
    return { lines, lineStart };
  }
}

/** Lines before some place of the body. */
interface LineCount {
  readonly lines: number;
  /** Offset in the body just after the last newline. */
  readonly lineStart: number;
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
