/** Cuts a text into the fragments that a highlight shows, and converts offsets in it. */
import type { Steps } from "../base/steps.ts";
import { withRoom } from "../base/with-room.ts";
import type { Tokenizer } from "../model/full-text-options.ts";
import { codePointAt, unitsOf } from "./segmentation/code-points.ts";
import { scanSentences } from "./segmentation/sentence-breaks.ts";
import { SCAN_STEP_UNITS, scanOf } from "./segmentation/tokenizer.ts";

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
/** Lines that are found between two pauses. */
const LINES_PER_STEP = 1024;
/** Units that are counted between two pauses, in some 2 ns each. */
const UNITS_PER_STEP = 1 << 16;

/** Fragments in order, without an object for each. */
export interface Fragments {
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/**
 * Cuts `text` into fragments in order, without white space around them; fragments of nothing but
 * white space are left out. Words are the tokens of `tokenizer`, dropped ones among them.
 */
export function* splitFragments(
  text: string,
  unit: FragmentUnit,
  tokenizer: Tokenizer,
): Steps<Fragments> {
  const fragments = new FragmentList();
  const add = (start: number, end: number): void => {
    const whole = text.slice(start, end);
    const first = start + whole.length - whole.trimStart().length;
    const last = start + whole.trimEnd().length;
    if (first < last) fragments.add(first, last);
  };
  switch (unit) {
    case "sentence":
      yield* scanSentences(text, add);
      break;
    case "paragraph":
      yield* scanLines(text, add);
      break;
    case "word":
      for (let start = 0; start < text.length; ) {
        start = scanOf(tokenizer)(text, { start, until: start + SCAN_STEP_UNITS }, add);
        yield;
      }
      break;
    case "none":
      add(0, text.length);
      break;
  }
  return fragments.all;
}

/** Fragments while they are found: to grow takes no longer than a copy of their bytes. */
class FragmentList {
  #starts: Uint32Array = new Uint32Array(64);
  #ends: Uint32Array = new Uint32Array(64);
  #count = 0;

  get all(): Fragments {
    return {
      starts: this.#starts.subarray(0, this.#count),
      ends: this.#ends.subarray(0, this.#count),
    };
  }

  add(start: number, end: number): void {
    if (this.#count === this.#starts.length) {
      this.#starts = withRoom(this.#starts, this.#count + 1);
      this.#ends = withRoom(this.#ends, this.#count + 1);
    }
    this.#starts[this.#count] = start;
    this.#ends[this.#count++] = end;
  }
}

/**
 * Converts ascending UTF-16 offsets of `text` to another unit, in one pass over the text up to the
 * last of them. A lone surrogate counts as U+FFFD: three bytes, one code point.
 */
export function* convertOffsets(
  text: string,
  offsets: readonly number[],
  unit: OffsetUnit,
): Steps<number[]> {
  if (unit === "utf-16") return [...offsets];
  const converted: number[] = [];
  let units = 0;
  let count = 0;
  for (const offset of offsets) {
    while (units < offset) {
      const end = Math.min(offset, units + UNITS_PER_STEP);
      const passed = passUnits(text, { start: units, end }, unit);
      units = passed.end;
      count += passed.count;
      if (units < offset) yield;
    }
    converted.push(count);
  }
  return converted;
}

/** How much the code points are that begin from `start` to before `end`, and where the last ends. */
function passUnits(
  text: string,
  { start, end }: Fragment,
  unit: OffsetUnit,
): { readonly end: number; readonly count: number } {
  let count = 0;
  let at = start;
  while (at < end) {
    const codePoint = codePointAt(text, at);
    count += unit === "utf-8" ? bytesOf(codePoint) : 1;
    at += unitsOf(codePoint);
  }
  return { end: at, count };
}

function* scanLines(text: string, visit: (start: number, end: number) => void): Steps<void> {
  let start = 0;
  let count = 0;
  for (const match of text.matchAll(LINE_END)) {
    visit(start, match.index);
    start = match.index + match[0].length;
    if (++count % LINES_PER_STEP === 0) yield;
  }
  visit(start, text.length);
}

function bytesOf(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}
