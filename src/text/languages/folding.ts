/** Case and ASCII folding of terms. Both depend on single code points only, never on the word. */
import { ASCII_SPELLINGS } from "./folding-table.ts";

const SPELLINGS: ReadonlyMap<string, string> = new Map(
  ASCII_SPELLINGS.flatMap(([spelling, characters]) =>
    Array.from(characters, (character): [string, string] => [character, spelling]),
  ),
);

const NOT_ASCII = /[^\0-\x7f]/;

/**
 * Lower-cases code point by code point: a capital sigma becomes σ wherever it stands, so that a
 * prefix of a word folds to a prefix of the folded word.
 */
export function foldCase(text: string): string {
  const lower = text.toLowerCase();
  // Only the final sigma depends on its neighbours (SpecialCasing.txt, for no language).
  return lower.includes("ς") && text.includes("Σ")
    ? text.replaceAll("Σ", "σ").toLowerCase()
    : lower;
}

/** Replaces each character that has an ASCII spelling by it: é by e, æ by ae, ß by ss. */
export function foldToAscii(text: string): string {
  if (!NOT_ASCII.test(text)) return text;
  let folded = "";
  for (const character of text) folded += SPELLINGS.get(character) ?? character;
  return folded;
}
