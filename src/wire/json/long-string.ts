import { KIB } from "../../base/byte-sizes.ts";
import {
  BACKSLASH,
  CONTROL,
  LETTER_U,
  plainEnd,
  QUOTE,
  type StringFault,
  stringPiece,
} from "./json-strings.ts";

/** Bytes of a string, or of space, that are read between two pauses, in some nanoseconds each. */
export const LONG_PIECE_BYTES = 256 * KIB;

/** The result of reading a piece. */
export type PieceEnd =
  /** The closing quote is at this byte of the window. */
  | { readonly kind: "end"; readonly at: number }
  /** There are more bytes of it. */
  | { readonly kind: "more" }
  /** The bytes received so far end inside it. */
  | { readonly kind: "cut" }
  | { readonly kind: "fault"; readonly fault: StringFault };

/**
 * A string token that is too long for one step: its pieces are checked and decoded one by one, and
 * a step that is undone and runs again finds what was done.
 */
export class LongString {
  /** Offset of its opening quote in the body. */
  readonly offset: number;
  readonly #keepsText: boolean;
  #pieces: string[] = [];
  #end: number | undefined;
  /** Offset of the first unread byte in the body. */
  #next: number;

  /** Without `keepsText` it is checked only. */
  constructor(offset: number, keepsText: boolean) {
    this.offset = offset;
    this.#keepsText = keepsText;
    this.#next = offset + 1;
  }

  /** Bytes of JSON so far. */
  get bytes(): number {
    return this.#next - this.offset;
  }

  /** All of it, after its end. */
  get text(): string {
    if (this.#pieces.length > 1) this.#pieces = [this.#pieces.join("")];
    return this.#pieces.at(0) ?? "";
  }

  /** Takes the next piece of bytes before `limit`, whose first one stands at `base` of the body. */
  take(bytes: Buffer, base: number, limit: number): PieceEnd {
    if (this.#end !== undefined) return { kind: "end", at: this.#end - base };
    const start = this.#next - base;
    const stop = Math.min(limit, start + LONG_PIECE_BYTES);
    const plain = plainEnd(bytes, start, stop);
    const isPlain = plain === stop || bytes[plain] === QUOTE;
    const { at, isCut } = isPlain
      ? { at: plain, isCut: plain === limit }
      : pieceEnd(bytes, start, limit);
    const isEnd = bytes[at] === QUOTE && !isCut;
    if (at > start) {
      const piece = isPlain
        ? bytes.toString("latin1", start, at)
        : stringPiece(bytes.subarray(start, at), start);
      if (typeof piece !== "string") return { kind: "fault", fault: piece };
      if (this.#keepsText) this.#pieces.push(piece);
      this.#next = base + at;
    }
    if (isEnd) {
      this.#end = base + at;
      return { kind: "end", at };
    }
    if (isCut) return { kind: "cut" };
    if (bytes[at] < 0x20) return { kind: "fault", fault: { at, what: CONTROL } };
    return { kind: "more" };
  }
}

/**
 * Finds the end of the piece that begins at `start`: the closing quote, a control character, or a
 * character boundary about `LONG_PIECE_BYTES` later; `isCut` if bytes are missing before that.
 */
function pieceEnd(
  bytes: Buffer,
  start: number,
  limit: number,
): { readonly at: number; readonly isCut: boolean } {
  const stop = Math.min(limit, start + LONG_PIECE_BYTES);
  let at = start;
  while (at < stop) {
    const byte = bytes[at];
    if (byte === QUOTE || byte < 0x20) return { at, isCut: false };
    const next = at + (byte === BACKSLASH ? escapeBytes(bytes, at) : 1);
    if (next > limit) return { at, isCut: true };
    at = next;
  }
  // Bytes of a character in UTF-8 stay together.
  while (at < limit && (bytes[at] & 0xc0) === 0x80) at++;
  if (at < limit) return { at, isCut: false };
  return { at: characterStart(bytes, start, limit), isCut: true };
}

/** Bytes of the escape at `at`, or of a surrogate pair if its first bytes begin one. */
function escapeBytes(bytes: Buffer, at: number): number {
  if (bytes[at + 1] !== LETTER_U) return 2;
  const isHigh =
    (bytes[at + 2] | 0x20) === 0x64 && /[89ab]/i.test(String.fromCharCode(bytes[at + 3]));
  return isHigh ? 12 : 6;
}

/** The start of the last character before `limit`, if its bytes may be incomplete. */
function characterStart(bytes: Buffer, start: number, limit: number): number {
  for (let at = limit - 1; at >= Math.max(start, limit - 3); at--) {
    if (bytes[at] >= 0xc0) return at;
    if (bytes[at] < 0x80) break;
  }
  return limit;
}
