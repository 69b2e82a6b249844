import { isUtf8 } from "node:buffer";

/** Ends a string. */
export const QUOTE = 0x22;
/** Begins an escape. */
export const BACKSLASH = 0x5c;
/** Follows it where the escape is one of hexadecimal digits. */
export const LETTER_U = 0x75;
/** Strings up to this many bytes are looked up among those seen before: keys mostly. */
const CACHED_BYTES_MAX = 32;
const CACHE_SLOTS = 512;
/** Of all bodies of a thread: one for each would cost a short body more than all else of it. */
const CACHE: (string | undefined)[] = new Array(CACHE_SLOTS).fill(undefined);
/** Bytes that are read of any string without a look at its bounds, with both quotes. */
const SHORT_BYTES_MAX = 1024;
/** Hash factor of FNV-1a. */
const FNV_PRIME = 0x01000193;

const ESCAPED: Readonly<Record<number, number>> = {
  34: 0x22,
  92: 0x5c,
  47: 0x2f,
  98: 0x08,
  102: 0x0c,
  110: 0x0a,
  114: 0x0d,
  116: 0x09,
};

/** By byte: 1 for ASCII that stands for itself in a string, else 0. */
const PLAIN_BYTES = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte < 0x80 && byte !== QUOTE && byte !== BACKSLASH ? 1 : 0,
);

/** What is wrong with a `\u` escape. */
const BAD_HEX = -1;
const LONE_SURROGATE = -2;

/** The first byte of a code point in UTF-8, by the number of bytes that follow. */
const UTF8_LEADS = [0, 0xc0, 0xe0, 0xf0];

/** What is wrong with a byte of a string that must be escaped. */
export const CONTROL = "control character in a string";

/** A fault in a string: what is wrong at which byte of the window. */
export interface StringFault {
  readonly at: number;
  readonly what: string;
}

/** The fault of a string that does not end in time; its place means nothing. */
export const TOO_LONG: StringFault = Object.freeze({ at: 0, what: "a string that is too long" });

/**
 * Reads one string token per call, from its opening quote on. Strict: control characters, invalid
 * UTF-8 and lone surrogates, escaped or not, are faults. A string cut short has its fault at the
 * window's limit.
 */
export class StringScanner {
  /** Just after the closing quote of the string that was read last, or the byte that ended `short`. */
  end = 0;

  /**
   * The string that starts at `start`, if it is short and plain ASCII, as names and most values
   * are. Else undefined: then comes `rest`.
   */
  short(bytes: Buffer, start: number): string | undefined {
    const near = start + CACHED_BYTES_MAX;
    let at = start + 1;
    let hash = 0;
    let byte = bytes[at];
    while (PLAIN_BYTES[byte] !== 0 && at < near) {
      hash = Math.imul(hash ^ byte, FNV_PRIME);
      byte = bytes[++at];
    }
    if (byte !== QUOTE) return this.#uncached(bytes, start, at);
    this.end = at + 1;
    const slot = (hash ^ (hash >>> 15)) & (CACHE_SLOTS - 1);
    const seen = CACHE[slot];
    if (seen !== undefined && equalsAscii(seen, bytes, start + 1, at)) return seen;
    const text = bytes.toString("latin1", start + 1, at);
    CACHE[slot] = text;
    return text;
  }

  /** What `short` returns for a string that is plain up to `from`, and too long for the cache. */
  #uncached(bytes: Buffer, start: number, from: number): string | undefined {
    const at = plainEnd(bytes, from, start + SHORT_BYTES_MAX);
    this.end = at + 1;
    return bytes[at] === QUOTE ? bytes.toString("latin1", start + 1, at) : undefined;
  }

  /** The string that starts at `start`, which `short` did not read, or its fault. */
  rest(bytes: Buffer, start: number, stop: number): string | StringFault {
    const at = plainEnd(bytes, this.end - 1, stop);
    if (bytes[at] === QUOTE) {
      this.end = at + 1;
      return bytes.toString("latin1", start + 1, at);
    }
    const isEscaped = this.#findEnd(bytes, at, stop);
    if (typeof isEscaped === "object") return isEscaped;
    return stringPiece(bytes.subarray(start + 1, this.end - 1), start + 1, isEscaped);
  }

  /** Checks the string that starts at `start`, without making one of it. */
  pass(bytes: Buffer, start: number, stop: number): StringFault | undefined {
    const at = plainEnd(bytes, start + 1, stop);
    if (bytes[at] === QUOTE) {
      this.end = at + 1;
      return undefined;
    }
    const isEscaped = this.#findEnd(bytes, at, stop);
    if (typeof isEscaped === "object") return isEscaped;
    return faultIn(bytes.subarray(start + 1, this.end - 1), start + 1, isEscaped);
  }

  /** Finds the closing quote, from `from` on; tells whether there is an escape before it. */
  #findEnd(bytes: Buffer, from: number, stop: number): boolean | StringFault {
    let at = from;
    let isEscaped = false;
    for (;;) {
      const byte = bytes[at];
      if (byte === QUOTE) break;
      if (at >= stop) return TOO_LONG;
      if (byte < 0x20) return { at, what: CONTROL };
      if (byte === BACKSLASH) {
        isEscaped = true;
        // The byte after it is looked at later; the closing quote must be told from `\"` now.
        at++;
        if (bytes[at] < 0x20) return { at, what: CONTROL };
      }
      at++;
    }
    this.end = at + 1;
    return isEscaped;
  }
}

/** Up to where bytes from `start` on, and before `end`, are ASCII that stands for itself. */
export function plainEnd(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end && PLAIN_BYTES[bytes[at]] !== 0) at++;
  return at;
}

/**
 * The text of some bytes of a string, which neither begin nor end inside of an escape or character,
 * or what is wrong with them; `start` is where they stand in the window.
 */
export function stringPiece(
  raw: Buffer,
  start: number,
  isEscaped = raw.includes(BACKSLASH),
): string | StringFault {
  return faultIn(raw, start, isEscaped) ?? (isEscaped ? unescaped(raw) : raw.toString("utf8"));
}

/** Describes the fault in bytes of a string that have no control characters. */
function faultIn(raw: Buffer, start: number, isEscaped: boolean): StringFault | undefined {
  if (!isUtf8(raw)) return { at: start + firstInvalidUtf8(raw), what: "invalid UTF-8" };
  if (!isEscaped) return undefined;
  for (let at = 0; at < raw.length; ) {
    if (raw[at] !== BACKSLASH) {
      at++;
      continue;
    }
    const letter = raw[at + 1];
    if (letter !== LETTER_U) {
      if (ESCAPED[letter] === undefined) {
        return { at: start + at, what: "unknown escape in a string" };
      }
      at += 2;
      continue;
    }
    const code = escapedCodePoint(raw, at);
    if (code < 0) {
      const what = code === BAD_HEX ? "bad \\u escape" : "lone surrogate";
      return { at: start + at, what: `${what} in a string` };
    }
    at += code > 0xffff ? 12 : 6;
  }
  return undefined;
}

function equalsAscii(text: string, bytes: Buffer, start: number, end: number): boolean {
  if (text.length !== end - start) return false;
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) !== bytes[start + i]) return false;
  }
  return true;
}

/** Resolves the escapes of a string that has only good ones; nothing grows by that. */
function unescaped(raw: Buffer): string {
  const text = Buffer.allocUnsafe(raw.length);
  let length = 0;
  let at = 0;
  while (at < raw.length) {
    if (raw[at] !== BACKSLASH) {
      text[length++] = raw[at++];
    } else if (raw[at + 1] === LETTER_U) {
      const code = escapedCodePoint(raw, at);
      length = writeUtf8(text, length, code);
      at += code > 0xffff ? 12 : 6;
    } else {
      text[length++] = ESCAPED[raw[at + 1]];
      at += 2;
    }
  }
  return text.toString("utf8", 0, length);
}

/** Writes a code point at `at` and returns the offset behind it. */
function writeUtf8(bytes: Buffer, at: number, code: number): number {
  if (code < 0x80) {
    bytes[at] = code;
    return at + 1;
  }
  const trailing = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  bytes[at] = UTF8_LEADS[trailing] | (code >> (6 * trailing));
  for (let i = 1; i <= trailing; i++) {
    bytes[at + i] = 0x80 | ((code >> (6 * (trailing - i))) & 0x3f);
  }
  return at + trailing + 1;
}

/** The code point of the `\u` escape at `at`, or of the two of a pair; else one of the faults. */
function escapedCodePoint(raw: Buffer, at: number): number {
  const unit = hexUnit(raw, at + 2);
  if (unit === undefined) return BAD_HEX;
  if (unit < 0xd800 || unit > 0xdfff) return unit;
  const hasNext = raw[at + 6] === BACKSLASH && raw[at + 7] === LETTER_U;
  const low = hasNext ? hexUnit(raw, at + 8) : undefined;
  if (unit > 0xdbff || low === undefined || low < 0xdc00 || low > 0xdfff) return LONE_SURROGATE;
  return 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
}

/** The UTF-16 unit that four hexadecimal digits name, or undefined if they are none. */
function hexUnit(raw: Buffer, at: number): number | undefined {
  let unit = 0;
  for (let i = 0; i < 4; i++) {
    const byte = raw[at + i];
    // A letter's case is bit 0x20.
    const lower = byte | 0x20;
    if (byte >= 0x30 && byte <= 0x39) unit = unit * 16 + byte - 0x30;
    else if (lower >= 0x61 && lower <= 0x66) unit = unit * 16 + lower - 0x61 + 10;
    else return undefined;
  }
  return unit;
}

/** Offset of the first sequence that is not UTF-8. Only for messages: halves its way to it. */
function firstInvalidUtf8(raw: Buffer): number {
  let valid = 0;
  for (let step = raw.length; step > 0; ) {
    const end = Math.min(valid + step, raw.length);
    // Below 5 bytes every step is tried, as a step may end inside of a sequence.
    if (end > valid && isUtf8(raw.subarray(valid, end))) valid = end;
    else step = step > 4 ? step >>> 1 : step - 1;
  }
  return valid;
}
