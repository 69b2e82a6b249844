/** Scores that posting lists bound, so that rankings may pass over documents without scoring them. */

import { oneStep, type Steps } from "../../base/steps.ts";
import type { ListCursor } from "./list-cursor.ts";
import type { ScoredList } from "./scored-list.ts";

/** Documents that are scored at once by `ScoreCandidates`, at most. */
export const CANDIDATES_MAX = 512;

/** Scores of some documents, in their order. */
export interface CandidateScores {
  readonly values: Float64Array;
  /** 1 for documents that the clause produces, 0 for others, whose values mean nothing. */
  readonly has: Uint8Array;
}

/**
 * Writes the scores of at most `CANDIDATES_MAX` documents, to the bit what `run` of the operator
 * gives. Ordinals ascend, also from call to call, until all lists are at their end.
 */
export type ScoreCandidates = (ordinals: Uint32Array, into: CandidateScores) => void;

/**
 * What bounds the scores of a segment's documents: none exceeds `constant`, and what the lists add
 * for the document, by more than `BOUND_SLACK` of it.
 */
export interface BoundedScores {
  readonly lists: readonly ScoredList[];
  /** Infinity if the scores are unbounded. */
  readonly constant: number;
  /** Whether no document that no list has exceeds the constant at all. */
  readonly isCeiling: boolean;
  /**
   * What bounds the scores of documents from `start` to before `end`, in place of the constant.
   * Absent: nothing else does.
   */
  readonly rangeIn?: ((start: number, end: number) => ScoreRange) | undefined;
  /** Lists may add less than 0. */
  readonly mayTakeAway: boolean;
  /** As `SegmentScores.otherwise`. */
  readonly otherwise: number | undefined;
  /** Scores are what the lists add, in their order, and no other document has one. */
  readonly isSum: boolean;
  /** Makes the function that scores documents, by a cursor for each list if there are any. */
  bind(cursors: readonly ListCursor[]): Steps<ScoreCandidates>;
}

/** What scores of some documents lie between. */
export interface ScoreRange {
  /** None that the clause produces is less, where it has no lists; where it has some it is 0. */
  readonly least: number;
  /** None exceeds it, and what lists add, by more than `BOUND_SLACK`. */
  readonly greatest: number;
}

/** Makes scores for `CANDIDATES_MAX` documents. */
export function newCandidateScores(): CandidateScores {
  return { values: new Float64Array(CANDIDATES_MAX), has: new Uint8Array(CANDIDATES_MAX) };
}

/** Scores that are what lists add, in their order. */
export function sumOfLists(lists: readonly ScoredList[], mayTakeAway: boolean): BoundedScores {
  return {
    lists,
    constant: 0,
    isCeiling: true,
    mayTakeAway,
    otherwise: undefined,
    isSum: true,
    bind: (cursors) =>
      oneStep(() => (ordinals, into) => {
        const { values, has } = into;
        values.fill(0, 0, ordinals.length);
        has.fill(0, 0, ordinals.length);
        // The lists of cursors may be scaled; these are not.
        for (let l = 0; l < lists.length; l++) addList(lists[l], cursors[l], ordinals, into);
      }),
  };
}

/** Scores of which lists know nothing. */
export function constantBound(
  clause: Pick<BoundedScores, "constant" | "isCeiling" | "rangeIn" | "otherwise" | "bind">,
): BoundedScores {
  return { ...clause, lists: [], mayTakeAway: false, isSum: false };
}

function addList(
  list: ScoredList,
  cursor: ListCursor,
  documents: Uint32Array,
  { values, has }: CandidateScores,
): void {
  const { ordinals } = list;
  let at = cursor.posting;
  for (let i = 0; i < documents.length; i++) {
    const ordinal = documents[i];
    at = cursor.find(ordinal, at);
    if (at === ordinals.length) break;
    if (!ordinals.isAt(at, ordinal)) continue;
    values[i] += list.scoreAt(at, ordinal);
    has[i] = 1;
  }
  cursor.posting = at;
}
