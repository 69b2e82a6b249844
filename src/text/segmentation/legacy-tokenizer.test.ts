import { describe, expect, test } from "vitest";
import { seededRandom } from "../../base/random.ts";
import { type Scan, scanWordsV0, scanWordsV1, scanWordsV2 } from "./legacy-tokenizer.ts";
import { WHOLE_TEXT } from "./tokenizer.ts";

function tokensOf(scan: Scan, text: string): string[] {
  const tokens: string[] = [];
  scan(text, WHOLE_TEXT, (start, end) => tokens.push(text.slice(start, end)));
  return tokens;
}

describe.each([
  ["word_v0", scanWordsV0, ["don", "t", "東京タワー", "3", "14", "é1"]],
  ["word_v1", scanWordsV1, ["don", "t", "東京タワー", "🐡", "👩🏽\u200d🚀", "🇩🇪", "3", "14", "é1"]],
  [
    "word_v2",
    scanWordsV2,
    ["don", "t", "東", "京", "タワー", "🐡", "👩🏽\u200d🚀", "🇩🇪", "3", "14", "é1"],
  ],
] as const)("%s", (_name, scan, tokens) => {
  test("finds its tokens", () => {
    expect(tokensOf(scan, "don't 東京タワー(🐡👩🏽\u200d🚀🇩🇪) 3.14_é1 🇩 \ud800")).toEqual(tokens);
  });

  test("finds nothing in text without tokens", () => {
    expect(tokensOf(scan, "")).toEqual([]);
    expect(tokensOf(scan, " .,-\u0301\u200d")).toEqual([]);
  });
});

/** The same tokens by regular expressions over the engine's own Unicode data. */
const WORD = "[\\p{Alphabetic}\\p{N}\\p{Ideographic}]";
const OTHER = "(?!\\p{Ideographic})[\\p{Alphabetic}\\p{N}]";
const MODIFIERS = "[\\ufe0e\\ufe0f\\u20e3\\u{1f3fb}-\\u{1f3ff}\\u{e0020}-\\u{e007f}]*";
const PICTOGRAPH = `\\p{Extended_Pictographic}${MODIFIERS}`;
const EMOJI = `\\p{Regional_Indicator}{2}|${PICTOGRAPH}(?:\\u200d${PICTOGRAPH})*`;
const PATTERNS: readonly (readonly [Scan, RegExp])[] = [
  [scanWordsV0, new RegExp(`(?:${WORD})+`, "gu")],
  [scanWordsV1, new RegExp(`(?:${WORD})+|${EMOJI}`, "gu")],
  [scanWordsV2, new RegExp(`\\p{Ideographic}|(?:${OTHER})+|${EMOJI}`, "gu")],
];
const ALPHABET = [..."aZ é_09.,' ", ..."אタ東ー々①Ⓜ㊗\u0301\u200d🐡👩🇩🇪🏽\ufe0f©\ud800"];

test("random texts have the tokens that regular expressions find", () => {
  const seed = 99;
  const random = seededRandom(seed);
  for (let round = 0; round < 10_000; round++) {
    const length = random.below(12);
    const text = Array.from({ length }, () => ALPHABET[random.below(ALPHABET.length)]).join("");
    for (const [scan, pattern] of PATTERNS) {
      const expected = text.match(pattern) ?? [];
      expect([seed, text, tokensOf(scan, text)]).toEqual([seed, text, [...expected]]);
    }
  }
});
