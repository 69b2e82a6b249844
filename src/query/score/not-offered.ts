/** The documents that a ranking by bounds has left to be scored like all. */

import type { Steps } from "../../base/steps.ts";
import { addRange, type OrdinalBits } from "../ordinal-bits.ts";
import type { ScoredList } from "./scored-list.ts";

/** Documents that were not offered and may be kept. */
export interface NotOffered {
  /** Those from this ordinal on. */
  readonly from: number;
  /** Those before it that no list has, too. */
  readonly unlisted: boolean;
}

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
  if (!unlisted) return rest;
  const others = new Uint32Array(within.length);
  for (const { ordinals } of lists) {
    for (let start = 0; start < ordinals.length; start += POSTINGS_PER_STEP) {
      const end = Math.min(start + POSTINGS_PER_STEP, ordinals.length);
      ordinals.addTo(others, 0, { start, end });
      yield;
    }
  }
  for (let w = 0; w < others.length; w++) others[w] = within[w] & ~others[w];
  addRange(rest, others, 0, from);
  return rest;
}
