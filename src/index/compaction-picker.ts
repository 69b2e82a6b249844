/**
 * Chooses which stored segments of a namespace to write anew. Pure. Segments are grouped in tiers
 * by size, each reaching to `SEGMENT_TIER_FANOUT` times the size of the one below; a full tier is
 * merged, so that a document is written once for each tier. Segments that are mostly dead are
 * written anew on their own; those whose indexes are not the schema's all together, so that queries
 * change over at once.
 */

import { SEGMENT_TIER_FANOUT } from "../base/limits.ts";

/** What the choice depends on. */
export interface CompactionCandidate {
  /** Size of the object. */
  readonly bytes: number;
  readonly documentCount: number;
  readonly liveCount: number;
  /** It has the indexes that the schema asks for. */
  readonly isCurrent: boolean;
}

/** What to do next. */
export type Compaction =
  /** Merge these into one. */
  | { readonly kind: "merge"; readonly inputs: readonly number[] }
  /** Write each of these anew, by itself. */
  | { readonly kind: "rewrite"; readonly inputs: readonly number[] };

/** Share of dead documents above which a segment is written anew on its own. */
const DEAD_SHARE_MAX = 0.4;

/** Picks the next compaction; its inputs are indexes, ascending. Undefined if all is well. */
export function pickCompaction(
  segments: readonly CompactionCandidate[],
  bytesMax: number,
): Compaction | undefined {
  const stale = indexesOf(segments, ({ isCurrent }) => !isCurrent);
  if (stale.length > 0) return { kind: "rewrite", inputs: stale };
  const dead = indexesOf(segments, ({ documentCount, liveCount }) => {
    return documentCount - liveCount > DEAD_SHARE_MAX * documentCount;
  });
  if (dead.length > 0) return { kind: "rewrite", inputs: [dead[0]] };
  const tiers: number[][] = [];
  segments.forEach((segment, index) => {
    if (liveBytes(segment) > bytesMax / 2) return;
    const tier = Math.floor(Math.log2(segment.bytes) / Math.log2(SEGMENT_TIER_FANOUT));
    tiers[tier] ??= [];
    tiers[tier].push(index);
  });
  for (const tier of tiers) {
    if (tier === undefined || tier.length < SEGMENT_TIER_FANOUT) continue;
    const inputs = smallestThatFit(segments, tier, bytesMax);
    return { kind: "merge", inputs: inputs.sort((a, b) => a - b) };
  }
  return undefined;
}

/** At least two, as none is over half of the limit. */
function smallestThatFit(
  segments: readonly CompactionCandidate[],
  tier: readonly number[],
  bytesMax: number,
): number[] {
  const ascending = [...tier].sort((a, b) => liveBytes(segments[a]) - liveBytes(segments[b]));
  const picked: number[] = [];
  let bytes = 0;
  for (const index of ascending) {
    bytes += liveBytes(segments[index]);
    if (picked.length >= 2 && bytes > bytesMax) break;
    picked.push(index);
  }
  return picked;
}

function liveBytes({ bytes, liveCount, documentCount }: CompactionCandidate): number {
  return documentCount === 0 ? 0 : (bytes * liveCount) / documentCount;
}

function indexesOf(
  segments: readonly CompactionCandidate[],
  holds: (segment: CompactionCandidate) => boolean,
): number[] {
  return segments.flatMap((segment, index) => (holds(segment) ? [index] : []));
}
