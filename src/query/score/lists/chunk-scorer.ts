/** Scores documents of a part of a segment by posting lists, and offers the best; see `best-scores.ts`. */

import { setBit } from "../../../codec/bitmap.ts";
import {
  CANDIDATES_MAX,
  type CandidateScores,
  newCandidateScores,
  type ScoreCandidates,
} from "../../documents/bounded-scores.ts";
import type { ListCursor } from "../../documents/list-cursor.ts";
import type { OrdinalBits } from "../../documents/ordinal-bits.ts";
import type { PostingRange } from "../../documents/scored-list.ts";
import { scoreKey } from "../../documents/segment-scores.ts";
import type { DocumentRanking } from "../../documents/top-documents.ts";
import type { WorkStats } from "../../operator/work-stats.ts";
import { CHUNK, type ChunkBuffers, lendBuffers, returnBuffers } from "./chunk-buffers.ts";
import { findTaken, listReached, takeReached } from "./take-reached.ts";

/** What documents are ranked by and from. */
export interface BestScoresRun {
  readonly documentCount: number;
  /** The documents that count; not to be changed. */
  readonly within: OrdinalBits;
  readonly ranking: DocumentRanking;
  /** Of the segment in the snapshot. */
  readonly segment: number;
  readonly work: WorkStats;
}

/** Work between two pauses, in postings that are scored, of some nanoseconds each. */
const POSTINGS_PER_STEP = 32_768;
/** Postings that are scored without a pause, at most: those of as many lists in a part of a chunk. */
const POSTINGS_AT_ONCE = 524_288;
/** What it costs to look a document up in a list, in postings. */
const LOOKUP_POSTINGS = 8;
/** Postings that can be gone over in the time of a lookup. */
const SCANNED_PER_LOOKUP = 24;
/** Sums that can be looked at in the time in which a posting's document is taken. */
const SCANNED_PER_POSTING = 2;
/** What it costs to offer a document that is kept or has to be compared by its id, in postings. */
const OFFER_POSTINGS = 64;
/** Documents that are offered at once. */
const OFFERED = Math.min(CANDIDATES_MAX, POSTINGS_PER_STEP / OFFER_POSTINGS);

/** A part of a window. */
interface Chunk {
  readonly from: number;
  /** Behind the window. */
  readonly end: number;
  /** What lists that are not essential add at most. */
  readonly rest: number;
}

/** A part of a chunk that is scored, and the sum that is to be reached. */
interface ScoredChunk {
  readonly base: number;
  readonly end: number;
  readonly least: number;
}

/** What documents are scored by. */
export interface ChunkLists {
  /** In the order of summation. */
  readonly cursors: readonly ListCursor[];
  /** The same, those of the greatest bounds last; changed between two chunks. */
  readonly order: readonly ListCursor[];
  /** Absent: scores are the sums. */
  readonly exact: ScoreCandidates | undefined;
}

/**
 * Adds up the scores of documents of essential lists, and offers those that may be kept. Its work
 * is done in pieces, between which callers may pause: a generator for each part of a chunk was most
 * of what a query allocated.
 */
export class ChunkScorer {
  readonly #cursors: readonly ListCursor[];
  readonly #order: readonly ListCursor[];
  readonly #exact: ScoreCandidates | undefined;
  readonly #exactScores: CandidateScores;
  readonly #run: BestScoresRun;
  readonly #buffers: ChunkBuffers;
  /** Ordinals that are scored at once: a multiple of 32. */
  readonly #chunkOrdinals: number;
  /** Since the last pause, in postings. */
  #worked = 0;
  /** Documents of the chunk that are listed and may be kept. */
  #count = 0;
  /** Lists of `order` in which they were not looked up yet, from the last of them on. */
  #toLookUp = 0;
  /** What those lists add at most. */
  #missing = 0;
  /** Lists of `cursors` of which the listed ones' scores were added, in order; all at the end. */
  #added = 0;
  /** Number of listed documents that were offered. */
  #offered = 0;

  /** Documents that were scored by themselves, not by sums. */
  exactCount = 0;

  constructor({ cursors, order, exact }: ChunkLists, run: BestScoresRun) {
    this.#cursors = cursors;
    this.#order = order;
    this.#exact = exact;
    this.#exactScores = exact === undefined ? NO_SCORES : newCandidateScores();
    this.#run = run;
    this.#buffers = lendBuffers();
    const each = Math.floor(POSTINGS_AT_ONCE / cursors.length);
    this.#chunkOrdinals = Math.min(CHUNK, Math.max(32, each & ~31));
  }

  /** Gives its buffers to the next one. */
  end(): void {
    returnBuffers(this.#buffers);
  }

  /** Counts work, in postings, and tells whether it is time for a pause. */
  isPauseDue(postings: number): boolean {
    this.#worked += postings;
    if (this.#worked < POSTINGS_PER_STEP) return false;
    this.#worked = 0;
    return true;
  }

  /**
   * Scores the first documents of essential lists from an ordinal on; returns where it ended. The
   * rest of the chunk's work is for `advance`.
   */
  begin({ from, end, rest }: Chunk, least: number): number {
    this.#count = 0;
    this.#offered = 0;
    const first = this.#firstOrdinal(from);
    if (first >= end) return end;
    const base = first & ~31;
    const chunkEnd = Math.min(base + this.#chunkOrdinals, end);
    if (!hasAny(this.#run.within, base, Math.min(chunkEnd, this.#run.documentCount))) {
      return chunkEnd;
    }
    this.#count = this.#scoreEssential(base, chunkEnd, least - rest);
    this.#missing = rest;
    const order = this.#order;
    let others = order.length;
    while (others > 0 && order[others - 1].isEssential) others--;
    this.#toLookUp = others;
    const isAdded = others === 0 || this.#exact !== undefined;
    this.#added = isAdded ? this.#cursors.length : 0;
    return chunkEnd;
  }

  /** Does a piece of the chunk's work, if `least` has to be reached; tells whether there was one. */
  advance(least: number): boolean {
    if (this.#offered === this.#count) return false;
    if (this.#toLookUp > 0) this.#lookUpNext(least);
    else if (this.#added < this.#cursors.length) this.#addNext();
    else this.#offerNext();
    return true;
  }

  /** The first ordinal from one on that an essential list has; infinity if there is none. */
  #firstOrdinal(from: number): number {
    let first = Number.POSITIVE_INFINITY;
    for (const cursor of this.#cursors) {
      if (!cursor.isEssential) continue;
      const { ordinals } = cursor.list;
      cursor.posting = cursor.find(from, cursor.posting);
      if (cursor.posting < ordinals.length)
        first = Math.min(first, ordinals.at(cursor.posting, from >>> 16));
    }
    return first;
  }

  /**
   * Lists documents for which essential lists add up to a sum, or more; returns how many. Sums are
   * in the order of the lists.
   */
  #scoreEssential(base: number, end: number, least: number): number {
    const order = this.#order;
    const isSingle = order.length === 1 || !order[order.length - 2].isEssential;
    if (isSingle) return this.#scoreList(order[order.length - 1], { base, end, least });
    const { sums } = this.#buffers;
    let postings = 0;
    for (const cursor of this.#cursors) {
      if (!cursor.isEssential) continue;
      const followed = this.#follow(cursor, end);
      cursor.followed = followed;
      cursor.list.addScores(sums, base, followed);
      postings += followed.end - followed.start;
    }
    if (least > 0 && postings * SCANNED_PER_POSTING > end - base) {
      return listReached(this.#buffers, this.#run.within, { base, end }, least);
    }
    for (const cursor of this.#cursors) {
      if (!cursor.isEssential) continue;
      const { list, followed: range } = cursor;
      takeReached(this.#buffers, { ordinals: list.ordinals, base, range }, least);
    }
    return this.#listTaken(base);
  }

  /** The postings of an essential list up to an ordinal. */
  #follow(cursor: ListCursor, end: number): PostingRange {
    const start = cursor.posting;
    const range = { start, end: cursor.find(end, start) };
    cursor.touch(range);
    this.#run.work.postingsTouched += range.end - start;
    this.#worked += range.end - start;
    return range;
  }

  /** Lists documents of a single list, as `#takeSums` does. */
  #scoreList(cursor: ListCursor, chunk: ScoredChunk): number {
    const { base, least } = chunk;
    const { within } = this.#run;
    const { list } = cursor;
    const { start, end } = this.#follow(cursor, chunk.end);
    const { ordinals, scores } = this.#buffers;
    list.copyScores(this.#buffers, base, { start, end });
    let count = 0;
    for (let i = 0; i < end - start; i++) {
      const score = scores[i];
      const ordinal = ordinals[i];
      if (score < least || ((within[ordinal >>> 5] >>> (ordinal & 31)) & 1) === 0) continue;
      ordinals[count] = ordinal;
      scores[count++] = score;
    }
    return count;
  }

  /** Lists the documents of a chunk that were taken, with their sums; none is taken any more. */
  #listTaken(base: number): number {
    const { within } = this.#run;
    const { taken, takenWords, kept, ordinals, scores } = this.#buffers;
    let count = 0;
    for (let part = 0; part < takenWords.length; part++) {
      for (let words = takenWords[part]; words !== 0; words &= words - 1) {
        const w = (part << 5) + 31 - Math.clz32(words & -words);
        let word = taken[w] & within[(base >>> 5) + w];
        taken[w] = 0;
        for (; word !== 0; word &= word - 1) {
          const at = (w << 5) + 31 - Math.clz32(word & -word);
          ordinals[count] = base + at;
          scores[count++] = kept[at];
        }
      }
      takenWords[part] = 0;
    }
    return count;
  }

  /** Keeps those of the listed ones that may reach a sum, with what the next list adds. */
  #lookUpNext(least: number): void {
    // Lists that add much come first: most documents are done with the first of them.
    const cursor = this.#order[--this.#toLookUp];
    this.#missing = Math.max(0, this.#missing - cursor.bound);
    this.#worked += this.#count * LOOKUP_POSTINGS;
    this.#count = this.#lookUp(cursor, this.#count, least - this.#missing);
    if (this.#toLookUp === 0) this.#buffers.scores.fill(0, 0, this.#count);
  }

  /** Adds what a list has of the first documents listed; keeps those that reach a sum. */
  #lookUp(cursor: ListCursor, listed: number, least: number): number {
    const count = this.#keepBounded(cursor, listed, least);
    if (count === 0) return 0;
    const { ordinals } = this.#buffers;
    const start = cursor.find(ordinals[0], cursor.posting);
    const end = cursor.find(ordinals[count - 1] + 1, start);
    if (end - start > SCANNED_PER_LOOKUP * count) this.#search(cursor, count);
    else this.#addFound(cursor, { start, end }, count);
    return this.#keepReached(count, least);
  }

  /** Keeps those of the listed ones that may reach a sum with the list's bounds. */
  #keepBounded(cursor: ListCursor, count: number, least: number): number {
    const { ordinals, scores } = this.#buffers;
    let kept = 0;
    for (let i = 0; i < count; i++) {
      const ordinal = ordinals[i];
      const score = scores[i];
      if (score + cursor.boundAt(ordinal) < least) continue;
      ordinals[kept] = ordinal;
      scores[kept++] = score;
    }
    return kept;
  }

  /** Looks each of the listed ones up, and adds what the list has of it. */
  #search(cursor: ListCursor, count: number): void {
    const { ordinals, scores } = this.#buffers;
    const { list } = cursor;
    let at = cursor.posting;
    for (let i = 0; i < count; i++) {
      at = cursor.find(ordinals[i], at);
      if (!list.ordinals.isAt(at, ordinals[i])) continue;
      scores[i] += this.#scoreAt(cursor, at, ordinals[i]);
    }
  }

  /**
   * Adds what a list has of the listed ones, which are among a range of its postings, and goes over
   * all of those: where they are few that is faster than to search for each.
   */
  #addFound(cursor: ListCursor, range: PostingRange, count: number): void {
    const { ordinals, scores, taken, indexes } = this.#buffers;
    const { list } = cursor;
    const base = ordinals[0] & ~31;
    for (let i = 0; i < count; i++) setBit(taken, ordinals[i] - base);
    const found = findTaken(taken, { ordinals: list.ordinals, base, range }, indexes);
    taken.fill(0, 0, ((ordinals[count - 1] - base) >>> 5) + 1);
    let at = 0;
    for (let f = 0; f < found; f++) {
      const index = indexes[f];
      const ordinal = list.ordinals.at(index, base >>> 16);
      while (ordinals[at] < ordinal) at++;
      scores[at] += this.#scoreAt(cursor, index, ordinal);
    }
  }

  /** Keeps those of the first documents listed that reach a sum. */
  #keepReached(count: number, least: number): number {
    const { ordinals, scores } = this.#buffers;
    let kept = 0;
    for (let i = 0; i < count; i++) {
      if (scores[i] < least) continue;
      ordinals[kept] = ordinals[i];
      scores[kept++] = scores[i];
    }
    return kept;
  }

  #scoreAt(cursor: ListCursor, index: number, ordinal: number): number {
    cursor.touch({ start: index, end: index + 1 });
    this.#run.work.postingsTouched++;
    return cursor.list.scoreAt(index, ordinal);
  }

  /** Scores the listed ones by the next list: by all of them in their order, in the end. */
  #addNext(): void {
    const { ordinals, scores } = this.#buffers;
    const cursor = this.#cursors[this.#added++];
    const count = this.#count;
    const { list } = cursor;
    let at = cursor.posting;
    for (let i = 0; i < count; i++) {
      at = cursor.find(ordinals[i], at);
      if (at === list.ordinals.length) break;
      if (list.ordinals.isAt(at, ordinals[i])) scores[i] += list.scoreAt(at, ordinals[i]);
    }
    if (!cursor.isEssential) cursor.posting = at;
    this.#worked += count * LOOKUP_POSTINGS;
  }

  #offerNext(): void {
    const { ranking, segment } = this.#run;
    const { ordinals, scores } = this.#buffers;
    const start = this.#offered;
    const end = Math.min(start + OFFERED, this.#count);
    if (this.#exact === undefined) {
      for (let i = start; i < end; i++) scores[i] = scoreKey(scores[i]);
    } else {
      this.#scoreExactly(this.#exact, start, end);
    }
    ranking.offerAll(scores.subarray(start, end), segment, ordinals.subarray(start, end));
    this.#offered = end;
    this.#worked += (end - start) * OFFER_POSTINGS;
  }

  /** Writes the keys of listed ones. */
  #scoreExactly(exact: ScoreCandidates, start: number, end: number): void {
    const { ordinals, scores } = this.#buffers;
    const { values, has } = this.#exactScores;
    exact(ordinals.subarray(start, end), this.#exactScores);
    for (let i = start; i < end; i++) {
      scores[i] = has[i - start] === 1 ? scoreKey(values[i - start]) : Number.NaN;
    }
    this.exactCount += end - start;
    this.#worked += (end - start) * this.#cursors.length * LOOKUP_POSTINGS;
  }
}

/** Where sums are the scores. */
const NO_SCORES: CandidateScores = { values: new Float64Array(0), has: new Uint8Array(0) };

/** Whether any ordinal from `base`, a multiple of 32, to before `end` is in the set. */
function hasAny(bits: OrdinalBits, base: number, end: number): boolean {
  for (let w = base >>> 5; w << 5 < end; w++) if (bits[w] !== 0) return true;
  return false;
}
