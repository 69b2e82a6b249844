/**
 * The terms of texts as small numbers, for indexes. Distinct tokens are kept as UTF-16 units in
 * one array, and found by their hash in another, so that no string is made for a token that was
 * seen before, and none for a text in ASCII whose tokenizer knows a way over its bytes.
 */

import { StringCodes } from "../base/string-codes.ts";
import { withRoom } from "../base/with-room.ts";
import type { Scan } from "./segmentation/legacy-tokenizer.ts";
import { SCAN_STEP_UNITS } from "./segmentation/tokenizer.ts";
import type { AsciiScan } from "./segmentation/word-breaks.ts";

/** Tokens that a table learns; it asks for the terms of others each time. A power of two. */
export const TABLE_TOKENS_MAX = 1 << 17;
/** Longest token that a table learns, in UTF-16 units; words are shorter. */
export const TABLE_TOKEN_UNITS_MAX = 48;
/** Tokens that a new table has room for. */
const TABLE_TOKENS_MIN = 1 << 8;
/** Slots that are looked at for a token, so that tokens of one hash cost no more than strings. */
const PROBES_MAX = 32;

/** Knuth's multiplier, 2^32 over the golden ratio: spreads a hash over its upper bits. */
const HASH_FACTOR = 0x9e3779b1;

/** Bytes that are looked at without a branch for each. */
const ASCII_BLOCK_BYTES = 4096;

/** Code of a token that is dropped. */
const DROPPED = -1;

/** How texts become terms. */
export interface TermTableOptions {
  readonly scan: Scan;
  /** The same tokens from the bytes of ASCII text. */
  readonly asciiScan: AsciiScan | undefined;
  /** The term of a token; undefined drops it. */
  readonly termOf: (token: string) => string | undefined;
}

/** Gives terms codes, from 0 in the order in which they are first met; for one user at a time. */
export class TermTable {
  readonly #options: TermTableOptions;
  readonly #terms = new StringCodes();
  /** A hash, and behind it a number of a token plus 1, or 0. Half of the slots are free. */
  #slots = new Int32Array(4 * TABLE_TOKENS_MIN);
  /** Bits by which a spread hash is shifted to be a number of a slot. */
  #shift = 32 - Math.log2(2 * TABLE_TOKENS_MIN);
  #tokenCount = 0;
  /** By token: its end in `#units`, where the next one starts, and the code of its term. */
  #ends = new Uint32Array(TABLE_TOKENS_MIN + 1);
  #codes = new Int32Array(TABLE_TOKENS_MIN);
  #units = new Uint16Array(8 * TABLE_TOKENS_MIN);
  /** The text: by its bytes if `#text` is undefined. */
  #bytes: Uint8Array = new Uint8Array(0);
  #text: string | undefined;
  /** Start of its next part, and its end. */
  #at = 0;
  #end = 0;
  #tokensVisited = 0;
  /** The token that is looked for. */
  readonly #token = new Uint16Array(TABLE_TOKEN_UNITS_MAX);

  constructor(options: TermTableOptions) {
    this.#options = options;
  }

  /** How many terms have codes. */
  get size(): number {
    return this.#terms.size;
  }

  /** True when it learns no further token, or has more terms than it learns tokens. */
  get isLarge(): boolean {
    return this.#tokenCount === TABLE_TOKENS_MAX || this.#terms.size > TABLE_TOKENS_MAX;
  }

  /** The term with a code. */
  stringOf(code: number): string {
    return this.#terms.stringOf(code);
  }

  /** The code of a term that has one. */
  codeOf(term: string): number {
    return this.#terms.codeOf(term);
  }

  /** Tokens of the text so far, dropped ones included. */
  get tokenCount(): number {
    return this.#tokensVisited;
  }

  /** Begins a text, which lies from `start` to `end` as UTF-8, perhaps in shared memory. */
  begin(bytes: Uint8Array, start: number, end: number): void {
    const isAsciiText = this.#options.asciiScan !== undefined && isAscii(bytes, start, end);
    this.#bytes = bytes;
    this.#text = isAsciiText ? undefined : decode(bytes, start, end);
    this.#at = isAsciiText ? start : 0;
    this.#end = this.#text?.length ?? end;
    this.#tokensVisited = 0;
  }

  /**
   * Visits the codes of the terms of the text's next part in their order, each with its position:
   * how many tokens are before it, dropped ones included. A part takes some 0.1 ms, unless a token
   * is longer. Returns true if there are more parts.
   */
  advance(visit: (code: number, position: number) => void): boolean {
    const { scan, asciiScan } = this.#options;
    const bytes = this.#bytes;
    const text = this.#text;
    const range = { start: this.#at, until: this.#at + SCAN_STEP_UNITS, end: this.#end };
    let position = this.#tokensVisited;
    const visitCode = (code: number): void => {
      if (code !== DROPPED) visit(code, position);
      position++;
    };
    if (text !== undefined) {
      this.#at = scan(text, range, (from, to) => visitCode(this.#codeOfUnits(text, from, to)));
    } else if (asciiScan !== undefined) {
      this.#at = asciiScan(bytes, range, (from, to) =>
        visitCode(this.#codeOfBytes(bytes, from, to)),
      );
    }
    this.#tokensVisited = position;
    return this.#at < this.#end;
  }

  #codeOfBytes(bytes: Uint8Array, start: number, end: number): number {
    const length = end - start;
    if (length > TABLE_TOKEN_UNITS_MAX) return this.#codeOfTerm(decode(bytes, start, end));
    const token = this.#token;
    let hash = 0;
    for (let i = 0; i < length; i++) {
      const unit = bytes[start + i];
      token[i] = unit;
      hash = (Math.imul(hash, 31) + unit) | 0;
    }
    return this.#codeOfToken(hash, length);
  }

  #codeOfUnits(text: string, start: number, end: number): number {
    const length = end - start;
    if (length > TABLE_TOKEN_UNITS_MAX) return this.#codeOfTerm(text.slice(start, end));
    const token = this.#token;
    let hash = 0;
    for (let i = 0; i < length; i++) {
      const unit = text.charCodeAt(start + i);
      token[i] = unit;
      hash = (Math.imul(hash, 31) + unit) | 0;
    }
    return this.#codeOfToken(hash, length);
  }

  /** Of the token in `#token`. */
  #codeOfToken(hash: number, length: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = 2 * (Math.imul(hash, HASH_FACTOR) >>> this.#shift);
    for (let probe = 0; probe < PROBES_MAX; probe++) {
      const next = slots[slot + 1];
      if (next === 0) return this.#learn(hash, length);
      if (slots[slot] === hash && this.#isToken(next - 1, length)) return this.#codes[next - 1];
      slot = (slot + 2) & mask;
    }
    return this.#codeOfTerm(this.#tokenText(length));
  }

  #isToken(number: number, length: number): boolean {
    const units = this.#units;
    const token = this.#token;
    const start = this.#ends[number];
    if (this.#ends[number + 1] - start !== length) return false;
    for (let i = 0; i < length; i++) if (units[start + i] !== token[i]) return false;
    return true;
  }

  #learn(hash: number, length: number): number {
    const code = this.#codeOfTerm(this.#tokenText(length));
    if (this.#tokenCount === TABLE_TOKENS_MAX) return code;
    const number = this.#tokenCount++;
    if (number === this.#codes.length) this.#grow();
    const start = this.#ends[number];
    this.#units = withRoom(this.#units, start + length);
    for (let i = 0; i < length; i++) this.#units[start + i] = this.#token[i];
    this.#ends[number + 1] = start + length;
    this.#codes[number] = code;
    this.#place(number, hash);
    return code;
  }

  #codeOfTerm(token: string): number {
    const term = this.#options.termOf(token);
    return term === undefined ? DROPPED : this.#terms.codeOf(term);
  }

  #tokenText(length: number): string {
    return String.fromCharCode(...this.#token.subarray(0, length));
  }

  /** Puts a token in the first free slot, if that is one of those that are looked at. */
  #place(number: number, hash: number): void {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = 2 * (Math.imul(hash, HASH_FACTOR) >>> this.#shift);
    for (let probe = 0; probe < PROBES_MAX; probe++) {
      if (slots[slot + 1] === 0) {
        slots[slot] = hash;
        slots[slot + 1] = number + 1;
        return;
      }
      slot = (slot + 2) & mask;
    }
  }

  /** Doubles the room for tokens. */
  #grow(): void {
    const old = this.#slots;
    this.#slots = new Int32Array(2 * old.length);
    this.#shift--;
    this.#ends = withRoom(this.#ends, 2 * this.#codes.length + 1);
    this.#codes = withRoom(this.#codes, 2 * this.#codes.length);
    for (let slot = 0; slot < old.length; slot += 2) {
      if (old[slot + 1] !== 0) this.#place(old[slot + 1] - 1, old[slot]);
    }
  }
}

function isAscii(bytes: Uint8Array, start: number, end: number): boolean {
  for (let from = start; from < end; from += ASCII_BLOCK_BYTES) {
    const to = Math.min(from + ASCII_BLOCK_BYTES, end);
    let all = 0;
    for (let i = from; i < to; i++) all |= bytes[i];
    if (all >= 0x80) return false;
  }
  return true;
}

function decode(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString();
}
