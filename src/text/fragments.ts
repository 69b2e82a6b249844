/** Cuts a text into the fragments that a highlight shows, and converts offsets in it. */
import type { Tokenizer } from "../model/full-text-options.ts";
import { codePointAt, unitsOf } from "./code-points.ts";
import { scanSentences } from "./segmentation/sentence-breaks.ts";
import { scanOf } from "./segmentation/tokenizer.ts";

/** How a text is cut: UAX #29 sentences, lines, a tokenizer's words, or not at all. */
const FRAGMENT_UNITS = ["sentence", "paragraph", "word", "none"] as const;

/** Name of a way to cut a text. */
export type FragmentUnit = (typeof FRAGMENT_UNITS)[number];

/** Units in which offsets into a text are counted. */
const OFFSET_UNITS = ["utf-8", "utf-16", "codepoints"] as const;

/** Name of a unit of offsets. */
export type OffsetUnit = (typeof OFFSET_UNITS)[number];

/** Half-open range of a text, in UTF-16 units. */
export interface Fragment {
  readonly start: number;
  readonly end: number;
}

const LINE_END = /\r\n|[\n\r]/g;

/**
 * Cuts `text` into fragments in order, without white space around them; fragments of nothing but
 * white space are left out. Words are the tokens of `tokenizer`, dropped ones among them.
 */
export function splitFragments(text: string, unit: FragmentUnit, tokenizer: Tokenizer): Fragment[] {
  const fragments: Fragment[] = [];
  const add = (start: number, end: number): void => {
    const whole = text.slice(start, end);
    const first = start + whole.length - whole.trimStart().length;
    const last = start + whole.trimEnd().length;
    if (first < last) fragments.push({ start: first, end: last });
  };
  switch (unit) {
    case "sentence":
      scanSentences(text, add);
      break;
    case "paragraph":
      scanLines(text, add);
      break;
    case "word":
      scanOf(tokenizer)(text, add);
      break;
    case "none":
      add(0, text.length);
      break;
  }
  return fragments;
}

/**
 * Converts ascending UTF-16 offsets of `text` to another unit, in one pass over the text up to the
 * last of them. A lone surrogate counts as U+FFFD: three bytes, one code point.
 */
export function convertOffsets(
  text: string,
  offsets: readonly number[],
  unit: OffsetUnit,
): number[] {
  if (unit === "utf-16") return [...offsets];
  const converted: number[] = [];
  let units = 0;
  let count = 0;
  for (const offset of offsets) {
    while (units < offset) {
      const codePoint = codePointAt(text, units);
      count += unit === "utf-8" ? bytesOf(codePoint) : 1;
      units += unitsOf(codePoint);
    }
    converted.push(count);
  }
  return converted;
}

function scanLines(text: string, visit: (start: number, end: number) => void): void {
  let start = 0;
  for (const match of text.matchAll(LINE_END)) {
    visit(start, match.index);
    start = match.index + match[0].length;
  }
  visit(start, text.length);
}

function bytesOf(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}
