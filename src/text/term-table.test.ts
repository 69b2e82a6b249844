import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { effort } from "../../test/support/effort.ts";
import { testRandom } from "../../test/support/random/seed.ts";
import { type Random, seededRandom } from "../base/random.ts";
import type { FullTextOptions } from "../model/full-text-options.ts";
import { TOKENIZERS } from "../model/full-text-options.ts";
import { type Analyzer, analyzerFor, type Token } from "./analyzer.ts";
import { FULL_TEXT_DEFAULTS } from "./full-text-rules.ts";
import { TABLE_TOKEN_UNITS_MAX, TABLE_TOKENS_MAX, type TermTable } from "./term-table.ts";

/** The terms of a text as its table has them; the text lies between others. */
function termsBy(table: TermTable, text: string): string[] {
  return tokensBy(table, text).map(({ term }) => term);
}

function tokensBy(table: TermTable, text: string): Pick<Token, "term" | "position">[] {
  const bytes = Buffer.from(`é${text}x`);
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  const tokens: Pick<Token, "term" | "position">[] = [];
  const visit = (code: number, position: number): void => {
    tokens.push({ term: table.stringOf(code), position });
  };
  table.begin(shared, 2, shared.length - 1);
  while (table.advance(visit));
  return tokens;
}

function tokensOf(analyzer: Analyzer, text: string): Pick<Token, "term" | "position">[] {
  return analyzer.analyze(text).map(({ term, position }) => ({ term, position }));
}

const PIECES = ["The", "the", "foxes", "running", "don't", "3.14", "a_b", "e.g.", "x".repeat(60)]
  .concat(["Ærø", "naïve", "東京タワー", "🐡", "'", ".", "-", "is", "É".repeat(50), "ſ", "İ"])
  .concat(["y".repeat(TABLE_TOKEN_UNITS_MAX), "z".repeat(TABLE_TOKEN_UNITS_MAX + 1)]);

function textOf(random: Random): string {
  const isAscii = random.below(2) === 0;
  const parts = Array.from({ length: random.below(12) }, () => {
    const piece = PIECES[random.below(PIECES.length)];
    const word = isAscii ? piece.replace(/[^\0-\x7f]/g, "n") : piece;
    return random.below(3) === 0 ? word + random.below(300) : word;
  });
  return parts.join(random.below(4) === 0 ? "" : " ");
}

describe("the terms of random texts", () => {
  const changes: Partial<FullTextOptions>[] = [
    {},
    { stemming: true, removeStopwords: true },
    { asciiFolding: true, caseSensitive: true, maxTokenLength: 20 },
  ];
  const cases = TOKENIZERS.flatMap((tokenizer) =>
    changes.map((change) => ({ tokenizer, ...change })),
  );

  test.each(cases)("with %j are those of the analyzer", (change) => {
    const random = testRandom();
    const analyzer = analyzerFor({ ...FULL_TEXT_DEFAULTS, ...change });
    const table = analyzer.takeTable();
    const texts = Array.from({ length: effort({ usual: 200, full: 2_000 }) }, () => textOf(random));
    const isWrong = (text: string) =>
      !isDeepStrictEqual(tokensBy(table, text), tokensOf(analyzer, text));
    expect(texts.filter(isWrong)).toEqual([]);
  });
});

test("tokens beyond those that a table learns have terms; that table is nobody else's", () => {
  const random = seededRandom(5);
  const analyzer = analyzerFor(FULL_TEXT_DEFAULTS);
  const table = analyzer.takeTable();
  for (let text = 0; text < effort({ usual: 180, full: 400 }); text++) {
    const words = Array.from({ length: 1_000 }, () => `W${random.below(4 * TABLE_TOKENS_MAX)}`);
    const terms = words.map((word) => word.toLowerCase());
    if (termsBy(table, words.join(" ")).join() !== terms.join()) expect.fail(`text ${text}`);
  }
  expect(table.isLarge).toBe(true);
  analyzer.giveBack(table);
  expect(analyzer.takeTable()).not.toBe(table);
});

test("tokens of one hash have their own terms", () => {
  // "aa" and "bB" are hashed alike, and so is what they are parts of.
  const words = Array.from({ length: 256 }, (_, n) =>
    Array.from({ length: 8 }, (_, bit) => ((n >> bit) & 1 ? "aa" : "bB")).join(""),
  );
  const table = analyzerFor({ ...FULL_TEXT_DEFAULTS, caseSensitive: true }).takeTable();
  for (let round = 0; round < 2; round++) expect(termsBy(table, words.join(" "))).toEqual(words);
});

test("long texts have many parts, of any script", () => {
  const sentences = ["Fish swim in the sea. ", "魚は海で泳ぐ、", "Рыба,плывёт,в,море,", "a,b-c;"];
  for (const sentence of sentences) {
    const bytes = Buffer.from(sentence.repeat(10_000));
    const table = analyzerFor(FULL_TEXT_DEFAULTS).takeTable();
    let parts = 1;
    table.begin(bytes, 0, bytes.length);
    while (table.advance(() => {})) parts++;
    expect(parts).toBeGreaterThan(sentence.length / 2);
  }
});

test("a table that is given back is the next one's", () => {
  const analyzer = analyzerFor({ ...FULL_TEXT_DEFAULTS, k3: 7 });
  const table = analyzer.takeTable();
  expect(analyzer.takeTable()).not.toBe(table);
  expect(termsBy(table, "fox")).toEqual(["fox"]);
  analyzer.giveBack(table);
  expect(analyzer.takeTable()).toBe(table);
});
