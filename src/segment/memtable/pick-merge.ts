/** Chooses which segments of a memtable to merge next. */

import { type MergeLimits, pickFullTier, type TierSegment } from "../size-tiers.ts";

/** Share of deleted documents above which a segment is written anew on its own. */
const DELETED_SHARE_MAX = 0.5;

/**
 * Indexes of the segments to write as one, ascending: a full tier, else one segment that is mostly
 * dead. Undefined if all is well.
 */
export function pickMerge(
  segments: readonly TierSegment[],
  limits: MergeLimits,
): number[] | undefined {
  return pickFullTier(segments, limits) ?? pickMostlyDeleted(segments, limits);
}

function pickMostlyDeleted(
  segments: readonly TierSegment[],
  limits: MergeLimits,
): number[] | undefined {
  const index = segments.findIndex(({ bytes, documentCount, liveCount }) => {
    const share = liveCount / documentCount;
    const isMostlyDeleted = 1 - share > DELETED_SHARE_MAX;
    return isMostlyDeleted && bytes * share <= limits.bytesMax && liveCount <= limits.documentsMax;
  });
  return index < 0 ? undefined : [index];
}
