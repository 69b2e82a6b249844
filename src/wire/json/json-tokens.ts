import { clip } from "../../base/bounded-text.ts";
import { MIB } from "../../base/byte-sizes.ts";
import { type DatabaseError, invalid } from "../../base/errors.ts";
import { ByteWindow, NEED_MORE_BYTES, PAUSE_IN_TOKEN } from "./byte-window.ts";
import { foreignSyntax } from "./foreign-syntax.ts";
import { NUMBER_BYTES_MAX, NumberScanner } from "./json-numbers.ts";
import { JsonStack } from "./json-stack.ts";
import { type StringFault, StringScanner, TOO_LONG } from "./json-strings.ts";
import { LONG_PIECE_BYTES, LongString } from "./long-string.ts";

/** The bytes that JSON's grammar knows. */
export const JSON_BYTE = {
  quote: 0x22,
  comma: 0x2c,
  minus: 0x2d,
  zero: 0x30,
  nine: 0x39,
  colon: 0x3a,
  arrayStart: 0x5b,
  backslash: 0x5c,
  arrayEnd: 0x5d,
  f: 0x66,
  n: 0x6e,
  t: 0x74,
  objectStart: 0x7b,
  objectEnd: 0x7d,
} as const;

/** By byte: 1 for what an array of numbers has between its brackets, else 0. */
const NUMBER_BYTES = Uint8Array.from({ length: 256 }, (_, byte) =>
  "0123456789+-.eE, \t\n\r".includes(String.fromCharCode(byte)) ? 1 : 0,
);

/** Nesting of arrays and objects in a body; our choice, far above any legal request. */
const JSON_DEPTH_MAX = 64;

/** How long a member's name may be where the caller knows a limit. */
export interface NameBound {
  /** Greatest length in JSON, between the quotes; short strings are not checked. */
  readonly bytesMax: number;
  /** The error for a longer one; `start` is its beginning as it stands in the JSON. */
  readonly refuse: (start: string) => DatabaseError;
}

/** How far an array was looked at, and the numbers that it has up to there, the next one included. */
export interface NumberScan {
  /** From the window's position. */
  bytes: number;
  count: number;
}

/**
 * How many parts a value may have: elements and members, those of inner values included; what a
 * container costs besides counts as some more.
 */
export interface PartsBound {
  readonly countMax: number;
  /** Bytes of strings that count as a part. */
  readonly stringBytes: number;
  /** The error for one more; `path` is of the value that has it. */
  readonly refuse: (path: string) => DatabaseError;
}

const UNBOUNDED: PartsBound = {
  countMax: Number.MAX_SAFE_INTEGER,
  stringBytes: 1,
  refuse: (path) => invalid(`💔 ${path}: too many values`),
};

/** What an object in memory costs, in strings and numbers. */
const OBJECT_PARTS = 16;
/** What an array in memory costs, likewise. */
const ARRAY_PARTS = 4;

/**
 * Bytes of JSON of an array of numbers within a bound, which is read in one step; our choice:
 * twenty for each of a million.
 */
const BOUNDED_NUMBERS_BYTES_MAX = 24 * MIB;
/** Bytes of JSON of a member's name; our choice, far more than any name has. */
const NAME_BYTES_MAX = 1_048_576;

/** Beyond all windows, as a small integer, which loops compare with fastest. */
const NO_END = 2 ** 30 - 1;

/** No byte up to this one starts a token. */
const SPACE = 0x20;

/** Said where a second object follows the first. */
const ONE_VALUE =
  "the body is one JSON value; documents of JSON lines are sent as the elements of one array, as " +
  'in {"upsert_rows": [{"id": 1}, {"id": 2}]}';

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/**
 * The grammar of JSON, token by token: what may follow what, and what is wrong otherwise. Each
 * method throws NEED_MORE_BYTES where the bytes received so far end inside its token, and may then
 * have moved: only the holder of a saved state can go on.
 */
export class JsonTokens {
  readonly window: ByteWindow;
  readonly stack = new JsonStack();
  readonly numbers: NumberScanner;
  readonly #strings = new StringScanner();
  /** True if long tokens throw `PAUSE_IN_TOKEN`: the current step is undone and runs again. */
  mayPause = false;
  /**
   * Strings and space that are read in part, by their offset in the body; all of what runs again,
   * or it would never come to its end.
   */
  readonly #longStrings = new Map<number, LongString>();
  /** Up to where space was seen. */
  readonly #spaces = new Map<number, number>();
  #partsLeft = UNBOUNDED.countMax;
  #partsRead = 0;
  #parts = UNBOUNDED;

  /** The window has room for `bodyBytes` at first. */
  constructor(bodyBytes?: number) {
    this.window = new ByteWindow(bodyBytes);
    this.numbers = new NumberScanner(this.window);
  }

  /** Skips space and returns the byte that the next token starts with. */
  peek(): number {
    const window = this.window;
    const bytes = window.bytes;
    let at = window.at;
    let byte = bytes[at];
    if (isSpace(byte)) {
      at = this.#spaceEnd();
      byte = bytes[at];
    }
    window.at = at;
    if (byte === 0 && at === window.limit) return this.#runOut();
    if (byte === 0xef && window.offset === 0) return this.#skipByteOrderMark();
    return byte;
  }

  /**
   * Returns the end of the space that begins at the next byte; earlier calls may have read some of
   * it.
   */
  #spaceEnd(): number {
    const { bytes, at: start, base, offset } = this.window;
    const isBounded = this.#parts !== UNBOUNDED;
    const seen = this.mayPause ? this.#spaces.get(offset) : undefined;
    let at = seen === undefined ? start : seen - base;
    const stop = this.mayPause || isBounded ? at + LONG_PIECE_BYTES : NO_END;
    while (isSpace(bytes[at]) && at < stop) at++;
    if (at < stop) return at;
    if (isBounded) throw this.fault(`more than ${LONG_PIECE_BYTES} bytes of space`);
    this.#spaces.set(offset, base + at);
    this.window.countLines(at);
    throw PAUSE_IN_TOKEN;
  }

  /** Forgets long tokens: what has read them does not run again. */
  forgetLong(): void {
    if (this.#spaces.size > 0) this.#spaces.clear();
    if (this.#longStrings.size > 0) this.#longStrings.clear();
  }

  /** Reads the bracket that opens a container; the caller has seen it. */
  open(isObject: boolean): void {
    if (this.stack.depth === JSON_DEPTH_MAX) {
      throw this.fault(`nested deeper than ${JSON_DEPTH_MAX} levels`);
    }
    this.stack.open(isObject);
    this.window.at++;
    this.#partsLeft -= isObject ? OBJECT_PARTS : ARRAY_PARTS;
    if (this.#partsLeft < 0) throw this.#tooManyParts();
  }

  /**
   * Reads `end` and leaves the container, or reads the comma that the next element or member
   * needs; true for the former.
   */
  closes(end: number): boolean {
    const { stack, window } = this;
    const { bytes, at } = window;
    // The usual case, a comma and at once the next value, costs one look at each.
    if (bytes[at] === JSON_BYTE.comma && stack.count > 0) {
      const next = bytes[at + 1];
      if (next > SPACE && next !== end) {
        window.at = at + 1;
        stack.count++;
        if (--this.#partsLeft < 0) throw this.#tooManyParts();
        return false;
      }
    }
    const byte = this.peek();
    if (byte === end) {
      window.at++;
      stack.close();
      return true;
    }
    if (stack.count > 0) {
      if (byte !== JSON_BYTE.comma) {
        throw this.unexpected(`expected \`,\` or \`${String.fromCharCode(end)}\``);
      }
      window.at++;
      if (this.peek() === end) throw this.fault("trailing comma");
    }
    stack.count++;
    if (--this.#partsLeft < 0) throw this.#tooManyParts();
    return false;
  }

  /** Runs `read` and refuses what has more parts than `bound` allows. */
  withBound<T>(bound: PartsBound, read: () => T): T {
    this.#parts = bound;
    // The value itself is free.
    const isObject = this.peek() === JSON_BYTE.objectStart;
    const countMax = bound.countMax + (isObject ? OBJECT_PARTS : ARRAY_PARTS);
    this.#partsLeft = countMax;
    try {
      return read();
    } finally {
      this.#partsRead = countMax - this.#partsLeft;
      this.#parts = UNBOUNDED;
      this.#partsLeft = UNBOUNDED.countMax;
    }
  }

  /** Parts of the value that was read last within a bound, where the value itself is not free. */
  get partsRead(): number {
    return this.#partsRead;
  }

  #tooManyParts(): DatabaseError {
    return this.#parts.refuse(this.stack.path());
  }

  /**
   * Reads the next member's name and colon, or `}` and returns undefined. Allows duplicates. A name
   * beyond `bound` is refused as soon as that is seen.
   */
  nextName(bound?: NameBound): string | undefined {
    if (this.closes(JSON_BYTE.objectEnd)) return undefined;
    if (this.peek() !== JSON_BYTE.quote) {
      throw this.unexpected("expected a member's name in quotes");
    }
    const name = this.string(bound, NAME_BYTES_MAX);
    this.stack.name = name;
    if (this.peek() !== JSON_BYTE.colon) throw this.fault("expected `:`");
    this.window.at++;
    return name;
  }

  /** The error for a member whose name the object has already. */
  duplicate(): DatabaseError {
    return this.fault("duplicate key");
  }

  /**
   * Reads a string; the caller has seen its quote. See `nextName` for `bound`; one that takes
   * several steps may have `bytesMax`.
   */
  string(bound?: NameBound, bytesMax = NO_END): string {
    const { window } = this;
    const text = this.#strings.short(window.bytes, window.at);
    if (text === undefined) return this.#longerString(bound, bytesMax);
    this.#passString();
    return text;
  }

  /** Reads a string that `short` did not read. */
  #longerString(bound: NameBound | undefined, bytesMax: number): string {
    if (this.#isKnownLong) return this.#longString(true, bytesMax).text;
    const { window } = this;
    const text = this.#strings.rest(window.bytes, window.at, this.#stringStop);
    if (bound !== undefined) {
      const isSuspect = typeof text === "object" || this.#strings.end - window.at > bound.bytesMax;
      if (isSuspect) this.#checkBound(bound);
    }
    if (text === TOO_LONG) return this.#longString(true, bytesMax).text;
    if (typeof text === "object") throw this.#stringFault(text);
    this.#passString();
    return text;
  }

  /** True if pieces of the next string were read, so that reading continues after them. */
  get #isKnownLong(): boolean {
    return this.#longStrings.size > 0 && this.#longStrings.has(this.window.offset);
  }

  /** Where a string ends at the latest that is read in one step. */
  get #stringStop(): number {
    const { at } = this.window;
    if (this.#parts !== UNBOUNDED) return at + this.#partsLeft * this.#parts.stringBytes;
    return this.mayPause ? at + LONG_PIECE_BYTES : NO_END;
  }

  /** Reads a piece of a long string; the last piece ends it. */
  #longString(keepsText: boolean, bytesMax: number): LongString {
    if (this.#parts !== UNBOUNDED) throw this.#tooManyParts();
    const { window } = this;
    const { offset } = window;
    const long = this.#longStrings.get(offset) ?? new LongString(offset, keepsText);
    this.#longStrings.set(offset, long);
    const end = long.take(window.bytes, window.base, window.limit);
    switch (end.kind) {
      case "end":
        window.at = end.at + 1;
        return long;
      case "more":
        if (long.bytes > bytesMax) throw this.#tooLong(bytesMax);
        throw PAUSE_IN_TOKEN;
      case "cut":
        return this.#runOut();
      case "fault":
        throw this.fault(end.fault.what, end.fault.at);
    }
  }

  #tooLong(bytesMax: number): DatabaseError {
    const rule = `a string here may have at most ${bytesMax} bytes of JSON`;
    const path = this.stack.path() || "the body";
    return invalid(`💔 ${path}: ${rule} ${this.where(this.window.at)}`);
  }

  /** Passes a string, which is checked all the same; the caller has seen its quote. */
  skipString(): void {
    const { bytes, at } = this.window;
    const fault = this.#isKnownLong ? TOO_LONG : this.#strings.pass(bytes, at, this.#stringStop);
    if (fault === undefined) this.#passString();
    else if (fault === TOO_LONG) this.#longString(false, NO_END);
    else throw this.#stringFault(fault);
  }

  /** Goes on behind the string that was read. */
  #passString(): void {
    const { window } = this;
    const { end } = this.#strings;
    if (this.#parts !== UNBOUNDED) {
      this.#partsLeft -= (end - window.at) / this.#parts.stringBytes;
      if (this.#partsLeft < 0) throw this.#tooManyParts();
    }
    window.at = end;
  }

  #stringFault({ at, what }: StringFault): DatabaseError {
    if (at >= this.window.limit) this.#runOut();
    return this.fault(what, at);
  }

  /** The bytes between the next quote, which the caller has seen, and the one after it. */
  rawString(): Buffer {
    const { window } = this;
    const end = window.bytes.indexOf(JSON_BYTE.quote, window.at + 1);
    if (end === -1 || end >= window.limit) this.#runOut();
    return window.bytes.subarray(window.at + 1, end);
  }

  /**
   * How many numbers the array has that was just opened, if it has nothing else: 0 otherwise. Where
   * its syntax is wrong, what it seems to have. Undefined if that is not seen before `end` of the
   * window: then `scan`, which begins as one number at the window's position, goes on from there.
   */
  countNumbers(scan: NumberScan, end: number): number | undefined {
    const { bytes, at: start, limit, ended } = this.window;
    let at = start + scan.bytes;
    let { count } = scan;
    let byte = bytes[at];
    const isBounded = this.#parts !== UNBOUNDED;
    const stop = isBounded ? Math.min(end, start + BOUNDED_NUMBERS_BYTES_MAX) : end;
    while (NUMBER_BYTES[byte] !== 0 && at < stop) {
      if (byte === JSON_BYTE.comma) count++;
      byte = bytes[++at];
    }
    if (NUMBER_BYTES[byte] !== 0) {
      if (isBounded) throw this.#tooManyParts();
      scan.bytes = at - start;
      scan.count = count;
      return undefined;
    }
    if (at === limit && !ended) throw NEED_MORE_BYTES;
    return byte === JSON_BYTE.arrayEnd || at === limit ? count : 0;
  }

  /** Reads a number; the caller has seen its first byte. `numbers.integer` tells its syntax. */
  number(): number {
    const value = this.numbers.scanFloat64();
    this.passNumber(value);
    return value;
  }

  /** Checks and passes the number of the given value that was just scanned at the window's `at`. */
  passNumber(value: number): void {
    const { window, numbers } = this;
    if (numbers.end === window.limit && !window.ended) this.#runOut();
    if (numbers.end - window.at > NUMBER_BYTES_MAX) {
      throw this.fault(`a number has at most ${NUMBER_BYTES_MAX} characters`);
    }
    if (!numbers.valid) {
      if (numbers.end === window.limit) this.#runOut();
      throw this.unexpected("invalid number", { at: numbers.end });
    }
    if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) {
      const text = window.bytes.toString("latin1", window.at, numbers.end);
      throw this.unexpected("number out of range", {
        hint: `\`${clip(text)}\` is beyond the range of ${
          Number.isFinite(Number(text))
            ? "32-bit floats, -3.4e38 to 3.4e38"
            : "64-bit floats, -1.8e308 to 1.8e308"
        }`,
      });
    }
    window.at = numbers.end;
  }

  /** Reads `word`, whose first byte the caller has seen. */
  literal(word: "true" | "false" | "null"): void {
    const { window } = this;
    for (let i = 1; i < word.length; i++) {
      const at = window.at + i;
      if (at === window.limit) this.#runOut();
      if (window.bytes[at] === word.charCodeAt(i)) continue;
      throw this.unexpected(`expected \`${word}\``, { at, start: window.at });
    }
    window.at += word.length;
  }

  /** Makes sure that nothing but space follows, up to the end of the body. */
  finish(): void {
    const { window } = this;
    if (isSpace(window.bytes[window.at])) window.at = this.#spaceEnd();
    if (window.at < window.limit) {
      const isNext = window.bytes[window.at] === JSON_BYTE.objectStart;
      throw this.unexpected("trailing characters", isNext ? { hint: ONE_VALUE } : {});
    }
    if (!window.ended) throw NEED_MORE_BYTES;
  }

  /** The text from `start` of the window up to `at`; for tokens of ASCII. */
  textFrom(start: number): string {
    return this.window.bytes.toString("latin1", start, this.window.at);
  }

  /** The error for broken syntax at byte `at` of the window, by default the next one. */
  fault(what: string, at = this.window.at): DatabaseError {
    const path = this.stack.path();
    const place = path === "" ? "" : `${path}: `;
    return invalid(`Failed to parse the request body as JSON: ${place}${what} ${this.where(at)}`);
  }

  /**
   * The error for what is no JSON at byte `at`, by default the next one. It ends with a hint, by
   * default one about the syntax that begins at byte `start`.
   */
  unexpected(
    what: string,
    { at = this.window.at, start = at, hint }: { at?: number; start?: number; hint?: string } = {},
  ): DatabaseError {
    const { bytes, limit, ended } = this.window;
    const foreign = foreignSyntax(bytes, { at: start, end: limit, isWhole: ended });
    if (hint === undefined && foreign === "more") throw NEED_MORE_BYTES;
    const error = this.fault(what, at);
    const advice = hint ?? foreign;
    return advice === undefined ? error : invalid(error.message, { hint: advice });
  }

  /** The words that name the position of byte `at` of the window. */
  where(at: number): string {
    const { line, column } = this.window.position(at);
    return `at line ${line} column ${column}`;
  }

  /** Whatever of the string has arrived, the same ones are refused. */
  #checkBound({ bytesMax, refuse }: NameBound): void {
    const { bytes } = this.window;
    const start = this.window.at + 1;
    const end = start + bytesMax;
    for (let at = start; at <= end; at++) {
      if (bytes[at] === JSON_BYTE.quote || bytes[at] < SPACE) return;
      if (bytes[at] === JSON_BYTE.backslash) at++;
      if (bytes[at] < SPACE) return;
    }
    throw refuse(bytes.toString("utf8", start, end));
  }

  #runOut(): never {
    const { window } = this;
    if (!window.ended) throw NEED_MORE_BYTES;
    const { line, column } = window.position(window.limit);
    const isEmpty = line === 1 && column === 1;
    throw this.unexpected("unexpected end of the body", {
      at: window.limit,
      ...(isEmpty && { hint: "the body is empty, send a JSON object" }),
    });
  }

  #skipByteOrderMark(): number {
    const { window } = this;
    for (const byte of BYTE_ORDER_MARK) {
      if (window.at === window.limit) this.#runOut();
      if (window.bytes[window.at] !== byte) throw this.unexpected("expected a value");
      window.at++;
    }
    return this.peek();
  }
}

/** Whether a token that starts with `byte` is a number. */
export function startsNumber(byte: number): boolean {
  return byte === JSON_BYTE.minus || (byte >= JSON_BYTE.zero && byte <= JSON_BYTE.nine);
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
