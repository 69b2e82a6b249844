import type { Steps } from "../../base/steps.ts";
import { bitmapOrdinals, setBit } from "../../codec/bitmap.ts";
import type { OrdinalList } from "../../segment/postings/ordinal-list.ts";
import type { TextView } from "../../segment/text/text-view.ts";
import { andBits, countRange, emptyBits, type OrdinalBits } from "../documents/ordinal-bits.ts";
import type { PredicateRun } from "../operator/operator.ts";
import type { WorkStats } from "../operator/work-stats.ts";

/**
 * To look a candidate up in a list takes as long as to add so many postings to a set, or to go over
 * so many words of one: 50 ns and 4, over lists of 1,000 to 500,000 of a million documents.
 */
const POSTINGS_PER_LOOKUP = 13;
/** To look one up in a bitmap takes as long as to join so many words: 4 to 7 ns and .6 (ADR 56). */
const WORDS_PER_LOOKUP = 10;

/** The documents that have a term: of frequent ones as a bitmap. */
type TermList = { readonly length: number } & (
  | { readonly bitmap: OrdinalBits }
  | { readonly bitmap: undefined; readonly ordinals: OrdinalList }
);

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
  const lists: TermList[] = [];
  for (const term of terms) {
    const list = listOf(text, term);
    if (list === undefined) return emptyBits(count);
    lists.push(list);
  }
  lists.sort((a, b) => a.length - b.length);
  let bits: OrdinalBits = within.slice();
  let left = countRange(bits, 0, count);
  for (const [i, list] of lists.entries()) {
    if (isSoonLookedUp(left, list, bits.length)) {
      return yield* lookedUp(bits, lists.slice(i), { count, work });
    }
    bits = joined(bits, list, work);
    left = countRange(bits, 0, count);
    yield;
  }
  return bits;
}

function listOf(text: TextView, term: string): TermList | undefined {
  const bitmap = text.bitmap(term);
  if (bitmap !== undefined) return { bitmap, length: text.postingCount(term) };
  const ordinals = text.postings(term)?.ordinals;
  return ordinals && { bitmap: undefined, ordinals, length: ordinals.length };
}

/** Whether candidates are looked up in less time than a list is joined with a set of `words`. */
function isSoonLookedUp(candidates: number, { bitmap, length }: TermList, words: number): boolean {
  if (bitmap !== undefined) return candidates * WORDS_PER_LOOKUP < words;
  return candidates * POSTINGS_PER_LOOKUP < length + words;
}

/** What is in a set, which may be changed, and in a list. */
function joined(bits: OrdinalBits, list: TermList, work: WorkStats): OrdinalBits {
  if (list.bitmap !== undefined) {
    work.postingsTouched += bits.length;
    return andBits(bits, list.bitmap);
  }
  const having: OrdinalBits = new Uint32Array(bits.length);
  list.ordinals.addTo(having, 0, { start: 0, end: list.length });
  work.postingsTouched += list.length;
  return andBits(having, bits);
}

/** What is in all of the lists; few are asked about. */
function* lookedUp(
  candidates: OrdinalBits,
  lists: readonly TermList[],
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
function keepListed(ordinals: Uint32Array, count: number, list: TermList): number {
  return list.bitmap === undefined
    ? keepPosted(ordinals, count, list.ordinals)
    : keepSet(ordinals, count, list.bitmap);
}

function keepSet(ordinals: Uint32Array, count: number, bitmap: OrdinalBits): number {
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const ordinal = ordinals[i];
    ordinals[kept] = ordinal;
    kept += (bitmap[ordinal >>> 5] >>> (ordinal & 31)) & 1;
  }
  return kept;
}

function keepPosted(ordinals: Uint32Array, count: number, list: OrdinalList): number {
  let kept = 0;
  for (let i = 0, at = 0; i < count; i++) {
    const ordinal = ordinals[i];
    at = list.find(ordinal, at, list.length);
    if (at < list.length && list.isAt(at, ordinal)) ordinals[kept++] = ordinal;
  }
  return kept;
}
