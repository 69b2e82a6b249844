/** The documents that a ranking by bounds has left to be scored like all. */

import type { Steps } from "../../base/steps.ts";
import { addRange, type OrdinalBits } from "../ordinal-bits.ts";
import type { ScoredList } from "./lists/scored-list.ts";

/** Documents that were not offered and may be kept. */
export interface NotOffered {
  /** Those from this ordinal on. */
  readonly from: number;
  /** Those before it that no list has, too. */
  readonly unlisted: boolean;
  /** Of those without postings, whether any of a range may be kept; absent: it may. */
  readonly mayReach?: ((start: number, end: number) => boolean) | undefined;
}

/** Documents that are left or not together. */
const RANGE_DOCUMENTS = 1024;
/** Postings that are looked at between two pauses, of a nanosecond each. */
const POSTINGS_PER_STEP = 131_072;

/** Those of `within`. */
export function* notOfferedBits(
  { from, unlisted, mayReach }: NotOffered,
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
  for (let start = 0; start < from; start += RANGE_DOCUMENTS) {
    const end = Math.min(start + RANGE_DOCUMENTS, from);
    if (mayReach?.(start, end) !== false) addRange(rest, others, start, end);
  }
  return rest;
}
