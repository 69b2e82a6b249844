/** Posting lists whose scores are added up, with bounds that tell which of them may matter. */

import type { ListBlocks } from "../../segment/postings/block-section.ts";
import type { OrdinalList } from "../../segment/postings/ordinal-list.ts";

/**
 * What one posting list adds to the scores of documents. Loops over its postings are its own, as no
 * call is to lie between a loop and its numbers.
 */
export interface ScoredList {
  readonly ordinals: OrdinalList;
  /** Undefined if the segment has none. */
  readonly blocks: ListBlocks | undefined;
  /** No score here is farther from 0. */
  readonly magnitude: number;
  /**
   * Of each block a score that none of its postings exceeds by more than `BOUND_SLACK` of it, and
   * at least 0, what documents without a posting have.
   */
  blockBounds(blocks: ListBlocks): Float64Array;
  /** The same list, whose scores are so many times as great but for their rounding; 0 or more. */
  scaled(factor: number): ScoredList;
  /** The score of the posting at an index, which is this ordinal's. */
  scoreAt(index: number, ordinal: number): number;
  /**
   * Adds the scores of the postings from `start` to before `end`, of which no ordinal is less than
   * `base`, to `sums`, at ordinal − `base`.
   */
  addScores(sums: Float64Array, base: number, range: PostingRange): void;
  /** Writes such postings, with their scores, to the start of `to`. */
  copyScores(to: ScoredDocuments, base: number, range: PostingRange): void;
}

/** Documents and scores. */
export interface ScoredDocuments {
  readonly ordinals: Uint32Array;
  readonly scores: Float64Array;
}

/** Postings by their index in a list. */
export interface PostingRange {
  readonly start: number;
  readonly end: number;
}

/** By how much scores may exceed bounds, in parts of them: float32 roundings, of which two matter. */
export const BOUND_SLACK = 2 ** -21;

/** Bounds of the scores of a list, by block. */
export interface ListBounds {
  /** Postings of each block but the last. */
  readonly blockPostings: number;
  readonly lastOrdinals: Uint32Array;
  readonly bounds: Float64Array;
}

/** Postings up to which a list is bounded by looking at all of them. */
const BOUNDED_POSTINGS_MAX = 128;

/** Tells whether a list can be bounded: by the segment, or since it is short. */
export function hasBounds({
  blocks,
  ordinals,
}: {
  readonly blocks: ListBlocks | undefined;
  readonly ordinals: Pick<OrdinalList, "length">;
}): boolean {
  return blocks !== undefined || ordinals.length <= BOUNDED_POSTINGS_MAX;
}

/** Blocks of a list that can be bounded. */
export function blockCount({ blocks }: ScoredList): number {
  return blocks?.lastOrdinals.length ?? 1;
}

/** Bounds a list that has a posting and can be bounded. */
export function boundList(list: ScoredList): ListBounds {
  const { blocks, ordinals } = list;
  if (blocks !== undefined) {
    const { blockPostings, lastOrdinals } = blocks;
    return { blockPostings, lastOrdinals, bounds: list.blockBounds(blocks) };
  }
  const count = ordinals.length;
  let most = 0;
  let last = 0;
  for (let i = 0; i < count; i++) {
    last = ordinals.at(i, last >>> 16);
    most = Math.max(most, list.scoreAt(i, last));
  }
  return {
    blockPostings: count,
    lastOrdinals: Uint32Array.of(last),
    bounds: Float64Array.of(most),
  };
}
