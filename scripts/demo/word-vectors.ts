/**
 * One small vector per word, so that the demo has something for late interaction: letter pairs,
 * hashed to dimensions. A stand-in for the token vectors of a real model, such as ColBERT's.
 */

/** Dimensions of each vector. */
export const WORD_DIMENSIONS = 16;

/** Words beyond this many add little to a short text. */
const WORDS_MAX = 16;

/** Unit vectors of a text's distinct words, in order; one zero-free vector if there is no word. */
export function wordVectors(text: string): number[][] {
  const words = new Set(text.toLowerCase().match(/\p{L}{2,}/gu) ?? ["?"]);
  return [...words].slice(0, WORDS_MAX).map(wordVector);
}

function wordVector(word: string): number[] {
  const sums = new Array<number>(WORD_DIMENSIONS).fill(0);
  const framed = `<${word}>`;
  for (let i = 0; i + 2 <= framed.length; i++) {
    const pair = framed.charCodeAt(i) * 31 + framed.charCodeAt(i + 1) * 17;
    sums[pair % WORD_DIMENSIONS] += 1;
  }
  const length = Math.hypot(...sums);
  return sums.map((sum) => Math.fround(sum / length));
}
