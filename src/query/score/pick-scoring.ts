/** Decides how the documents of a segment are scored that some posting lists say something of. */

import { hasBounds } from "../documents/scored-list.ts";

/** Score all documents, then rank them; or only those that may be among the best. */
export type Scoring = "all" | "best";

/**
 * Documents from which on it pays to look at bounds first: below, the scores of all of them fit the
 * processor's first cache, and there is nothing to gain (ADR 28).
 */
const DOCUMENTS_MIN = 2048;
/** Lists up to which bounds pass over more than it costs to look at them (ADR 62). */
const LISTS_MAX = 128;
/** The same where scores are more than sums: documents that may be kept are scored once more. */
const MERGED_LISTS_MAX = 64;

/** Tells whether it may pay to pass over documents where a ranking keeps `capacity` of so many. */
export function mayPassOver(documentCount: number, capacity: number): boolean {
  return documentCount >= DOCUMENTS_MIN && documentCount > capacity;
}

/** Picks what costs less where it may pay to pass over documents. */
export function pickScoring({
  lists,
  constant,
  isSum,
  rangeIn,
}: {
  readonly lists: readonly Parameters<typeof hasBounds>[0][];
  readonly constant: number;
  readonly isSum: boolean;
  readonly rangeIn?: unknown;
}): Scoring {
  // Numbers alone are scored by their blocks.
  if (lists.length === 0 && rangeIn !== undefined) return "all";
  const isBounded = constant < Number.POSITIVE_INFINITY && lists.every(hasBounds);
  return isBounded && lists.length <= (isSum ? LISTS_MAX : MERGED_LISTS_MAX) ? "best" : "all";
}
