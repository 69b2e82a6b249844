/**
 * BM25 with a saturated query side, as Robertson and Zaragoza give it (The Probabilistic Relevance
 * Framework, 2009). The arithmetic rounds to float32 where the public service does, so that scores
 * equal those known of it to the last bit; the caller adds the scores of a query's terms. Where it
 * rounds was found by trying: these roundings give all digits of the nine scores in
 * `bm25.test.ts`. Some others do so, too, so more scores may tell them apart.
 */

/** The part of the full-text options that shapes the weight of a term in a document. */
export interface TermSaturation {
  readonly k1: number;
  readonly b: number;
}

/**
 * Below these odds against a term the logarithm is not taken of a float32: the sum with 1 would
 * lose more than 1e-4 of them, and in the end all.
 */
const ODDS_MIN = 2 ** -10;

/**
 * Weight of a term that `frequency` of `count` documents have, a float32. Always positive: the 1 in
 * the logarithm is Lucene's. Without any documents it is ln 2.
 */
export function inverseDocumentFrequency(count: number, frequency: number): number {
  const odds = (count - frequency + 0.5) / (frequency + 0.5);
  return Math.fround(odds < ODDS_MIN ? Math.log1p(odds) : Math.log(Math.fround(1 + odds)));
}

/** Weight of a term that the query has `frequency` times. */
export function queryWeight(frequency: number, k3: number): number {
  return (frequency * (k3 + 1)) / (frequency + k3);
}

/** What a term scores at most: its two weights, times the bound that saturation has. */
export function termWeight(idf: number, weightInQuery: number, k1: number): number {
  return Math.fround(Math.fround(idf * Math.fround(k1 + 1)) * weightInQuery);
}

/**
 * Score of a term that a document has `frequency` times. `relativeLength` is the document's length
 * in terms divided by the average length.
 */
export function termScore(
  weight: number,
  frequency: number,
  relativeLength: number,
  { k1, b }: TermSaturation,
): number {
  const norm = k1 * (1 - b + b * relativeLength);
  return Math.fround(weight * Math.fround(frequency / Math.fround(frequency + norm)));
}

/** What a document scores when any of its terms starts with the query's last token. */
export const PREFIX_SCORE = 1;
