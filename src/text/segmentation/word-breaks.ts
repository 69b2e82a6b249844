/**
 * Word segmentation by the default rules of UAX #29, Unicode 17. A segment is found from its start
 * alone: no rule looks back across a boundary. ASCII text takes a path of its own, because it is
 * most text and needs neither code points nor the rules for marks.
 */
import { codePointAt, decodeRuns, unitsOf } from "./code-points.ts";
import type { Scan, ScanRange, VisitRange } from "./legacy-tokenizer.ts";
import { WORD_BREAK_RUNS } from "./word-break-table.ts";

/** Word_Break property values, numbered as in the table. */
export const WordClass = {
  other: 0,
  letter: 1,
  hebrewLetter: 2,
  numeric: 3,
  katakana: 4,
  extendNumLet: 5,
  midLetter: 6,
  midNum: 7,
  midNumLet: 8,
  singleQuote: 9,
  doubleQuote: 10,
  extend: 11,
  format: 12,
  joiner: 13,
  regionalIndicator: 14,
  space: 15,
  carriageReturn: 16,
  lineFeed: 17,
  newline: 18,
} as const;

/**
 * Per code point: the `WordClass` in the low five bits, 32 if Extended_Pictographic, 64 if
 * word-like: a letter, number, ideograph or emoji, or of a script other than Common.
 */
export const WORD_CLASSES = decodeRuns(WORD_BREAK_RUNS);

const CLASS_MASK = 31;
const PICTOGRAPHIC = 32;
const WORD_LIKE = 64;
const NO_CLASS = 31;

const W = WordClass;
const LETTERS = setOf(W.letter, W.hebrewLetter);
const NEWLINES = setOf(W.carriageReturn, W.lineFeed, W.newline);
/** WB4: these belong to the code point before them. */
const TRANSPARENT = setOf(W.extend, W.format, W.joiner);
const BETWEEN_LETTERS = setOf(W.midLetter, W.midNumLet, W.singleQuote);
const BETWEEN_NUMBERS = setOf(W.midNum, W.midNumLet, W.singleQuote);
const MIDDLES = BETWEEN_LETTERS | BETWEEN_NUMBERS | setOf(W.doubleQuote);
const WORDS = LETTERS | setOf(W.numeric);
const EXTENDED = WORDS | setOf(W.katakana, W.extendNumLet);

/** Rules that need the two neighbours only, as the set of right classes per left class. */
const JOINS = new Int32Array(32);
JOINS[W.letter] = WORDS | setOf(W.extendNumLet); // WB5, WB9, WB13a
JOINS[W.hebrewLetter] = WORDS | setOf(W.extendNumLet, W.singleQuote); // and WB7a
JOINS[W.numeric] = WORDS | setOf(W.extendNumLet); // WB8, WB10, WB13a
JOINS[W.katakana] = setOf(W.katakana, W.extendNumLet); // WB13, WB13a
JOINS[W.extendNumLet] = EXTENDED; // WB13a, WB13b

function setOf(...classes: number[]): number {
  return classes.reduce((set, value) => set | (1 << value), 0);
}

function isIn(set: number, value: number): boolean {
  return ((set >>> value) & 1) === 1;
}

/** WB6, WB7, WB7b, WB7c, WB11, WB12: does `middle` hold `left` and `right` together? */
function bridges(left: number, middle: number, right: number): boolean {
  if (isIn(LETTERS, left) && isIn(LETTERS, right)) {
    if (isIn(BETWEEN_LETTERS, middle)) return true;
    return middle === W.doubleQuote && left === W.hebrewLetter && right === W.hebrewLetter;
  }
  return left === W.numeric && right === W.numeric && isIn(BETWEEN_NUMBERS, middle);
}

/** Class of the first code point from `offset` on that is not transparent. */
function nextClass(text: string, offset: number): number {
  let next = offset;
  while (next < text.length) {
    const codePoint = codePointAt(text, next);
    const value = WORD_CLASSES[codePoint] & CLASS_MASK;
    if (!isIn(TRANSPARENT, value)) return value;
    next += unitsOf(codePoint);
  }
  return NO_CLASS;
}

/**
 * Finds the end of the segment that starts at `start`, which is a boundary inside `text`. Returns
 * twice the end (a UTF-16 offset), plus 1 if the segment is word-like.
 */
export function nextWordBreak(text: string, start: number): number {
  const first = codePointAt(text, start);
  let info = WORD_CLASSES[first];
  let seen = info;
  let left = info & CLASS_MASK;
  let end = start + unitsOf(first);
  if (isIn(NEWLINES, left)) {
    const pair = left === W.carriageReturn && text.charCodeAt(end) === 0x0a;
    return 2 * (pair ? end + 1 : end);
  }
  let before: number = NO_CLASS;
  let last = left;
  let paired = false;
  while (end < text.length) {
    const unit = text.charCodeAt(end);
    const isPair = (unit & 0xf800) === 0xd800;
    const codePoint = isPair ? codePointAt(text, end) : unit;
    const width = isPair ? unitsOf(codePoint) : 1;
    info = WORD_CLASSES[codePoint];
    const right = info & CLASS_MASK;
    // Most of a word: no other rule looks at neighbours that these rules join.
    if (isIn(JOINS[left], right)) {
      paired = false;
      before = left;
      left = right;
      last = right;
      seen |= info;
      end += width;
      continue;
    }
    if (!isIn(TRANSPARENT, right)) {
      const flag: boolean = left === W.regionalIndicator && right === left && !paired; // WB15, WB16
      const joined =
        flag ||
        (last === W.joiner && (info & PICTOGRAPHIC) !== 0) || // WB3c
        (last === W.space && right === W.space) || // WB3d
        bridges(before, left, right) ||
        (isIn(MIDDLES, right) && bridges(left, right, nextClass(text, end + width)));
      if (!joined) break;
      paired = flag;
      before = left;
      left = right;
    }
    last = right;
    seen |= info;
    end += width;
  }
  return 2 * end + ((seen & WORD_LIKE) === 0 ? 0 : 1);
}

/** What a UTF-16 unit means to the fast path: `special` is the underscore and all beyond ASCII. */
const Kind = { gap: 0, alphanumeric: 1, middle: 2, special: 3 } as const;

const KINDS = new Uint8Array(0x10000).fill(Kind.special);
for (let unit = 0; unit < 0x80; unit++) KINDS[unit] = kindOf(WORD_CLASSES[unit] & CLASS_MASK);

function kindOf(value: number): number {
  if (isIn(WORDS, value)) return Kind.alphanumeric;
  if (isIn(MIDDLES, value)) return Kind.middle;
  return value === W.extendNumLet ? Kind.special : Kind.gap;
}

/** Visits the UTF-16 range of every word-like segment of a part of `text`, in order. */
export const scanWords: Scan = (text, { start: first, until }, visit) => {
  const length = text.length;
  const last = Math.min(until, length);
  let start = first;
  while (start < last) {
    let kind = KINDS[text.charCodeAt(start)];
    let end = start + 1;
    if (kind === Kind.alphanumeric) {
      kind = Kind.gap;
      while (end < length) {
        kind = KINDS[text.charCodeAt(end)];
        if (kind !== Kind.alphanumeric) break;
        end++;
      }
      // What stands between words joins them only if the next word follows at once.
      const next = end + 1 < length ? KINDS[text.charCodeAt(end + 1)] : Kind.gap;
      if (
        kind === Kind.gap ||
        kind === Kind.alphanumeric ||
        (kind === Kind.middle && next === Kind.gap)
      ) {
        visit(start, end);
        start = end;
        continue;
      }
    } else if (kind !== Kind.special) {
      if (end === length || text.charCodeAt(end) < 0x80) {
        start = end;
        continue;
      }
    }
    start = visitSegment(text, start, visit);
  }
  return start;
};

/** Visits the segment at `start` if it is word-like, by all rules, and returns its end. */
function visitSegment(text: string, start: number, visit: VisitRange): number {
  const ascii = asciiWordEnd(text, start);
  if (ascii > start) {
    visit(start, ascii);
    return ascii;
  }
  let first = start;
  // WB3d: spaces are one segment, which a joiner and an emoji may end.
  while (first > 0 && text[first] === " " && text[first - 1] === " ") first--;
  const found = nextWordBreak(text, first);
  const end = found >>> 1;
  if ((found & 1) === 1) visit(first, end);
  return end;
}

/**
 * Finds the end of the word-like segment at `start` if all of it, and the unit after it, is ASCII;
 * otherwise returns `start`, and the general rules are needed.
 */
function asciiWordEnd(text: string, start: number): number {
  let end = start;
  let seen = 0;
  while (end < text.length) {
    const unit = text.charCodeAt(end);
    if (unit >= 0x80) return start;
    const info = WORD_CLASSES[unit];
    const value = info & CLASS_MASK;
    if (!isIn(EXTENDED, value)) {
      const next = text.charCodeAt(end + 1);
      if (next >= 0x80 || end === start) return start;
      const left = WORD_CLASSES[text.charCodeAt(end - 1)] & CLASS_MASK;
      const right = end + 1 < text.length ? WORD_CLASSES[next] & CLASS_MASK : NO_CLASS;
      if (!bridges(left, value, right)) break;
    }
    seen |= info;
    end++;
  }
  return (seen & WORD_LIKE) === 0 ? start : end;
}

/** A part of a text that ends at `end`. */
export interface ByteScanRange extends ScanRange {
  readonly end: number;
}

/** A `Scan` of ASCII text that is given as bytes. */
export type AsciiScan = (bytes: Uint8Array, range: ByteScanRange, visit: VisitRange) => number;

/** `scanWords` for ASCII text. */
export const scanAsciiWords: AsciiScan = (bytes, { start, until, end }, visit) => {
  const last = Math.min(until, end);
  let at = start;
  while (at < last) {
    const from = at;
    let kind: number = Kind.gap;
    while (at < end) {
      kind = KINDS[bytes[at]];
      if (kind !== Kind.alphanumeric) break;
      at++;
    }
    if (at === from) {
      if (kind === Kind.special) at = visitAsciiWord(bytes, from, end, visit);
      else at++;
      continue;
    }
    const next = at + 1 < end ? KINDS[bytes[at + 1]] : Kind.gap;
    if (at === end || kind === Kind.gap || (kind === Kind.middle && next === Kind.gap)) {
      visit(from, at);
      at++;
    } else at = visitAsciiWord(bytes, from, end, visit);
  }
  return Math.min(at, end);
};

/** Visits the segment at `start`, of a letter, number or underscore, and returns its end. */
function visitAsciiWord(bytes: Uint8Array, start: number, end: number, visit: VisitRange): number {
  let seen = 0;
  let at = start;
  for (; at < end; at++) {
    const info = WORD_CLASSES[bytes[at]];
    const value = info & CLASS_MASK;
    if (!isIn(EXTENDED, value)) {
      const left = WORD_CLASSES[bytes[at - 1]] & CLASS_MASK;
      const right = at + 1 < end ? WORD_CLASSES[bytes[at + 1]] & CLASS_MASK : NO_CLASS;
      if (!bridges(left, value, right)) break;
    }
    seen |= info;
  }
  if ((seen & WORD_LIKE) !== 0) visit(start, at);
  return at;
}
