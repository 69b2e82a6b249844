/**
 * Ranks documents by the sum of the scores that posting lists give them, and passes over those that
 * cannot be among the best: block-max MAXSCORE (Turtle and Flood, Query Evaluation: Strategies and
 * Optimizations, 1995; Ding and Suel, Faster Top-k Document Retrieval Using Block-Max Indexes,
 * 2011), in windows of ordinals.
 *
 * The blocks of all lists bound what a document in a window can score. A window that cannot reach
 * the threshold is passed over. In any other, lists that together cannot reach it are not
 * followed: only documents of the other lists, the essential ones, can reach it. Of those are added
 * up; the rest is looked up for documents that may reach the threshold with it.
 *
 * Scores come out to the bit as if all had been scored: sums that are in another order, of lists
 * that bound more than they are, and bounds, are only compared with `leastSum`.
 */

import type { Steps } from "../../../base/steps.ts";
import {
  type BoundedScores,
  CANDIDATES_MAX,
  type ScoreCandidates,
} from "../../documents/bounded-scores.ts";
import { ListCursor } from "../../documents/list-cursor.ts";
import { BOUND_SLACK, blockCount } from "../../documents/scored-list.ts";
import { CHUNK } from "./chunk-buffers.ts";
import { type BestScoresRun, ChunkScorer } from "./chunk-scorer.ts";
import type { NotOffered, Unlisted } from "./not-offered.ts";

/**
 * Ordinals of the first window at least. Each further one is at least as long as all before it, up
 * to a chunk: bounds of fewer cost more than they save, but a threshold is to be known early.
 */
const WINDOW_MIN = 1024;
/**
 * Up to this many lists, all that cannot reach the threshold together are probed by lookups only
 * (MAXSCORE). With more lists, most documents would be looked up, which costs more than a merge.
 */
const FEW_LISTS = 5;
/** With more lists, those that are only looked up add at most this fraction of the threshold. */
const LOOKED_UP_SHARE = 0.5;
/** Cost of a window, or of a part of one, for each list, in scored postings. */
const LIST_POSTINGS = 16;
/** The least float32 above 0: rounding to float32 raises no number by as much. */
const FLOAT32_MIN = 2 ** -149;
/** Documents that are scored one by one before their yield is checked. */
const EXACT_MIN = 4 * CANDIDATES_MAX;
/**
 * Scoring one document by itself costs as much as adding up the scores of this many documents, up
 * to `EXACT_LISTS` lists; with more lists it costs more in proportion.
 */
const EXACT_SHARE = 16;
const EXACT_LISTS = 8;
/** By how much sums of float64 may differ in another order, in parts of all that is added. */
const SUM_SLACK = 2 ** -50;

/**
 * Offers documents of `within` to the ranking that it may keep, each with its negated score, and
 * tells what is left. Each list can be bounded.
 */
export function* offerBest(bounded: BoundedScores, run: BestScoresRun): Steps<NotOffered> {
  const { lists, constant, rangeIn } = bounded;
  const { ranking, work, documentCount } = run;
  const most = lists.reduce((sum, { magnitude }) => sum + magnitude, constant);
  const errors = most * (lists.length + 2) * SUM_SLACK + lists.length * FLOAT32_MIN;
  const least = (): number => leastSum(ranking.worstKey, errors) - constant;
  const constantIn = (start: number, end: number): number =>
    rangeIn === undefined ? constant : Math.min(constant, rangeIn(start, end).greatest);
  if (most - constant < least()) {
    for (const list of lists) work.blocksSkipped += blockCount(list);
    return { from: documentCount, unlisted: undefined };
  }
  const cursors: ListCursor[] = [];
  for (const list of lists) {
    cursors.push(new ListCursor(list));
    yield;
  }
  // By their bounds, ascending.
  const order = [...cursors];
  const exact = bounded.isSum ? undefined : yield* bounded.bind(cursors);
  const scorer = new ChunkScorer({ cursors, order, exact }, run);
  let start = 0;
  const exactShare = EXACT_SHARE * Math.max(1, lists.length / EXACT_LISTS);
  while (start < documentCount && !isInVain(scorer.exactCount, exactShare, start)) {
    const end = windowEnd(order, start, least());
    if (end === undefined) {
      start = documentCount;
      break;
    }
    const lowered = constant - constantIn(start, Math.min(end, documentCount));
    const { isAny, rest } = chooseEssential(order, least() + lowered);
    if (scorer.isPauseDue(order.length * LIST_POSTINGS)) yield;
    for (let from = start; isAny && from < end; ) {
      const reached = least() + lowered;
      from = scorer.begin({ from, end, rest }, reached);
      while (scorer.advance(reached)) {
        if (scorer.isPauseDue(0)) yield;
      }
      if (scorer.isPauseDue(order.length * LIST_POSTINGS)) yield;
    }
    start = end;
  }
  for (const cursor of cursors) work.blocksSkipped += cursor.skippedBlocks;
  scorer.end();
  for (const cursor of cursors) cursor.posting = cursor.list.ordinals.length;
  return { from: Math.min(start, documentCount), unlisted: unlistedOf(bounded, exact, least) };
}

/** The documents that no list has, if they may be kept now. */
function unlistedOf(
  { constant, isCeiling, rangeIn }: BoundedScores,
  score: ScoreCandidates | undefined,
  least: () => number,
): Unlisted | undefined {
  // `!(x > 0)` is also true of NaN, the product of infinity and 0.
  const mayReach = (greatest: number): boolean => !(least() + (constant - greatest) > 0);
  // Where no clause adds a constant, documents without postings have no score.
  if (score === undefined || !(constant > 0) || !mayReach(constant)) return undefined;
  return {
    score,
    greatest: constant,
    isCeiling,
    greatestIn: rangeIn && ((start, end) => Math.min(constant, rangeIn(start, end).greatest)),
    mayReach,
  };
}

/** Tells whether more than one of `share` documents up to an ordinal was scored by itself. */
function isInVain(exactCount: number, share: number, ordinal: number): boolean {
  return exactCount > EXACT_MIN && exactCount * share > ordinal;
}

/**
 * A sum less than this one, of bounds or in any order, is of a document that the threshold refuses.
 * `errors` is by how much sums in another order may differ.
 */
function leastSum(worstKey: number, errors: number): number {
  if (worstKey === Number.NEGATIVE_INFINITY) return Number.POSITIVE_INFINITY;
  const worst = -worstKey;
  // Lists bound nothing from below, and documents without postings have no score.
  if (!(worst > 0)) return Number.NEGATIVE_INFINITY;
  return worst - worst * 2 * BOUND_SLACK - FLOAT32_MIN - errors;
}

/**
 * Moves to the window that begins with an ordinal, bounds all lists there, and returns where it
 * ends: within the blocks of the lists that matter, but for short ones. Undefined behind all lists.
 */
function windowEnd(order: ListCursor[], start: number, least: number): number | undefined {
  for (const cursor of order) cursor.enter(start);
  if (order.every(({ isAtEnd }) => isAtEnd)) return undefined;
  const { isAny } = chooseEssential(order, least);
  let last = Number.POSITIVE_INFINITY;
  for (const cursor of order) {
    if (cursor.isEssential || !isAny) last = Math.min(last, cursor.blockEnd);
  }
  last = Math.max(last, start + Math.min(Math.max(start, WINDOW_MIN), CHUNK) - 1);
  for (const cursor of order) cursor.endWith(last);
  return last + 1;
}

/**
 * Puts lists in the order of their bounds, and takes those as not essential that together cannot
 * reach `least`; `rest` is what they add at most.
 */
function chooseEssential(order: ListCursor[], least: number): { rest: number; isAny: boolean } {
  sortByBound(order);
  let all = 0;
  for (const { bound } of order) all += bound;
  // Not where a bound is no number, as where what is infinite was scaled by 0.
  const isAny = !(all < least);
  const most = isAny && order.length > FEW_LISTS ? least * LOOKED_UP_SHARE : least;
  let rest = 0;
  let count = 0;
  while (count < order.length && rest + order[count].bound < most) rest += order[count++].bound;
  for (let i = 0; i < order.length; i++) order[i].isEssential = i >= count;
  return { rest, isAny };
}

/** They are nearly in order, but for the first window. */
function sortByBound(order: ListCursor[]): void {
  for (let i = 1; i < order.length; i++) {
    const cursor = order[i];
    let at = i;
    for (; at > 0 && order[at - 1].bound > cursor.bound; at--) order[at] = order[at - 1];
    order[at] = cursor;
  }
}
