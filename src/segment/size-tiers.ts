/**
 * Chooses which segments of a memtable to merge next. Segments are grouped in tiers by size, each
 * tier reaching to eight times the size of the one below; a tier with eight segments is merged. So
 * a document is copied once per tier, and there are at most seven segments per tier. Segments over
 * half of what one merge may write stay as they are. A segment that is mostly dead is written
 * anew.
 */

import { SEGMENT_TIER_FANOUT } from "../base/limits.ts";

/** What the choice depends on. */
export interface TierSegment {
  readonly bytes: number;
  readonly documentCount: number;
  readonly liveCount: number;
}

/** What one merge may write, so that its pause is bounded. */
export interface MergeLimits {
  readonly documentsMax: number;
  readonly bytesMax: number;
}

interface Candidate {
  readonly index: number;
  readonly liveBytes: number;
  readonly liveCount: number;
}

/** Share of dead documents above which a segment is written anew on its own. */
const DEAD_SHARE_MAX = 0.5;

/** Indexes of the segments to merge into one, ascending; undefined if all is well. */
export function pickMerge(
  segments: readonly TierSegment[],
  limits: MergeLimits,
): number[] | undefined {
  const tiers: Candidate[][] = [];
  for (let index = 0; index < segments.length; index++) {
    const { bytes, documentCount, liveCount } = segments[index];
    const liveBytes = (bytes * liveCount) / documentCount;
    if (liveBytes > limits.bytesMax / 2 || liveCount > limits.documentsMax / 2) continue;
    const tier = tierOf(bytes);
    tiers[tier] ??= [];
    tiers[tier].push({ index, liveBytes, liveCount });
  }
  for (const tier of tiers) {
    if (tier === undefined || tier.length < SEGMENT_TIER_FANOUT) continue;
    return smallestThatFit(tier, limits);
  }
  return pickMostlyDead(segments, limits);
}

/** The tier of a segment; 1 byte is in tier 0. */
function tierOf(bytes: number): number {
  return Math.floor(Math.log2(bytes) / Math.log2(SEGMENT_TIER_FANOUT));
}

/** At least two, as none is over half of the limits. */
function smallestThatFit(tier: readonly Candidate[], limits: MergeLimits): number[] {
  const ascending = [...tier].sort((a, b) => a.liveBytes - b.liveBytes);
  const picked: number[] = [];
  let bytes = 0;
  let documents = 0;
  for (const { index, liveBytes, liveCount } of ascending) {
    bytes += liveBytes;
    documents += liveCount;
    if (bytes > limits.bytesMax || documents > limits.documentsMax) break;
    picked.push(index);
  }
  if (picked.length < 2) picked.splice(0, picked.length, ascending[0].index, ascending[1].index);
  return picked.sort((a, b) => a - b);
}

function pickMostlyDead(
  segments: readonly TierSegment[],
  limits: MergeLimits,
): number[] | undefined {
  const index = segments.findIndex(({ bytes, documentCount, liveCount }) => {
    const share = liveCount / documentCount;
    const isMostlyDead = 1 - share > DEAD_SHARE_MAX;
    return isMostlyDead && bytes * share <= limits.bytesMax && liveCount <= limits.documentsMax;
  });
  return index < 0 ? undefined : [index];
}
