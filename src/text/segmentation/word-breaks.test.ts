import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { expectEqual } from "../../../test/support/expect-equal.ts";
import { readBreakCases } from "../../../test/unicode/break-cases.ts";
import { seededRandom } from "../../base/random.ts";
import { WHOLE_TEXT } from "./tokenizer.ts";
import {
  nextWordBreak,
  scanAsciiWords,
  scanWords,
  WordClass as W,
  WORD_CLASSES,
} from "./word-breaks.ts";

const CASES = readBreakCases("WordBreakTest.txt");

function breaksOf(text: string): number[] {
  const breaks = [0];
  for (let start = 0; start < text.length; ) {
    start = nextWordBreak(text, start) >>> 1;
    breaks.push(start);
  }
  return breaks;
}

function wordsOf(text: string): string[] {
  const words: string[] = [];
  scanWords(text, WHOLE_TEXT, (start, end) => words.push(text.slice(start, end)));
  return words;
}

test("every case of the official test file breaks as it says", () => {
  expect(CASES.length).toBe(1944);
  for (const { line, text, breaks } of CASES) {
    expect({ line, breaks: breaksOf(text) }).toEqual({ line, breaks });
  }
});

describe("word-like segments", () => {
  test.each([
    ["e.g. u.s.a sea.com 3.14 1,000 don't", ["e.g", "u.s.a", "sea.com", "3.14", "1,000", "don't"]],
    ["e-mail a:b x_y __ _a", ["e", "mail", "a:b", "x_y", "_a"]],
    ["can' 'tis 3. .5 a..b", ["can", "tis", "3", "5", "a", "b"]],
    ["東京タワー", ["東", "京", "タワー"]],
    ["ー 々 ① अब ก", ["々", "①", "अब", "ก"]],
    ["naïve Ærø e\u0301te\u0301", ["naïve", "Ærø", "e\u0301te\u0301"]],
    ["👨\u200d👩\u200d👧 👍🏽 1️⃣", ["👨\u200d👩\u200d👧", "👍🏽", "1️⃣"]],
    ["הצ'קרות צה\"ל", ["הצ'קרות", 'צה"ל']],
    ["", []],
    [" \r\n\t!?", []],
    ["\ud800a \udc00", ["a"]],
  ])("of %j are %j", (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });
});

const CLASS_MASK = 31;
const IGNORED: readonly number[] = [W.extend, W.format, W.joiner];
const NEWLINES: readonly number[] = [W.carriageReturn, W.lineFeed, W.newline];

/** The rules of UAX #29 one by one, deciding at each offset from the whole text. */
function slowBreaks(text: string): number[] {
  const points = Array.from(text);
  const info = points.map((point) => WORD_CLASSES[point.codePointAt(0) ?? 0]);
  const classes = info.map((value) => value & CLASS_MASK);
  const breaks = [0];
  let offset = 0;
  for (let index = 1; index <= points.length; index++) {
    offset += points[index - 1].length;
    if (index === points.length || isBreak(classes, info, index)) breaks.push(offset);
  }
  return breaks;
}

function isBreak(classes: readonly number[], info: readonly number[], index: number): boolean {
  const last = classes[index - 1];
  const right = classes[index];
  if (last === W.carriageReturn && right === W.lineFeed) return false;
  if (NEWLINES.includes(last) || NEWLINES.includes(right)) return true;
  if (last === W.joiner && (info[index] & 32) !== 0) return false;
  if (last === W.space && right === W.space) return false;
  if (IGNORED.includes(right)) return false;
  const past = significant(classes.slice(0, index));
  const future = classes.slice(index).filter((value) => !IGNORED.includes(value));
  const left = past.at(-1) ?? -1;
  return !joins([past.at(-2) ?? -1, left, right, future[1] ?? -1], past);
}

/** Drops what WB4 ignores: marks after anything but the start and newlines. */
function significant(classes: readonly number[]): number[] {
  return classes.filter((value, index) => {
    if (!IGNORED.includes(value)) return true;
    let base = index;
    while (base > 0 && IGNORED.includes(classes[base - 1])) base--;
    return base === index && (index === 0 || NEWLINES.includes(classes[index - 1]));
  });
}

function joins(around: readonly [number, number, number, number], past: number[]): boolean {
  const [before, left, right, after] = around;
  const letter = (value: number) => value === W.letter || value === W.hebrewLetter;
  const quote = (value: number) => value === W.midNumLet || value === W.singleQuote;
  const middle = (value: number) => value === W.midLetter || quote(value);
  const point = (value: number) => value === W.midNum || quote(value);
  const hebrew = (value: number) => value === W.hebrewLetter;
  const number = (value: number) => value === W.numeric;
  const extended = (value: number) => letter(value) || number(value) || value === W.katakana;
  if (letter(left) && letter(right)) return true; // WB5
  if (letter(left) && middle(right) && letter(after)) return true; // WB6
  if (letter(before) && middle(left) && letter(right)) return true; // WB7
  if (hebrew(left) && right === W.singleQuote) return true; // WB7a
  if (hebrew(left) && right === W.doubleQuote && hebrew(after)) return true; // WB7b
  if (hebrew(before) && left === W.doubleQuote && hebrew(right)) return true; // WB7c
  if (number(left) && number(right)) return true; // WB8
  if (letter(left) && number(right)) return true; // WB9
  if (number(left) && letter(right)) return true; // WB10
  if (number(before) && point(left) && number(right)) return true; // WB11
  if (number(left) && point(right) && number(after)) return true; // WB12
  if (left === W.katakana && right === W.katakana) return true; // WB13
  if ((extended(left) || left === W.extendNumLet) && right === W.extendNumLet) return true; // WB13a
  if (left === W.extendNumLet && extended(right)) return true; // WB13b
  if (left !== W.regionalIndicator || right !== left) return false;
  let run = 0;
  while (past.at(-1 - run) === W.regionalIndicator) run++;
  return run % 2 === 1; // WB15, WB16
}

/** Some code points of every class, and what random texts are made of. */
const ALPHABET = [..."aZ é_09.,:;'\"\r\n -!", ..."אבタカ東ー\u0301\u00ad\u200d\u2060\u3000\u0085"]
  .concat([..."🐡👩🇩🇪🏽", "©", "\u2019", "\u0903", "\ud800", "①", "·"])
  .concat([..." a a a . ' "]);

function randomTexts(seed: number, count: number): string[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () =>
    Array.from({ length: random.below(14) }, () => ALPHABET[random.below(ALPHABET.length)]).join(
      "",
    ),
  );
}

describe("random texts", () => {
  const seed = 20_261;
  const TEXTS = effort({ usual: 5_000, full: 30_000 });

  test(`break as the rules say one by one (seed ${seed})`, () => {
    for (const text of randomTexts(seed, TEXTS)) {
      expectEqual({ text, breaks: breaksOf(text) }, { text, breaks: slowBreaks(text) });
    }
  });

  test(`have the same words on the fast path (seed ${seed})`, () => {
    for (const text of randomTexts(seed + 1, TEXTS)) {
      const words: string[] = [];
      const breaks = slowBreaks(text);
      for (let index = 1; index < breaks.length; index++) {
        const segment = text.slice(breaks[index - 1], breaks[index]);
        if (Array.from(segment).some(isWordLike)) words.push(segment);
      }
      expectEqual({ text, words: wordsOf(text) }, { text, words });
    }
  });

  test(`of ASCII have the same words by their bytes (seed ${seed})`, () => {
    const random = seededRandom(seed + 2);
    const alphabet = "aaZ019__..,,::;''\"\"  \r\n\t-!\0\x7f@";
    for (let round = 0; round < TEXTS; round++) {
      const units = Array.from({ length: random.below(14) }, () =>
        alphabet.charAt(random.below(alphabet.length)),
      );
      const text = units.join("");
      // What stands around the range would go on with its words.
      const bytes = Buffer.from(`a'${text}'a`);
      const words: string[] = [];
      const range = { start: 2, until: bytes.length, end: bytes.length - 2 };
      scanAsciiWords(bytes, range, (start, end) => {
        words.push(bytes.toString("latin1", start, end));
      });
      expectEqual({ text, words }, { text, words: wordsOf(text) });
    }
  });
});

function isWordLike(point: string): boolean {
  return (
    /\p{Extended_Pictographic}|\p{Ideographic}|\p{No}/u.test(point) ||
    (/[\p{Alphabetic}\p{Nd}]/u.test(point) && point !== "ー") ||
    point === "\u0903"
  );
}
