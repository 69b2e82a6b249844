/** Loops over the postings that a list has in a chunk of a segment; see `chunk-scorer.ts`. */

import { PAGE_ORDINALS } from "../../../segment/postings/list-layout.ts";
import type { OrdinalList } from "../../../segment/postings/ordinal-list.ts";
import type { PostingRange } from "../../documents/scored-list.ts";

/** What is known of the documents of a chunk, by ordinal less its base. */
export interface ChunkSums {
  /** Sums so far; 0 for those without any. */
  readonly sums: Float64Array;
  /** A bit for each document that was taken. */
  readonly taken: Uint32Array;
  /** A bit for each word of those that has one. */
  readonly takenWords: Uint32Array;
  /** Their sums; what it has of others means nothing. */
  readonly kept: Float64Array;
}

/** Sums of a chunk, and where those that may be kept are listed. */
export interface ListedSums extends Pick<ChunkSums, "sums"> {
  readonly ordinals: Uint32Array;
  readonly scores: Float64Array;
}

/** Postings of a list, none of an ordinal before `base`. */
export interface ChunkPostings {
  readonly ordinals: OrdinalList;
  readonly base: number;
  readonly range: PostingRange;
}

/** Postings of one page, which begins at `first` in the chunk; it may be before it. */
interface PagePostings {
  readonly lows: Uint16Array;
  readonly first: number;
  readonly start: number;
  readonly end: number;
}

/**
 * Takes the documents of some postings whose sums are not less than `least`, each once, and makes
 * the sums 0 of all of them. So those that a list before had as well, and that were not taken then,
 * have no sum that is reached now, unless `least` is no more than 0.
 */
export function takeReached(chunk: ChunkSums, postings: ChunkPostings, least: number): void {
  const { ordinals, base, range } = postings;
  const { lows } = ordinals;
  let page = base >>> 16;
  for (let start = range.start; start < range.end; ) {
    page = ordinals.pageOf(start, page);
    const end = Math.min(range.end, ordinals.pageEnd(page));
    takePage(chunk, { lows, first: page * PAGE_ORDINALS - base, start, end }, least);
    start = end;
  }
}

/**
 * Writes the documents of a chunk from `base` to before `end` whose sums are not less than `least`,
 * which is above 0, and those sums to the start of `listed`, as far as they are in `within`; makes
 * all sums 0, and returns how many there are. Looks at each document: where there are more postings
 * than that, it is faster than to take them one by one.
 */
export function listReached(
  { sums, ordinals, scores }: ListedSums,
  within: Uint32Array,
  { base, end }: { readonly base: number; readonly end: number },
  least: number,
): number {
  const width = end - base;
  let count = 0;
  for (let at = 0; at < width; at++) {
    const sum = sums[at];
    if (sum < least) continue;
    const ordinal = base + at;
    if (((within[ordinal >>> 5] >>> (ordinal & 31)) & 1) === 0) continue;
    ordinals[count] = ordinal;
    scores[count++] = sum;
  }
  sums.fill(0, 0, width);
  return count;
}

/**
 * Writes the indexes of those of some postings whose documents were taken to the start of
 * `indexes`, which has room for one more than there are postings; returns how many they are.
 */
export function findTaken(
  taken: Uint32Array,
  postings: ChunkPostings,
  indexes: Uint32Array,
): number {
  const { ordinals, base, range } = postings;
  const { lows } = ordinals;
  let page = base >>> 16;
  let count = 0;
  for (let start = range.start; start < range.end; ) {
    page = ordinals.pageOf(start, page);
    const end = Math.min(range.end, ordinals.pageEnd(page));
    const part = { lows, first: page * PAGE_ORDINALS - base, start, end };
    count = findOnPage(taken, part, indexes, count);
    start = end;
  }
  return count;
}

/** A function of its own, so that V8 makes a plain loop. */
function takePage(
  { sums, taken, takenWords, kept }: ChunkSums,
  { lows, first, start, end }: PagePostings,
  least: number,
): void {
  for (let i = start; i < end; i++) {
    const at = first + lows[i];
    const sum = sums[at];
    sums[at] = 0;
    if (sum < least) continue;
    const bit = 1 << (at & 31);
    if ((taken[at >>> 5] & bit) !== 0) continue;
    taken[at >>> 5] |= bit;
    takenWords[at >>> 10] |= 1 << ((at >>> 5) & 31);
    kept[at] = sum;
  }
}

/** Writes without a branch that would often be mistaken; a function of its own as `takePage` is. */
function findOnPage(
  taken: Uint32Array,
  { lows, first, start, end }: PagePostings,
  indexes: Uint32Array,
  from: number,
): number {
  let count = from;
  for (let i = start; i < end; i++) {
    const at = first + lows[i];
    indexes[count] = i;
    count += (taken[at >>> 5] >>> (at & 31)) & 1;
  }
  return count;
}
