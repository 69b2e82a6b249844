/**
 * Chooses segments to merge by their size, in memory and in the store. Pure. Segments are grouped
 * in tiers, each reaching to `SEGMENT_TIER_FANOUT` times the size of the one below; a tier with so
 * many segments is full and merged. So a document is copied once per tier, and a tier has at most
 * one segment less than that. Segments over half of what one merge may write are in no tier.
 */

/** Segments of one size tier that are merged into one; also the ratio of two tiers' sizes. */
export const SEGMENT_TIER_FANOUT = 8;

/**
 * How many times the size of all smaller ones the largest of merged segments may have that have
 * been left alone. So a namespace that rests has few segments, each at least so many times larger
 * than all smaller ones, and a document is copied once for each growth by a quarter.
 */
const RESTED_RATIO_MAX = 4;

/** What the choice depends on. */
export interface TierSegment {
  /** Size in memory, or what it weighs in a merge of stored segments (`mergeWeight`). */
  readonly bytes: number;
  readonly documentCount: number;
  readonly liveCount: number;
}

/** What one merge may write, so that its time and memory are bounded. */
export interface MergeLimits {
  readonly documentsMax: number;
  readonly bytesMax: number;
}

interface MergeCandidate {
  readonly index: number;
  readonly liveBytes: number;
  readonly liveCount: number;
}

/** Indexes of the segments of the lowest full tier to merge into one, ascending. */
export function pickFullTier(
  segments: readonly TierSegment[],
  limits: MergeLimits,
): number[] | undefined {
  const tiers: MergeCandidate[][] = [];
  for (const candidate of candidatesOf(segments)) {
    const { index, liveBytes, liveCount } = candidate;
    if (liveBytes > limits.bytesMax / 2 || liveCount > limits.documentsMax / 2) continue;
    const tier = tierOf(segments[index].bytes);
    tiers[tier] ??= [];
    tiers[tier].push(candidate);
  }
  for (const tier of tiers) {
    if (tier === undefined || tier.length < SEGMENT_TIER_FANOUT) continue;
    return smallestThatFit(tier, limits);
  }
  return undefined;
}

/**
 * Of segments that have been left alone, indexes of those to merge into one, ascending: the
 * smallest ones, as many as fit together and as are worth copying the largest of them; or, where
 * the smallest do not fit, those that do.
 */
export function pickRested(
  segments: readonly TierSegment[],
  limits: MergeLimits,
): number[] | undefined {
  const ascending = candidatesOf(segments).sort((a, b) => a.liveBytes - b.liveBytes);
  const picked = pickSmallest(ascending, limits) ?? pickThatFit(ascending, limits);
  return picked?.map(({ index }) => index).sort((a, b) => a - b);
}

/** The largest for which that is worth it, and beside it the largest that fit. */
function pickThatFit(
  ascending: readonly MergeCandidate[],
  limits: MergeLimits,
): MergeCandidate[] | undefined {
  for (let last = ascending.length - 1; last > 0; last--) {
    const largest = ascending[last];
    const picked = [largest];
    let bytes = largest.liveBytes;
    let documents = largest.liveCount;
    for (let i = last - 1; i >= 0; i--) {
      const { liveBytes, liveCount } = ascending[i];
      if (bytes + liveBytes > limits.bytesMax) continue;
      if (documents + liveCount > limits.documentsMax) continue;
      bytes += liveBytes;
      documents += liveCount;
      picked.push(ascending[i]);
    }
    const isWorthIt = largest.liveBytes <= RESTED_RATIO_MAX * (bytes - largest.liveBytes);
    if (isWorthIt) return picked;
  }
  return undefined;
}

/** The smallest ones that fit together. */
function pickSmallest(
  ascending: readonly MergeCandidate[],
  limits: MergeLimits,
): MergeCandidate[] | undefined {
  let count = 0;
  let bytes = 0;
  let documents = 0;
  for (const [i, { liveBytes, liveCount }] of ascending.entries()) {
    const isWorthIt = i > 0 && liveBytes <= RESTED_RATIO_MAX * bytes;
    bytes += liveBytes;
    documents += liveCount;
    if (bytes > limits.bytesMax || documents > limits.documentsMax) break;
    if (isWorthIt) count = i + 1;
  }
  return count === 0 ? undefined : ascending.slice(0, count);
}

function candidatesOf(segments: readonly TierSegment[]): MergeCandidate[] {
  return segments.map(({ bytes, documentCount, liveCount }, index) => {
    const liveBytes = documentCount === 0 ? 0 : (bytes * liveCount) / documentCount;
    return { index, liveBytes, liveCount };
  });
}

/** The tier of a segment; 1 byte is in tier 0. */
function tierOf(bytes: number): number {
  return Math.floor(Math.log2(bytes) / Math.log2(SEGMENT_TIER_FANOUT));
}

/** At least two, as none is over half of the limits. */
function smallestThatFit(tier: readonly MergeCandidate[], limits: MergeLimits): number[] {
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
