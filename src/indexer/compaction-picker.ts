/**
 * Chooses which stored segments of a namespace to write anew. Pure. A full tier is merged
 * (segment/size-tiers.ts). Segments that are mostly deleted documents are written anew on their
 * own; those whose indexes are not the schema's all together, so that queries change over at once.
 * Where nothing was written for a while few segments are left, for a query pays for each.
 */

import { MIB } from "../base/byte-sizes.ts";
import { pickFullTier, pickRested, type TierSegment } from "../segment/size-tiers.ts";

/** What the choice depends on. */
export interface CompactionCandidate extends TierSegment {
  /** It has the indexes that the schema asks for. */
  readonly isCurrent: boolean;
  /** It belongs to another namespace, which this one is a copy or a branch of. */
  readonly isShared: boolean;
}

/** What to do next. */
export type Compaction =
  /** Merge these into one. */
  | { readonly kind: "merge"; readonly inputs: readonly number[] }
  /** Write each of these anew, by itself. */
  | { readonly kind: "rewrite"; readonly inputs: readonly number[] }
  /** Merge these into one if nothing is written for so long; at once where that is 0. */
  | { readonly kind: "rest"; readonly inputs: readonly number[]; readonly forMs: number };

/** Share of deleted documents above which a segment is written anew on its own. */
const DELETED_SHARE_MAX = 0.4;

/** How long nothing was written before segments that rest are merged: so long, */
const REST_MS = 1_000;
/** and for each MiB of them so much more, so that large merges are rare where writes come often. */
const REST_MS_PER_MIB = 30;

/**
 * Picks the next compaction where nothing was written for `restedMs`; its inputs are indexes,
 * ascending. Undefined if all is well.
 */
export function pickCompaction(
  segments: readonly CompactionCandidate[],
  bytesMax: number,
  restedMs: number,
): Compaction | undefined {
  const stale = indexesOf(segments, ({ isCurrent }) => !isCurrent);
  if (stale.length > 0) return { kind: "rewrite", inputs: stale };
  const deleted = indexesOf(segments, ({ documentCount, liveCount }) => {
    return documentCount - liveCount > DELETED_SHARE_MAX * documentCount;
  });
  if (deleted.length > 0) return { kind: "rewrite", inputs: [deleted[0]] };
  const limits = { bytesMax, documentsMax: Number.POSITIVE_INFINITY };
  const full = pickFullTier(segments, limits);
  if (full !== undefined) return { kind: "merge", inputs: full };
  // What is shared costs nothing where it is, and would be a copy of its own.
  const own = indexesOf(segments, ({ isShared }) => !isShared);
  const rested = pickRested(
    own.map((index) => segments[index]),
    limits,
  )?.map((i) => own[i]);
  if (rested === undefined) return undefined;
  const bytes = rested.reduce((sum, index) => sum + segments[index].bytes, 0);
  const waitMs = Math.ceil(REST_MS + (REST_MS_PER_MIB * bytes) / MIB - restedMs);
  return { kind: "rest", inputs: rested, forMs: Math.max(0, waitMs) };
}

function indexesOf(
  segments: readonly CompactionCandidate[],
  holds: (segment: CompactionCandidate) => boolean,
): number[] {
  return segments.flatMap((segment, index) => (holds(segment) ? [index] : []));
}
