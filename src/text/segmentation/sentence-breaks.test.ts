import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { expectEqual } from "../../../test/support/expect-equal.ts";
import { readBreakCases } from "../../../test/unicode/break-cases.ts";
import { seededRandom } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import { SentenceClass as S, SENTENCE_CLASSES, scanSentences } from "./sentence-breaks.ts";

const CASES = readBreakCases("SentenceBreakTest.txt");

function breaksOf(text: string, unitsPerStep?: number): number[] {
  const breaks = [0];
  runSteps(scanSentences(text, (_start, end) => breaks.push(end), unitsPerStep));
  return breaks;
}

test("every case of the official test file breaks as it says", () => {
  expect(CASES.length).toBe(512);
  for (const { line, text, breaks } of CASES) {
    expect({ line, breaks: breaksOf(text) }).toEqual({ line, breaks });
  }
});

describe("sentences", () => {
  test.each([
    ["He paid $3.50. She left.", ["He paid $3.50. ", "She left."]],
    ["See etc. and so on. Then go!", ["See etc. and so on. ", "Then go!"]],
    ["The U.S. Senate met.", ["The U.S. ", "Senate met."]],
    ['"Really?" he asked. (Yes.) No', ['"Really?" ', "he asked. ", "(Yes.) ", "No"]],
    ["One\nTwo\r\nThree\u2029Four", ["One\n", "Two\r\n", "Three\u2029", "Four"]],
    ["これは一。それは二。", ["これは一。", "それは二。"]],
  ])("of %j are %j", (text, sentences) => {
    const found: string[] = [];
    runSteps(scanSentences(text, (start, end) => found.push(text.slice(start, end))));
    expect(found).toEqual(sentences);
  });
});

/** SB6 to SB11 as patterns over one letter per class, with what SB5 ignores taken out. */
const CODES = "orlspxSLUtNA!C,";
const PARAGRAPH = "[slr]";
const NO_BREAK: readonly (readonly [RegExp, RegExp])[] = [
  [/A$/, /^N/],
  [/[UL]A$/, /^U/],
  [/AC*S*$/, /^[^tULslrA!]*L/],
  [/[A!]C*S*$/, /^[,A!]/],
  [/[A!]C*$/, /^[CSslr]/],
  [/[A!]C*S*$/, /^[Sslr]/],
];

function slowBreaks(text: string): number[] {
  const points = Array.from(text);
  const codes = points.map((point) => CODES[SENTENCE_CLASSES[point.codePointAt(0) ?? 0]]);
  const breaks = [0];
  let offset = 0;
  for (let index = 1; index <= points.length; index++) {
    offset += points[index - 1].length;
    const isBreak = index === points.length || breaksAt(codes, index);
    if (isBreak) breaks.push(offset);
  }
  return breaks;
}

function breaksAt(codes: readonly string[], index: number): boolean {
  const past = codes.slice(0, index).join("");
  if (past.endsWith("r") && codes[index] === "l") return false; // SB3
  if (new RegExp(`${PARAGRAPH}$`).test(past)) return true; // SB4
  if (codes[index] === "p" || codes[index] === "x") return false; // SB5
  const left = past.replace(/(?<=[^slrpx])[px]+/g, "");
  const right = codes
    .slice(index)
    .join("")
    .replace(/(?<=[^slrpx])[px]+/g, "");
  if (NO_BREAK.some(([before, after]) => before.test(left) && after.test(right))) return false;
  return /[A!]C*S*[slr]?$/.test(left); // SB11
}

const ALPHABET = [..."aB1.!?,() \r\n\u0085", ..."\u0301\u00ad東\u3002\"'\u2029-", ..."... aB"];

test("random texts break as the rules say one by one", () => {
  const seed = 77;
  const random = seededRandom(seed);
  for (let round = 0; round < effort({ usual: 5_000, full: 30_000 }); round++) {
    const length = random.below(14);
    const text = Array.from({ length }, () => ALPHABET[random.below(ALPHABET.length)]).join("");
    const expected = { seed, text, breaks: slowBreaks(text) };
    expectEqual({ seed, text, breaks: breaksOf(text) }, expected);
    expectEqual({ seed, text, breaks: breaksOf(text, 1 + (round % 3)) }, expected);
  }
});

test("the letters of the slow twin stand for the classes in order", () => {
  const order = [S.other, S.carriageReturn, S.lineFeed, S.separator, S.extend, S.format, S.space];
  const rest = [S.lower, S.upper, S.letter, S.numeric, S.ambiguousTerminator, S.terminator];
  const all = [...order, ...rest, S.close, S.continuation];
  expect(all.map((value) => CODES[value]).join("")).toBe(CODES);
});
