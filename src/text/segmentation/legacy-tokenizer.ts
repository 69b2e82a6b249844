/**
 * Tokenizers `word_v0`, `word_v1` and `word_v2`: runs of alphanumerics, whatever stands between
 * them. `word_v1` adds emoji sequences, `word_v2` makes each ideograph a token of its own.
 */
import { CHARACTER_RUNS } from "./character-table.ts";
import { codePointAt, decodeRuns, unitsOf } from "./code-points.ts";

/** The part of a text whose tokens are visited. */
export interface ScanRange {
  /** Lower bound of the start of the first token: the start of the text, or the result of a scan. */
  readonly start: number;
  /** No token is visited that begins here or later; beyond the text, all are. */
  readonly until: number;
}

/** Hears of tokens by their ranges, in UTF-16 units, or in bytes where a text is given as those. */
export type VisitRange = (start: number, end: number) => void;

/**
 * Visits the range of each token of a part of a text, in order. Returns where the next token may
 * begin; the text's length at its end.
 */
export type Scan = (text: string, range: ScanRange, visit: VisitRange) => number;

const CHARACTERS = decodeRuns(CHARACTER_RUNS);
const ALPHANUMERIC = 1;
const IDEOGRAPHIC = 2;
const PICTOGRAPHIC = 4;

const ZERO_WIDTH_JOINER = 0x200d;

/** `word_v0`: runs of alphanumerics, ideographs among them. */
export const scanWordsV0: Scan = (text, { start: first, until }, visit) => {
  const last = Math.min(until, text.length);
  let start = first;
  while (start < last) {
    const codePoint = codePointAt(text, start);
    const end = isAlphanumeric(codePoint) ? runEnd(text, start) : start;
    if (end > start) visit(start, end);
    start = end > start ? end : start + unitsOf(codePoint);
  }
  return start;
};

/** `word_v1`: as `word_v0`, and each emoji sequence. */
export const scanWordsV1: Scan = (text, { start: first, until }, visit) => {
  const last = Math.min(until, text.length);
  let start = first;
  while (start < last) {
    const codePoint = codePointAt(text, start);
    const end = isAlphanumeric(codePoint) ? runEnd(text, start) : emojiEnd(text, start);
    if (end > start) visit(start, end);
    start = end > start ? end : start + unitsOf(codePoint);
  }
  return start;
};

/** `word_v2`: runs of other alphanumerics, each ideograph, each emoji sequence. */
export const scanWordsV2: Scan = (text, { start: first, until }, visit) => {
  const last = Math.min(until, text.length);
  let start = first;
  while (start < last) {
    const codePoint = codePointAt(text, start);
    let end = start;
    if (isIdeograph(codePoint)) end = start + unitsOf(codePoint);
    else if (isAlphanumeric(codePoint)) end = runEndBeforeIdeograph(text, start);
    else end = emojiEnd(text, start);
    if (end > start) visit(start, end);
    start = end > start ? end : start + unitsOf(codePoint);
  }
  return start;
};

function isAlphanumeric(codePoint: number): boolean {
  return (CHARACTERS[codePoint] & (ALPHANUMERIC | IDEOGRAPHIC)) !== 0;
}

function isIdeograph(codePoint: number): boolean {
  return (CHARACTERS[codePoint] & IDEOGRAPHIC) !== 0;
}

function runEnd(text: string, start: number): number {
  let end = start;
  while (end < text.length) {
    const codePoint = codePointAt(text, end);
    if (!isAlphanumeric(codePoint)) break;
    end += unitsOf(codePoint);
  }
  return end;
}

function runEndBeforeIdeograph(text: string, start: number): number {
  let end = start;
  while (end < text.length) {
    const codePoint = codePointAt(text, end);
    if (!isAlphanumeric(codePoint) || isIdeograph(codePoint)) break;
    end += unitsOf(codePoint);
  }
  return end;
}

/**
 * End of the emoji sequence at `start`, or `start` if there is none. A sequence is a flag of two
 * regional indicators, or pictographs held together by joiners, each with its modifiers (the
 * grammar of UTS #51, without the check that the combination is a known one).
 */
function emojiEnd(text: string, start: number): number {
  const first = codePointAt(text, start);
  let end = start + unitsOf(first);
  if (isRegionalIndicator(first)) {
    if (end === text.length || !isRegionalIndicator(codePointAt(text, end))) return start;
    return end + 2;
  }
  if ((CHARACTERS[first] & PICTOGRAPHIC) === 0) return start;
  while (end < text.length) {
    const codePoint = codePointAt(text, end);
    const next = end + unitsOf(codePoint);
    if (isModifier(codePoint)) {
      end = next;
    } else if (codePoint === ZERO_WIDTH_JOINER && next < text.length) {
      const joined = codePointAt(text, next);
      if ((CHARACTERS[joined] & PICTOGRAPHIC) === 0) break;
      end = next + unitsOf(joined);
    } else {
      break;
    }
  }
  return end;
}

function isRegionalIndicator(codePoint: number): boolean {
  return codePoint >= 0x1f1e6 && codePoint <= 0x1f1ff;
}

/** Variation selectors, the enclosing keycap, skin tones and tags. */
function isModifier(codePoint: number): boolean {
  return (
    codePoint === 0xfe0f ||
    codePoint === 0xfe0e ||
    codePoint === 0x20e3 ||
    (codePoint >= 0x1f3fb && codePoint <= 0x1f3ff) ||
    (codePoint >= 0xe0020 && codePoint <= 0xe007f)
  );
}
