/** Which documents of a segment have terms, from its postings. */

import type { Steps } from "../../base/steps.ts";
import type { OrdinalList } from "../../segment/postings/ordinal-list.ts";
import { TEXT_INDEX } from "../../segment/text/text-index.ts";
import type { TextView } from "../../segment/text/text-view.ts";
import { emptyBits, type OrdinalBits, orBits } from "../documents/ordinal-bits.ts";
import type { Need, SegmentRun, SoughtTerms } from "../operator/operator.ts";

/** Adds the ordinals with the term to a set; tells how many postings or words it has looked at. */
export function addTerm(bits: OrdinalBits, text: TextView, term: string): number {
  const bitmap = text.bitmap(term);
  if (bitmap !== undefined) return orBits(bits, bitmap).length;
  const postings = text.postings(term);
  if (postings === undefined) return 0;
  addAll(bits, postings.ordinals);
  return postings.ordinals.length;
}

/** Terms of a prefix whose postings are read between two pauses; most have few. */
const TERMS_PER_STEP = 64;

/** Ordinals with a term that starts with `prefix`. */
export function* prefixBits(text: TextView, prefix: string, count: number): Steps<OrdinalBits> {
  const bits = emptyBits(count);
  const { start, end } = text.codesWith(prefix);
  for (let code = start; code < end; code++) {
    addAll(bits, text.postingsAt(code).ordinals);
    if (code % TERMS_PER_STEP === 0) yield;
  }
  return bits;
}

/** Looks at the postings of terms. */
export function termNeeds(attribute: string, sought: SoughtTerms, run: SegmentRun): Need[] {
  return needs(attribute, run, sought, (text, term) => text.postings(term));
}

/** Looks at what says which documents have terms: a bitmap where there is one. */
export function documentNeeds(attribute: string, sought: SoughtTerms, run: SegmentRun): Need[] {
  return needs(attribute, run, sought, (text, term) => text.bitmap(term) ?? text.postings(term));
}

/** Looks at the positions of terms. */
export function positionNeeds(
  attribute: string,
  terms: readonly string[],
  run: SegmentRun,
): Need[] {
  return needs(attribute, run, { terms, prefix: undefined }, (text, term) =>
    run.together(positionLooks(text, [term])),
  );
}

/** Looks at positions, and at the lists that they are beside; at none where there are none. */
export function positionLooks(text: TextView, terms: readonly string[]): Need[] {
  if (!text.hasPositions) return [];
  return terms.flatMap((term) => [() => void text.postings(term), () => void text.positions(term)]);
}

function needs(
  attribute: string,
  { view, together }: SegmentRun,
  { terms, prefix }: SoughtTerms,
  lookAt: (text: TextView, term: string) => unknown,
): Need[] {
  const look = (): void => {
    const text = view.index(TEXT_INDEX, attribute);
    if (text === undefined) return;
    const looks: Need[] = terms.map((term) => () => void lookAt(text, term));
    if (prefix !== undefined) looks.push(() => together(prefixLooks(text, prefix)));
    together(looks);
  };
  return [look];
}

function prefixLooks(text: TextView, prefix: string): Need[] {
  const { start, end } = text.codesWith(prefix);
  return Array.from({ length: end - start }, (_, i) => () => void text.postingsAt(start + i));
}

function addAll(bits: OrdinalBits, ordinals: OrdinalList): void {
  ordinals.addTo(bits, 0, { start: 0, end: ordinals.length });
}
