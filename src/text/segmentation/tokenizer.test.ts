import { expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { expectEqual } from "../../../test/support/expect-equal.ts";
import { seededRandom } from "../../base/random.ts";
import { TOKENIZERS } from "../../model/full-text-options.ts";
import { asciiScanOf, scanOf, WHOLE_TEXT } from "./tokenizer.ts";

const PARTS = [
  ..."aB1_.,:;'\"-/",
  ...[" ", " ", " ", "  ", "\n", "\r\n", "\t", "\u00a0", "\u3000", "\u2029", "。", "、"],
  ...["é", "e\u0301", "\u0301", "\u200d", "\ufe0f", "\u00ad", "א", "ア", "東", "한", "ไ"],
  ...["🐡", "👩", "🏽", "🇩", "\u20e3", "\ud800", "don't", "3.14", "a.b"],
];

test("a text that is scanned in parts has the same tokens, by every tokenizer", () => {
  for (let seed = 1; seed <= effort({ usual: 5_000, full: 20_000 }); seed++) {
    const random = seededRandom(seed);
    const parts = Array.from({ length: random.below(24) }, () => PARTS[random.below(PARTS.length)]);
    const text = parts.join("");
    const tokenizer = TOKENIZERS[seed % TOKENIZERS.length];
    const scan = scanOf(tokenizer);
    const whole: number[][] = [];
    expect(scan(text, WHOLE_TEXT, (start, end) => whole.push([start, end]))).toBe(text.length);
    const found: number[][] = [];
    let start = 0;
    do {
      const range = { start, until: start + 1 + random.below(6) };
      start = scan(text, range, (from, to) => found.push([from, to]));
    } while (start < text.length);
    const message = `seed ${seed}: ${JSON.stringify(text)} by ${tokenizer}`;
    expectEqual([start, found], [text.length, whole], message);
  }
});

test("ASCII text that is scanned in parts has the same tokens by its bytes", () => {
  const alphabet = "aaZ019__..,,::;''\"\"  \r\n\t-!\0\x7f@";
  for (let seed = 1; seed <= effort({ usual: 5_000, full: 20_000 }); seed++) {
    const random = seededRandom(seed);
    const units = Array.from(
      { length: random.below(24) },
      () => alphabet[random.below(alphabet.length)],
    );
    const text = units.join("");
    const whole: number[][] = [];
    scanOf("word_v4")(text, WHOLE_TEXT, (start, end) => whole.push([start, end]));
    const bytes = Buffer.from(`a'${text}'a`);
    const end = bytes.length - 2;
    const found: number[][] = [];
    for (let start = 2; start < end; ) {
      const range = { start, until: start + 1 + random.below(6), end };
      const next = asciiScanOf("word_v4")?.(bytes, range, (from, to) =>
        found.push([from - 2, to - 2]),
      );
      start = next ?? end;
    }
    expectEqual(found, whole, `seed ${seed}: ${JSON.stringify(text)}`);
  }
});
