/**
 * Chooses which stored segments of a namespace to write anew. Pure. A full tier is merged
 * (segment/size-tiers.ts). Segments that are mostly deleted documents are written anew on their
 * own; those whose indexes are not the schema's all together, so that queries change over at once.
 */

import { pickFullTier, type TierSegment } from "../segment/size-tiers.ts";

/** What the choice depends on. */
export interface CompactionCandidate extends TierSegment {
  /** It has the indexes that the schema asks for. */
  readonly isCurrent: boolean;
}

/** What to do next. */
export type Compaction =
  /** Merge these into one. */
  | { readonly kind: "merge"; readonly inputs: readonly number[] }
  /** Write each of these anew, by itself. */
  | { readonly kind: "rewrite"; readonly inputs: readonly number[] };

/** Share of deleted documents above which a segment is written anew on its own. */
const DELETED_SHARE_MAX = 0.4;

/** Picks the next compaction; its inputs are indexes, ascending. Undefined if all is well. */
export function pickCompaction(
  segments: readonly CompactionCandidate[],
  bytesMax: number,
): Compaction | undefined {
  const stale = indexesOf(segments, ({ isCurrent }) => !isCurrent);
  if (stale.length > 0) return { kind: "rewrite", inputs: stale };
  const deleted = indexesOf(segments, ({ documentCount, liveCount }) => {
    return documentCount - liveCount > DELETED_SHARE_MAX * documentCount;
  });
  if (deleted.length > 0) return { kind: "rewrite", inputs: [deleted[0]] };
  const inputs = pickFullTier(segments, { bytesMax, documentsMax: Number.POSITIVE_INFINITY });
  return inputs && { kind: "merge", inputs };
}

function indexesOf(
  segments: readonly CompactionCandidate[],
  holds: (segment: CompactionCandidate) => boolean,
): number[] {
  return segments.flatMap((segment, index) => (holds(segment) ? [index] : []));
}
