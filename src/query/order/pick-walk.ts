/** What a walk through sorted values is chosen by. */
export interface WalkShape {
  /** Entries among which the documents with a value lie that match. */
  readonly entries: number;
  /** Entries of one value, on average. */
  readonly valueEntries: number;
  /** Documents that match. */
  readonly matches: number;
  /** Documents that the ranking keeps. */
  readonly capacity: number;
}

/** Cost of one step of a walk, which skips or ranks an entry, in ranked matches. */
const WALK_COST = 2;

/**
 * Tells whether to walk through the order of values until enough documents were met costs less than
 * to rank all that match: as many entries as it takes if matches lie anywhere in the order, and
 * those of the last one's value.
 */
export function walkPays({ entries, valueEntries, matches, capacity }: WalkShape): boolean {
  if (capacity === 0 || capacity >= matches) return false;
  const expected = Math.min(entries, (entries * capacity) / matches + valueEntries);
  return WALK_COST * expected < matches;
}
