import type { Random } from "../../../src/base/random.ts";

/** Texts that programs have lost parts of. */
const ODD = [
  "",
  " ",
  "\ufeff",
  "\ufefftext after a byte order mark",
  "text \ufeff with a mark inside",
  "\0",
  "a\0b",
  "\u0001\u001f\u007f\u0085",
  "line\nfeed",
  "carriage\rreturn",
  "both\r\n",
  "\r",
  "\n",
  "\t tab \t",
  "line\u2028and paragraph\u2029",
  " blanks at both ends ",
  "\u00a0no break\u00a0",
  '"',
  '""',
  ' "blank before a quote"',
  'a "quote" inside',
  "comma, semicolon; bar|",
  "\\",
  "\\u0000",
  "\ufffd",
  "\uffff\ufffe",
  "e\u0301 and é",
  "\u{1f1e9}\u{1f1ea}",
  "\u{10ffff}",
  "=1+1",
  "null",
  "NaN",
];

/** JSON may name halves of a pair, which are no characters and no UTF-8. */
export const UNPAIRED_TEXTS = ["\ud800", "a\udfffb", "\udc00\ud800"];

/** Odd texts, and random ones of characters of every plane, without halves of surrogates. */
export function oddTexts(random: Random, count: number): string[] {
  const texts = Array.from({ length: count }, () =>
    String.fromCodePoint(...Array.from({ length: 1 + random.below(12) }, () => codePoint(random))),
  );
  return [...ODD, ...texts];
}

/** Draws a code point of ASCII, of one plane, or of any: each kind is equally likely. */
function codePoint(random: Random): number {
  const end = [0x80, 0x800, 0x10000, 0x110000][random.below(4)];
  const point = random.below(end);
  return point >= 0xd800 && point < 0xe000 ? point - 0x800 : point;
}
