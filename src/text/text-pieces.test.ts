import { expect, test } from "vitest";
import { effort } from "../../test/support/effort.ts";
import { expectEqual } from "../../test/support/expect-equal.ts";
import { seededRandom } from "../base/random.ts";
import { TOKENIZERS } from "../model/full-text-options.ts";
import { scanOf } from "./segmentation/tokenizer.ts";
import { piecesOf } from "./text-pieces.ts";

const PARTS = [
  ..."aB1_.,:;'\"-/",
  ...[" ", " ", " ", "  ", "\n", "\r\n", "\t", "\u00a0", "\u3000", "\u2029", "。", "、"],
  ...["é", "e\u0301", "\u0301", "\u200d", "\ufe0f", "\u00ad", "א", "ア", "東", "한", "ไ"],
  ...["🐡", "👩", "🏽", "🇩", "\u20e3", "\ud800", "don't", "3.14", "a.b"],
];

test("pieces of a text have its tokens, by every tokenizer", () => {
  for (let seed = 1; seed <= effort({ usual: 5_000, full: 20_000 }); seed++) {
    const random = seededRandom(seed);
    const parts = Array.from({ length: random.below(24) }, () => PARTS[random.below(PARTS.length)]);
    const text = parts.join("");
    const tokenizer = TOKENIZERS[seed % TOKENIZERS.length];
    const whole: number[][] = [];
    scanOf(tokenizer)(text, (start, end) => whole.push([start, end]));
    const found: number[][] = [];
    let end = 0;
    for (const piece of piecesOf(text, tokenizer, 1 + random.below(6))) {
      if (piece.start !== end) expect(piece.start, `seed ${seed}`).toBe(end);
      end = piece.end;
      scanOf(tokenizer)(text.slice(piece.start, end), (from, to) =>
        found.push([piece.start + from, piece.start + to]),
      );
    }
    const message = `seed ${seed}: ${JSON.stringify(text)} by ${tokenizer}`;
    expectEqual([end, found], [text.length, whole], message);
  }
});

test("long texts have many pieces, of any script", () => {
  for (const sentence of ["Fish swim in the sea. ", "魚は海で泳ぐ。", "Рыба плывёт в море.\n"]) {
    const text = sentence.repeat(4_000);
    const pieces = [...piecesOf(text, "word_v4")];
    expect(pieces.length).toBeGreaterThan(text.length / 9_000);
  }
  const elements = "a b ".repeat(10_000);
  expect([...piecesOf(elements, "pre_tokenized_array")]).toHaveLength(1);
});
