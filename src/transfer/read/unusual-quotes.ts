/**
 * Detects quotes that need a check cell by cell: empty cells in quotes, blanks before a quote, and
 * letters behind a closing one. It searches the bytes of a table, which is fast.
 */

import { BYTE_ORDER_MARK } from "../../base/json-bytes.ts";

const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;

/** See the file's head. Inside of quoted cells and at the edges of chunks it may find too many. */
export class UnusualQuotes {
  readonly #delimiter: number;
  #wereFound = false;
  #areBroken = false;
  #lastByte: number | undefined;
  /**
   * True if the bytes so far end inside a quoted cell; `#mayClose` if the last one may close it.
   */
  #isQuoted = false;
  #mayClose = false;

  /** The delimiter is one letter of ASCII. */
  constructor(delimiter: string) {
    this.#delimiter = delimiter.charCodeAt(0);
  }

  /** True if a letter came behind a closing quote: the parser reads such quotes as letters. */
  get areBroken(): boolean {
    return this.#areBroken;
  }

  /** Checks the next chunk; true for the first that may have such a quote. */
  push(chunk: Uint8Array): boolean {
    this.#areBroken ||= this.#findBroken(chunk);
    const isFirst = !this.#wereFound && (this.#areBroken || this.#mayHaveOne(chunk));
    this.#wereFound ||= isFirst;
    this.#lastByte = chunk.at(-1);
    return isFirst;
  }

  /** Follows cells with quotes from their first quote to the last. */
  #findBroken(chunk: Uint8Array): boolean {
    let from = 0;
    const startsWithMark = this.#lastByte === undefined && chunk[0] === BYTE_ORDER_MARK[0];
    if (this.#mayClose && chunk.length > 0) {
      this.#mayClose = false;
      if (chunk[0] === QUOTE) from = 1;
      else if (this.#isEdge(chunk[0])) this.#isQuoted = false;
      else return true;
    }
    for (let at = chunk.indexOf(QUOTE, from); at >= 0; at = chunk.indexOf(QUOTE, from)) {
      from = at + 1;
      if (!this.#isQuoted) {
        // A quote inside of a cell without quotes is a letter.
        const isBehindMark = startsWithMark && at === BYTE_ORDER_MARK.length;
        const before = at === 0 ? this.#lastByte : chunk[at - 1];
        this.#isQuoted = isBehindMark || this.#isEdge(before);
      } else if (at === chunk.length - 1) this.#mayClose = true;
      else if (chunk[at + 1] === QUOTE) from = at + 2;
      else if (this.#isEdge(chunk[at + 1])) this.#isQuoted = false;
      else return true;
    }
    return false;
  }

  #mayHaveOne(chunk: Uint8Array): boolean {
    const isCut = this.#lastByte === QUOTE || this.#isBlank(this.#lastByte);
    if (isCut && chunk[0] === QUOTE) return true;
    for (let at = chunk.indexOf(QUOTE); at >= 0; at = chunk.indexOf(QUOTE, at + 1)) {
      if (this.#isBlank(chunk[at - 1]) && this.#isCellStart(chunk, at)) return true;
      if (chunk[at + 1] !== QUOTE) continue;
      if (this.#isEdge(chunk[at - 1]) && this.#isEdge(chunk[at + 2])) return true;
    }
    return false;
  }

  /** Returns true if only blanks are between the start of a cell and the byte. */
  #isCellStart(chunk: Uint8Array, end: number): boolean {
    let at = end - 1;
    while (this.#isBlank(chunk[at])) at--;
    return this.#isEdge(chunk[at]);
  }

  #isBlank(byte: number | undefined): boolean {
    return (byte === SPACE || byte === TAB) && byte !== this.#delimiter;
  }

  /** Returns true if a cell may begin or end next to the byte; undefined is in another chunk. */
  #isEdge(byte: number | undefined): boolean {
    if (byte === undefined || byte === this.#delimiter) return true;
    return byte === LINE_FEED || byte === CARRIAGE_RETURN;
  }
}
