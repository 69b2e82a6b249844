/**
 * Sentence segmentation by the default rules of UAX #29, Unicode 17. A sentence is found from its
 * start alone: no rule looks back across a boundary.
 */
import { codePointAt, decodeRuns, unitsOf } from "../code-points.ts";
import { SENTENCE_BREAK_RUNS } from "./sentence-break-table.ts";

/** Sentence_Break property values, numbered as in the table. */
export const SentenceClass = {
  other: 0,
  carriageReturn: 1,
  lineFeed: 2,
  separator: 3,
  extend: 4,
  format: 5,
  space: 6,
  lower: 7,
  upper: 8,
  letter: 9,
  numeric: 10,
  ambiguousTerminator: 11,
  terminator: 12,
  close: 13,
  continuation: 14,
} as const;

/** The `SentenceClass` of each code point. */
export const SENTENCE_CLASSES = decodeRuns(SENTENCE_BREAK_RUNS);

const S = SentenceClass;

/** How far past a terminator the segment is; the order matters. */
const Phase = { inside: 0, terminated: 1, closed: 2, spaced: 3 } as const;

/** Finds the end, a UTF-16 offset, of the sentence that starts at `start`, inside `text`. */
function nextSentenceBreak(text: string, start: number): number {
  let end = start;
  let phase: number = Phase.inside;
  let left: number = S.other;
  let beforeTerminator: number = S.other;
  let ambiguous = false;
  while (end < text.length) {
    const codePoint = codePointAt(text, end);
    const right = SENTENCE_CLASSES[codePoint];
    if (isParagraphEnd(right)) return afterParagraphEnd(text, end); // SB3, SB4, SB9 to SB11
    if (right === S.extend || right === S.format) {
      end += unitsOf(codePoint); // SB5
      continue;
    }
    const terminator = isTerminator(right);
    if (phase === Phase.inside) {
      if (terminator) phase = Phase.terminated;
    } else if (right === S.close && phase <= Phase.closed) {
      phase = Phase.closed; // SB9
    } else if (right === S.space) {
      phase = Phase.spaced; // SB9, SB10
    } else if (terminator) {
      phase = Phase.terminated; // SB8a
    } else {
      const initial = phase === Phase.terminated && isCased(beforeTerminator);
      const goesOn =
        right === S.continuation || // SB8a
        (ambiguous && phase === Phase.terminated && right === S.numeric) || // SB6
        (ambiguous && initial && right === S.upper) || // SB7
        (ambiguous && isLowerAhead(text, end)); // SB8
      if (!goesOn) return end; // SB11
      phase = Phase.inside;
    }
    if (terminator) {
      beforeTerminator = left;
      ambiguous = right === S.ambiguousTerminator;
    }
    left = right;
    end += unitsOf(codePoint);
  }
  return end;
}

/** Calls `visit` with the UTF-16 range of every sentence of `text`; together they cover it. */
export function scanSentences(text: string, visit: (start: number, end: number) => void): void {
  let start = 0;
  while (start < text.length) {
    const end = nextSentenceBreak(text, start);
    visit(start, end);
    start = end;
  }
}

function isParagraphEnd(value: number): boolean {
  return value === S.separator || value === S.carriageReturn || value === S.lineFeed;
}

function isTerminator(value: number): boolean {
  return value === S.ambiguousTerminator || value === S.terminator;
}

function isCased(value: number): boolean {
  return value === S.lower || value === S.upper;
}

function afterParagraphEnd(text: string, offset: number): number {
  const pair = text.charCodeAt(offset) === 0x0d && text.charCodeAt(offset + 1) === 0x0a;
  return pair ? offset + 2 : offset + 1;
}

/** SB8: is the first letter, paragraph end or terminator from `offset` on a lower-case letter? */
function isLowerAhead(text: string, offset: number): boolean {
  let next = offset;
  while (next < text.length) {
    const codePoint = codePointAt(text, next);
    const value = SENTENCE_CLASSES[codePoint];
    if (value === S.lower) return true;
    const stop = value === S.letter || value === S.upper;
    if (stop || isParagraphEnd(value) || isTerminator(value)) return false;
    next += unitsOf(codePoint);
  }
  return false;
}
