/**
 * BM25 with a saturated query side, as Robertson and Zaragoza give it (The Probabilistic Relevance
 * Framework, 2009), in 64-bit arithmetic. A document's score is the sum over the query's terms of
 * `inverseDocumentFrequency * termWeight * queryWeight`; the caller rounds the sum to float32.
 */

/** The part of the full-text options that shapes the weight of a term in a document. */
export interface TermSaturation {
  readonly k1: number;
  readonly b: number;
}

/**
 * Weight of a term that `frequency` of `count` documents have. Never negative: the 1 in the
 * logarithm is Lucene's. Without any documents it is ln 2.
 */
export function inverseDocumentFrequency(count: number, frequency: number): number {
  return Math.log1p((count - frequency + 0.5) / (frequency + 0.5));
}

/**
 * Weight of a term that a document has `frequency` times. `relativeLength` is the document's
 * length in terms divided by the average length.
 */
export function termWeight(
  frequency: number,
  relativeLength: number,
  { k1, b }: TermSaturation,
): number {
  return (frequency * (k1 + 1)) / (frequency + k1 * (1 - b + b * relativeLength));
}

/** Weight of a term that the query has `frequency` times. */
export function queryWeight(frequency: number, k3: number): number {
  return (frequency * (k3 + 1)) / (frequency + k3);
}

/** What a document scores when any of its terms starts with the query's last token. */
export const PREFIX_SCORE = 1;
