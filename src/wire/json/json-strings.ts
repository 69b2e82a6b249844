import { isUtf8 } from "node:buffer";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Strings up to this many bytes are looked up among those seen before: keys mostly. */
const CACHED_BYTES_MAX = 32;
const CACHE_SLOTS = 512;
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

/** A fault in a string: what is wrong at which byte of the window. */
export interface StringFault {
  readonly at: number;
  readonly what: string;
}

/**
 * Reads one string token per call, from its opening quote on. Strict: control characters, invalid
 * UTF-8 and lone surrogates, escaped or not, are faults.
 */
export class StringScanner {
  /** Just after the closing quote. */
  end = 0;
  /** What is wrong with the token, if anything. A string cut short faults at the window's limit. */
  fault: StringFault | undefined = undefined;

  readonly #cache: (string | undefined)[] = new Array(CACHE_SLOTS).fill(undefined);

  /** The string that starts at `start`. Meaningless if `fault` is set afterwards. */
  scan(bytes: Buffer, start: number): string {
    this.fault = undefined;
    let at = start + 1;
    let hash = 0;
    let byte = bytes[at];
    while (byte >= 0x20 && byte < 0x80 && byte !== QUOTE && byte !== BACKSLASH) {
      hash = Math.imul(hash ^ byte, FNV_PRIME);
      byte = bytes[++at];
    }
    if (byte === QUOTE) {
      this.end = at + 1;
      if (at - start <= CACHED_BYTES_MAX) return this.#cached(bytes, start + 1, at, hash);
      return bytes.toString("latin1", start + 1, at);
    }
    return this.#scanUncommon(bytes, start + 1, at);
  }

  #cached(bytes: Buffer, start: number, end: number, hash: number): string {
    const slot = (hash ^ (hash >>> 15)) & (CACHE_SLOTS - 1);
    const seen = this.#cache[slot];
    if (seen !== undefined && equalsAscii(seen, bytes, start, end)) return seen;
    const text = bytes.toString("latin1", start, end);
    this.#cache[slot] = text;
    return text;
  }

  /** A string with escapes or beyond ASCII; the bytes up to `from` are plain. */
  #scanUncommon(bytes: Buffer, start: number, from: number): string {
    let at = from;
    let escaped = false;
    for (;;) {
      const byte = bytes[at];
      if (byte === QUOTE) break;
      if (byte < 0x20) return this.#fail(at, "control character in a string");
      if (byte === BACKSLASH) {
        escaped = true;
        // The byte after it is looked at later; the closing quote must be told from `\"` now.
        at++;
        if (bytes[at] < 0x20) return this.#fail(at, "control character in a string");
      }
      at++;
    }
    this.end = at + 1;
    const raw = bytes.subarray(start, at);
    if (!isUtf8(raw)) return this.#fail(start + firstInvalidUtf8(raw), "invalid UTF-8");
    return escaped ? this.#unescape(raw, start) : raw.toString("utf8");
  }

  /** Resolves escapes; `raw` is valid UTF-8, so it may be decoded piece by piece. */
  #unescape(raw: Buffer, start: number): string {
    let text = "";
    let at = 0;
    while (at < raw.length) {
      const next = raw.indexOf(BACKSLASH, at);
      if (next === -1) return text + raw.toString("utf8", at);
      if (next > at) text += raw.toString("utf8", at, next);
      const letter = raw[next + 1];
      if (letter !== 0x75) {
        const code = ESCAPED[letter];
        if (code === undefined) return this.#fail(start + next, "unknown escape in a string");
        text += String.fromCharCode(code);
        at = next + 2;
        continue;
      }
      const unit = hexUnit(raw, next + 2);
      if (unit === undefined) return this.#fail(start + next, "bad \\u escape in a string");
      text += String.fromCharCode(unit);
      at = next + 6;
      if (unit < 0xd800 || unit > 0xdfff) continue;
      const low = raw[at] === BACKSLASH && raw[at + 1] === 0x75 ? hexUnit(raw, at + 2) : undefined;
      if (unit > 0xdbff || low === undefined || low < 0xdc00 || low > 0xdfff) {
        return this.#fail(start + next, "lone surrogate in a string");
      }
      text += String.fromCharCode(low);
      at += 6;
    }
    return text;
  }

  #fail(at: number, what: string): string {
    this.fault = { at, what };
    return "";
  }
}

function equalsAscii(text: string, bytes: Buffer, start: number, end: number): boolean {
  if (text.length !== end - start) return false;
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) !== bytes[start + i]) return false;
  }
  return true;
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
