/** Scores of the documents of one segment, and how clauses are put together. */

import { hasBit } from "../codec/bitmap.ts";
import { emptyBits, forEachBit, type OrdinalBits, orBits } from "./ordinal-bits.ts";

/** Scores of one segment. */
export interface SegmentScores {
  /** By ordinal; without meaning for documents that are not in `scored`. */
  readonly values: Float64Array;
  /** The documents that the clause produces. */
  readonly scored: OrdinalBits;
}

/** Makes scores without any document. */
export function noScores(count: number): SegmentScores {
  return { values: new Float64Array(count), scored: emptyBits(count) };
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

/** Merges what is present: a document that a clause misses is as if the clause were not there. */
export function combineScores(
  parts: readonly SegmentScores[],
  count: number,
  merge: (a: number, b: number) => number,
): SegmentScores {
  const { values, scored } = noScores(count);
  for (const part of parts) {
    forEachBit(part.scored, (ordinal) => {
      const value = part.values[ordinal];
      values[ordinal] = hasBit(scored, ordinal) ? merge(values[ordinal], value) : value;
    });
    orBits(scored, part.scored);
  }
  return { values, scored };
}

/** Changes the scores in place: the clause's arrays belong to its parent. */
export function mapScores(scores: SegmentScores, change: (value: number) => number): SegmentScores {
  const { values } = scores;
  forEachBit(scores.scored, (ordinal) => {
    values[ordinal] = change(values[ordinal]);
  });
  return scores;
}
