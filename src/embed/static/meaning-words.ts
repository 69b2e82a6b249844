/** Letters and digits in a row; accents are no parts of words here. */
const WORD = /[\p{L}\p{N}]+/gu;
const NUMBER = /^\p{N}+$/u;
/** UTF-16 units of a word that count: a stemmer's time grows with them. */
const WORD_UNITS_MAX = 64;

/**
 * The words of a text by which its meaning is looked up: lower case, without accents. Plain numbers
 * are left out: whether texts share a 7 says nothing about what they mean.
 */
export function meaningWords(text: string): string[] {
  const plain = text
    .normalize("NFD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase();
  const words = (plain.match(WORD) ?? []).map((word) => word.slice(0, WORD_UNITS_MAX));
  return words.filter((word) => !NUMBER.test(word));
}
