import type { Steps } from "../../base/steps.ts";
import { bitmapOrdinals, setBit } from "../../codec/bitmap.ts";
import type { OrdinalList } from "../../segment/postings/ordinal-list.ts";
import type { TextView } from "../../segment/text/text-section.ts";
import { andBits, countRange, emptyBits, type OrdinalBits } from "../ordinal-bits.ts";
import type { PredicateRun } from "../plan/operator.ts";

/**
 * To look a candidate up in a list takes as long as to add so many postings to a set, or to go over
 * so many words of one: 50 ns and 4, over lists of 1,000 to 500,000 of a million documents.
 */
const POSTINGS_PER_LOOKUP = 13;

/**
 * Candidates that have all of the terms. The lists are taken from the shortest to the longest, so
 * that what a long one is asked about is mostly little: the few that are left are looked up in it.
 */
export function* havingAllTerms(
  text: TextView,
  terms: readonly string[],
  { view, within, work }: Pick<PredicateRun, "view" | "within" | "work">,
): Steps<OrdinalBits> {
  const count = view.documentCount;
  const lists: OrdinalList[] = [];
  for (const term of terms) {
    const postings = text.postings(term);
    if (postings === undefined) return emptyBits(count);
    lists.push(postings.ordinals);
  }
  lists.sort((a, b) => a.length - b.length);
  let bits: OrdinalBits = within.slice();
  let left = countRange(bits, 0, count);
  for (const [i, list] of lists.entries()) {
    if (left * POSTINGS_PER_LOOKUP < list.length + bits.length) {
      return yield* lookedUp(bits, lists.slice(i), { count, work });
    }
    const having = emptyBits(count);
    list.addTo(having, 0, { start: 0, end: list.length });
    work.postingsTouched += list.length;
    bits = andBits(having, bits);
    left = countRange(bits, 0, count);
    yield;
  }
  return bits;
}

/** What is in all of the lists; few are asked about. */
function* lookedUp(
  candidates: OrdinalBits,
  lists: readonly OrdinalList[],
  { count, work }: Pick<PredicateRun, "work"> & { readonly count: number },
): Steps<OrdinalBits> {
  const ordinals = bitmapOrdinals(candidates);
  let left = ordinals.length;
  for (const list of lists) {
    work.postingsTouched += left;
    left = keepListed(ordinals, left, list);
    if (left === 0) break;
    yield;
  }
  const bits = emptyBits(count);
  for (let i = 0; i < left; i++) setBit(bits, ordinals[i]);
  return bits;
}

/** Moves those of the first `count` ordinals that the list has to the start; tells how many. */
function keepListed(ordinals: Uint32Array, count: number, list: OrdinalList): number {
  let kept = 0;
  for (let i = 0, at = 0; i < count; i++) {
    const ordinal = ordinals[i];
    at = list.find(ordinal, at, list.length);
    if (at < list.length && list.isAt(at, ordinal)) ordinals[kept++] = ordinal;
  }
  return kept;
}
