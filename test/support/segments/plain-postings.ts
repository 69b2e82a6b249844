/** Posting lists as plain arrays. */

import type { OrdinalList } from "../../../src/segment/postings/ordinal-list.ts";
import type { SparsePostings } from "../../../src/segment/sparse/sparse-lists.ts";
import type { Postings } from "../../../src/segment/text/text-lists.ts";

/** The ordinals of a list. */
export function ordinalsOf(list: OrdinalList): number[] {
  return Array.from({ length: list.length }, (_, index) => list.at(index));
}

/** The postings of a term. */
export function plainPostings(postings: Postings | undefined) {
  if (postings === undefined) return undefined;
  const ordinals = ordinalsOf(postings.ordinals);
  return { ordinals, frequencies: ordinals.map((_, index) => postings.frequencies.at(index)) };
}

/** The postings of a dimension. */
export function plainWeights(postings: SparsePostings | undefined) {
  if (postings === undefined) return undefined;
  return { ordinals: ordinalsOf(postings.ordinals), weights: [...postings.weights] };
}
