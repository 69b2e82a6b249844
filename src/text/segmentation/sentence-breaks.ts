/**
 * Sentence segmentation by the default rules of UAX #29, Unicode 17. A sentence is found from its
 * start alone: no rule looks back across a boundary.
 */
import type { Steps } from "../../base/steps.ts";
import { codePointAt, decodeRuns, unitsOf } from "./code-points.ts";
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

/** A sentence of a text while its end is looked for. */
class OpenSentence {
  #end: number;
  #phase: number = Phase.inside;
  #left: number = S.other;
  #beforeTerminator: number = S.other;
  #ambiguous = false;

  constructor(start: number) {
    this.#end = start;
  }

  /** The UTF-16 offset of its end; undefined if that is not before `until`. */
  next(text: string, until: number): number | undefined {
    let end = this.#end;
    let phase = this.#phase;
    let left = this.#left;
    let beforeTerminator = this.#beforeTerminator;
    let ambiguous = this.#ambiguous;
    while (end < text.length && end < until) {
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
    if (end >= text.length) return end;
    this.#end = end;
    this.#phase = phase;
    this.#left = left;
    this.#beforeTerminator = beforeTerminator;
    this.#ambiguous = ambiguous;
    return undefined;
  }
}

/** UTF-16 units that are looked at between two pauses, in some 3 ns each. */
const UNITS_PER_STEP = 1 << 15;

/** Calls `visit` with the UTF-16 range of every sentence of `text`; together they cover it. */
export function* scanSentences(
  text: string,
  visit: (start: number, end: number) => void,
  unitsPerStep = UNITS_PER_STEP,
): Steps<void> {
  let until = unitsPerStep;
  for (let start = 0; start < text.length; ) {
    const sentence = new OpenSentence(start);
    let end = sentence.next(text, until);
    while (end === undefined) {
      yield;
      until += unitsPerStep;
      end = sentence.next(text, until);
    }
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
