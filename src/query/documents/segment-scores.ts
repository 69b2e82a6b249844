/** Scores of the documents of one segment. */

import { emptyBits, type OrdinalBits } from "./ordinal-bits.ts";

/** Scores of one segment. */
export interface SegmentScores {
  /** By ordinal; without meaning for documents that are not in `scored`. */
  readonly values: Float64Array;
  /** The documents that the clause produces. */
  readonly scored: OrdinalBits;
  /**
   * The score, beside other clauses, of documents that they produce and this one does not; absent:
   * as if it were not there.
   */
  readonly otherwise?: number | undefined;
}

/** Makes scores without any document. */
export function noScores(count: number): SegmentScores {
  return { values: new Float64Array(count), scored: emptyBits(count) };
}

/** Bytes of the scores of so many documents. */
export function scoreBytes(count: number): number {
  return count * Float64Array.BYTES_PER_ELEMENT + (count >>> 3);
}

const FLOAT32_MAX = 3.4028234663852886e38;

/**
 * The score as answers give it, a float32. What is beyond its range becomes the greatest, since
 * JSON has no infinity; infinity times 0 is 0.
 */
export function roundScore(score: number): number {
  if (Number.isNaN(score)) return 0;
  return Math.fround(Math.min(Math.max(score, -FLOAT32_MAX), FLOAT32_MAX));
}

/** The key of a document in a ranking: its score, negated; NaN if it is zero and so left out. */
export function scoreKey(score: number): number {
  const rounded = roundScore(score);
  return rounded === 0 ? Number.NaN : -rounded;
}
