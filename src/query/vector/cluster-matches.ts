/** Which rows of a segment with clusters match, in the order of its clusters. */

import type { Steps } from "../../base/steps.ts";
import { CLUSTER_INDEX } from "../../segment/vectors/cluster-index.ts";
import type { ClusterView } from "../../segment/vectors/cluster-section.ts";
import { CODE_INDEX, type CodeView } from "../../segment/vectors/code-index.ts";
import {
  countBitsUpTo,
  countRange,
  countRanges,
  emptyBits,
  invertBits,
  isFull,
  type OrdinalBits,
} from "../documents/ordinal-bits.ts";
import type { SegmentMatches } from "../operator/operator.ts";
import type { VectorTarget } from "../operator/plan.ts";

/** Words of 32 positions that are gathered between two pauses, in some 60 ns each. */
const WORDS_PER_STEP = 2_048;

/** The clusters of one segment, and the positions in their order that match. */
export interface ClusterMatches {
  readonly clusters: ClusterView;
  readonly codes: CodeView;
  readonly matches: OrdinalBits;
}

/**
 * Finds the positions of matches; undefined where there are no codes for a query of so many
 * dimensions by the metric. Throws `BytesMissing`.
 */
export function* openClusterMatches(
  { view, matches }: Pick<SegmentMatches, "view" | "matches">,
  { attribute, metric }: Pick<VectorTarget, "attribute" | "metric">,
  dimensions: number,
): Steps<ClusterMatches | undefined> {
  const clusters = view.index(CLUSTER_INDEX, attribute);
  if (clusters?.metric !== metric || clusters.dimensions !== dimensions) return undefined;
  const codes = view.index(CODE_INDEX, attribute);
  if (codes === undefined) return undefined;
  return { clusters, codes, matches: yield* positionsOf(matches, clusters, view.documentCount) };
}

/** Writes how many rows of each cluster match, and tells how many do in all. */
export function countMatches({ clusters, matches }: ClusterMatches, target: Uint32Array): number {
  const { starts, count } = clusters;
  if (!isFull(matches, starts[count])) return countRanges(matches, starts, target);
  for (let c = 0; c < count; c++) target[c] = starts[c + 1] - starts[c];
  return starts[count];
}

/** Whether at most so many documents match, with a vector or without. */
export function* matchAtMost(segments: readonly SegmentMatches[], most: number): Steps<boolean> {
  let left = most;
  for (const { matches } of segments) {
    left -= countBitsUpTo(matches, left);
    if (left < 0) return false;
    yield;
  }
  return true;
}

/** The positions of some ordinals in the order of clusters. */
function* positionsOf(
  matches: OrdinalBits,
  { ordinals }: ClusterView,
  documentCount: number,
): Steps<OrdinalBits> {
  if (ordinals === undefined) return matches;
  const positions = emptyBits(ordinals.length);
  if (countRange(matches, 0, documentCount) === documentCount) {
    return invertBits(positions, ordinals.length);
  }
  for (let w = 0; w < positions.length; w++) {
    if (w % WORDS_PER_STEP === WORDS_PER_STEP - 1) yield;
    const start = w << 5;
    const end = Math.min(start + 32, ordinals.length);
    let word = 0;
    for (let p = start; p < end; p++) {
      const ordinal = ordinals[p];
      word |= ((matches[ordinal >>> 5] >>> (ordinal & 31)) & 1) << (p & 31);
    }
    positions[w] = word;
  }
  return positions;
}
