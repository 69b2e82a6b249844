/** No string that passes a test lacks what the test's formula asks for. */

import { describe, expect, test } from "vitest";
import { cases } from "../../../../test/support/effort.ts";
import {
  fuzzyTest,
  globTest,
  passes,
  regexTest,
} from "../../../../test/support/queries/string-tests.ts";
import { pick } from "../../../../test/support/random/random-queries.ts";
import { type Random, seededRandom } from "../../../base/random.ts";
import { foldedCodePoint, trigramsOf } from "../../../text/trigrams.ts";
import type { StringTest } from "./string-test.ts";
import type { TrigramFormula } from "./trigram-algebra.ts";

const SEEDS = Array.from({ length: cases({ usual: 1, full: 60 }) }, (_, i) => 33_001 + i);
const CHARACTERS = [..."aAbBkKsSiI0 -/.éÉß東京🦊\u212a\u017f\u0130\u0131\u0307\n"];
const PIECES = ["a", "b", "k", "S", "i", "é", "K", "東", "\u017f", "ab", "bas", "aki", "kiss"];
const FRAGMENTS = [
  ".",
  "\\x{212a}",
  "\\x6b",
  "\\n",
  "\\d",
  "\\w",
  "\\pL",
  "\\p{Lu}",
  "\\.",
  "\\/",
  "[ab]",
  "[^a]",
  "[a-c]",
  "[a-z]",
  "[]a]",
  "[k\\d]",
  "[[:alpha:]]",
  "[a-]",
  "^",
  "$",
  "\\b",
  "\\A",
  "[[kK]&&[k-z]]",
  "\\u{17f}",
];
const FLAGS = ["(?i)", "(?i:", "(?-i:", "(?s:", "(?:", "(", "(?P<n>"];
const QUANTIFIERS = ["*", "+", "?", "{2}", "{0,2}", "{1,}", "{3,5}", "+?", "{2}*"];

/** Short enough for random texts to match some of the time. */
function randomExpression(random: Random, depth: number): string {
  let expression = "";
  const count = 1 + random.below(4);
  for (let i = 0; i < count; i++) {
    let atom = random.below(3) > 0 ? pick(random, PIECES) : pick(random, FRAGMENTS);
    if (depth > 0 && random.below(3) === 0) {
      const flags = pick(random, FLAGS);
      const inner = randomExpression(random, depth - 1);
      atom = flags.endsWith(")") ? `(?:${flags}${inner})` : `${flags}${inner})`;
    }
    expression += atom + (random.below(4) === 0 ? pick(random, QUANTIFIERS) : "");
    if (random.below(5) === 0) expression += "|";
  }
  return (random.below(5) === 0 ? "(?i)" : "") + expression;
}

function randomGlob(random: Random): string {
  const parts = [
    "*",
    "?",
    "**/",
    "/**/",
    "/",
    "[ab]",
    "[!a]",
    "{aki,kiss}",
    "{a,}",
    "\\*",
    ...PIECES,
  ];
  return Array.from({ length: 1 + random.below(5) }, () => pick(random, parts)).join("");
}

function randomText(random: Random, of: string): string {
  let text = "";
  for (let i = random.below(5); i > 0; i--) {
    const start = random.below(of.length);
    text += random.below(2) === 0 ? pick(random, CHARACTERS) : pick(random, PIECES);
    if (random.below(3) === 0) text += of.slice(start, start + 4);
  }
  const cased = random.below(4);
  if (cased === 0) return text.toUpperCase();
  return cased === 1 ? text.replaceAll("k", "\u212a").replaceAll("s", "\u017f") : text;
}

/** Tells whether a formula is true of a text's trigrams. */
function isPossible(formula: TrigramFormula, text: string): boolean {
  const trigrams = new Set(trigramsOf(text));
  const holds = (one: TrigramFormula): boolean => {
    if (one.kind === "any") return true;
    if (one.kind === "some") return one.parts.some(holds);
    return one.trigrams.every((trigram) => trigrams.has(trigram)) && one.parts.every(holds);
  };
  return holds(formula);
}

/** How many texts pass; none of them may be left out. */
function tryTexts(test: StringTest, of: string, random: Random): number {
  const { formula } = test;
  let passed = 0;
  for (let i = 0; i < 20; i++) {
    const text = i === 0 ? of : randomText(random, of);
    if (!passes(test, text)) continue;
    passed++;
    expect(isPossible(formula, text), JSON.stringify([test, of, text, formula])).toBe(true);
  }
  return passed;
}

describe.each(SEEDS)("seed %i", (seed) => {
  test("a formula is true of all that a regular expression matches", () => {
    const random = seededRandom(seed);
    let passed = 0;
    for (let i = 0; i < 400; i++) {
      const expression = randomExpression(random, 3);
      const made = regexTest(expression);
      if (!("fault" in made)) passed += tryTexts(made, expression, random);
    }
    expect(passed).toBeGreaterThan(200);
  });

  test("a formula is true of what long expressions match, however far they are read", () => {
    const random = seededRandom(seed);
    for (let i = 0; i < 20; i++) {
      const letters = Array.from({ length: random.below(500) }, () => pick(random, [..."abcxyz"]));
      const parts = letters.map((c) =>
        pick(random, [c, c, `[${c}q]`, `(?:${c}|q)`, `(${c})`, `${c}+`, `q?${c}`, `${c}{1,3}`]),
      );
      const choice = random.below(3) === 0 ? "|never" : "";
      const made = regexTest(parts.join("") + choice);
      if ("fault" in made) throw new Error(made.fault);
      const text = `before ${letters.join("")} behind`;
      expect(passes(made, text)).toBe(true);
      expect(isPossible(made.formula, text), `${seed}: ${parts.join("")}`).toBe(true);
    }
  });

  test("a formula is true of all that a glob matches", () => {
    const random = seededRandom(seed);
    let passed = 0;
    for (let i = 0; i < 400; i++) {
      const pattern = randomGlob(random);
      const glob = globTest(pattern, random.below(2) === 0);
      if ("fault" in glob) continue;
      passed += tryTexts(glob.test, pattern.replaceAll("*", ""), random);
    }
    expect(passed).toBeGreaterThan(200);
  });

  test("a formula is true of all that a fuzzy text matches", () => {
    const random = seededRandom(seed);
    let passed = 0;
    for (let i = 0; i < 400; i++) {
      const distance = random.below(3);
      const characters = Array.from({ length: 3 * (distance + 1) + random.below(5) }, () =>
        pick(random, CHARACTERS),
      );
      const text = characters.join("");
      const caseSensitive = random.below(2) === 0;
      const edited = [...characters];
      for (let e = 0; e < distance; e++) {
        const kept = random.below(2) === 0 ? [pick(random, CHARACTERS)] : [];
        edited.splice(random.below(edited.length), random.below(2), ...kept);
      }
      const made = fuzzyTest(text, distance, caseSensitive);
      passed += tryTexts(made, edited.join(""), random);
      if (!caseSensitive) passed += tryTexts(made, edited.join("").toUpperCase(), random);
    }
    expect(passed).toBeGreaterThan(200);
  });
});

describe("case", () => {
  test("what some rule takes for an ASCII character folds to it", () => {
    const folds = regexTest("(?i)[\\x00-\\x7f]");
    for (let codePoint = 0x80; codePoint <= 0x10_ffff; codePoint++) {
      if (codePoint >= 0xd800 && codePoint <= 0xdfff) continue;
      const text = String.fromCodePoint(codePoint);
      const lower = text.toLowerCase();
      const [first] = lower;
      const isAscii = (character: string): boolean => character < "\x80";
      if ([...lower].some(isAscii)) {
        expect(String.fromCodePoint(foldedCodePoint(codePoint)), lower).toBe(first);
        expect([...lower].slice(1).some(isAscii)).toBe(false);
      }
      if (!passes(folds, text)) continue;
      const folded = String.fromCodePoint(foldedCodePoint(codePoint));
      expect(passes(regexTest(`^(?i)${folded}$`), text), text).toBe(true);
    }
  });
});

/** Whether texts pass, as far as their trigrams tell. */
function possible(pattern: string, texts: readonly string[]): boolean[] {
  const made = regexTest(pattern);
  if ("fault" in made) throw new Error(made.fault);
  return texts.map((text) => isPossible(made.formula, text));
}

test.each([
  ["error", ["an ERROR", "eror", "terrors", "errxror"], [true, false, true, false]],
  ["foo|bars", ["foo", "bars", "bar", "fo"], [true, true, false, false]],
  ["ab(c|d)ef", ["abcef", "abdef", "abxef"], [true, true, false]],
  ["(?i)Kelvin", ["\u212aELVIN", "celvin"], [true, false]],
  ["x.*needle.*y", ["needle", "x y"], [true, false]],
  ["(abc)+d", ["abcabcd", "ababd"], [true, false]],
  ["a[bc]d", ["abd", "acd", "aad"], [true, true, false]],
  ["東京", ["東京都", "東", "京都"], [true, false, false]],
  ["a.c", ["", "x"], [true, true]],
  ["(abcd)?", ["", "x"], [true, true]],
  ["[ab&&[b]]cd", ["bcd", "acd"], [true, false]],
  ["(?i)éab", ["Éab", "éab", "eab"], [true, true, false]],
])("%s: %j", (pattern, texts, expected) => {
  expect(possible(pattern, texts)).toEqual(expected);
});

test("a pattern of all the characters that one may have has a short formula", () => {
  for (const pattern of [
    "abcdefgh".repeat(1024),
    "(ab|cd)".repeat(1170),
    `${"(".repeat(240)}abc${")".repeat(240)}`,
  ]) {
    const made = regexTest(pattern);
    if ("fault" in made) throw new Error(made.fault);
    expect(JSON.stringify(made.formula).length).toBeLessThan(20_000);
  }
});

test("of long expressions the first part is looked for", () => {
  const start = "abcde".repeat(300);
  expect(possible(`${start}xyz`, [start, "xyz"])).toEqual([true, false]);
  expect(possible(`(?:abcde){2}${start}(xyz`.concat(")"), [start])).toEqual([true]);
  expect(possible(`${start}(x|y)`, [`${start}x`, "x"])).toEqual([true, false]);
  expect(possible(`${start}x|y`, ["y"])).toEqual([true]);
});

test("trigrams are of folded bytes", () => {
  expect(trigramsOf("AbC")).toEqual([0x616263]);
  expect(trigramsOf("\u212ais\u017f")).toEqual([0x6b6973, 0x697373]);
  expect(trigramsOf("東")).toEqual([0xe69db1]);
  expect(trigramsOf("ab")).toEqual([]);
});
