/** The documents that a ranking by bounds has left to be scored like all. */

import type { Steps } from "../../../base/steps.ts";
import type { ScoreCandidates } from "../../documents/bounded-scores.ts";
import { addRange, type OrdinalBits } from "../../documents/ordinal-bits.ts";
import type { ScoredList } from "../../documents/scored-list.ts";

/** Documents that were not offered and may be kept. */
export interface NotOffered {
  /** Those from this ordinal on. */
  readonly from: number;
  /** Those before it that no list has, too; undefined if those are not to be kept. */
  readonly unlisted: Unlisted | undefined;
}

/** Documents that no list has. */
export interface Unlisted {
  /** Scores them, in any order, once all lists were gone through. */
  readonly score: ScoreCandidates;
  /** None scores more, or by more than `BOUND_SLACK` of it; see `BoundedScores.isCeiling`. */
  readonly greatest: number;
  readonly isCeiling: boolean;
  /** Bounds their scores in a range; undefined if that is the same everywhere. */
  readonly greatestIn: ((start: number, end: number) => number) | undefined;
  /** Whether scores that are bounded so may still be kept. */
  readonly mayReach: (greatest: number) => boolean;
}

/** Documents that are left or not together. */
export const RANGE_DOCUMENTS = 1024;
/** Postings that are looked at between two pauses, of a nanosecond each. */
const POSTINGS_PER_STEP = 131_072;

/** Those of `within`. */
export function* notOfferedBits(
  { from, unlisted }: NotOffered,
  lists: readonly ScoredList[],
  within: OrdinalBits,
): Steps<OrdinalBits> {
  const rest = new Uint32Array(within.length);
  addRange(rest, within, from, within.length * 32);
  if (unlisted === undefined) return rest;
  const { greatestIn, mayReach } = unlisted;
  const others = new Uint32Array(within.length);
  for (const { ordinals } of lists) {
    for (let start = 0; start < ordinals.length; start += POSTINGS_PER_STEP) {
      const end = Math.min(start + POSTINGS_PER_STEP, ordinals.length);
      ordinals.addTo(others, 0, { start, end });
      yield;
    }
  }
  for (let w = 0; w < others.length; w++) others[w] = within[w] & ~others[w];
  for (let start = 0; start < from; start += RANGE_DOCUMENTS) {
    const end = Math.min(start + RANGE_DOCUMENTS, from);
    const isLeft = greatestIn === undefined || mayReach(greatestIn(start, end));
    if (isLeft) addRange(rest, others, start, end);
  }
  return rest;
}
