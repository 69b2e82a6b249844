import { expect, test } from "vitest";
import { foldCase, foldToAscii } from "./folding.ts";
import { ASCII_SPELLINGS } from "./folding-table.ts";

test("case folds per code point, so that the final sigma is no exception", () => {
  expect(foldCase("ΟΔΟΣ ΟΔΟς")).toBe("οδοσ οδος");
  expect(foldCase("ÆRØ İ Ǆ ẞ")).toBe("ærø i̇ ǆ ß");
  for (let codePoint = 0; codePoint < 0x110000; codePoint++) {
    const character = String.fromCodePoint(codePoint);
    if (foldCase(`a${character}`) !== `a${foldCase(character)}`) {
      expect.fail(`U+${codePoint.toString(16)} folds by its neighbours`);
    }
  }
});

test.each([
  ["café", "cafe"],
  ["naïve Ærø straße", "naive AEro strasse"],
  ["œuvre ﬁn ĳs þorn", "oeuvre fin ijs thorn"],
  ["Ａｂｃ１２", "Abc12"],
  ["“x” – ‹y› ₂ ⒜ ①", "\"x\" - 'y' 2 (a) 1"],
  ["plain", "plain"],
  ["馬 ب д", "馬 ب д"],
])("%s in ASCII is %s", (text, ascii) => {
  expect(foldToAscii(text)).toBe(ascii);
});

test("Latin letters with marks fold to the letter that they decompose to, but for case", () => {
  const known = new Set(ASCII_SPELLINGS.flatMap(([, characters]) => Array.from(characters)));
  for (const character of known) {
    const base = character.normalize("NFD").replaceAll(/\p{M}/gu, "");
    if (!/^[A-Za-z]$/.test(base)) continue;
    const folded = foldToAscii(character).toLowerCase();
    expect([character, folded]).toEqual([character, base.toLowerCase()]);
  }
  for (let code = 0xc0; code < 0x250; code++) {
    const character = String.fromCodePoint(code);
    if (/^[A-Za-z]\p{M}+$/u.test(character.normalize("NFD"))) {
      expect([character, known.has(character)]).toEqual([character, true]);
    }
  }
});

test("the table says one spelling, in ASCII, for each character, none of which is ASCII", () => {
  const seen = new Set<string>();
  for (const [spelling, characters] of ASCII_SPELLINGS) {
    expect(spelling).toMatch(/^[ -~]+$/);
    for (const character of characters) {
      expect([character, seen.has(character), character >= "\u0080"]).toEqual([
        character,
        false,
        true,
      ]);
      seen.add(character);
    }
  }
  expect(seen.size).toBe(1242);
});
