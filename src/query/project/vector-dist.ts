import type { Steps } from "../../base/steps.ts";
import type { SegmentView } from "../../segment/view/segment-view.ts";
import { matchedBits } from "../documents/matched-documents.ts";
import type { OrdinalBits } from "../documents/ordinal-bits.ts";
import type { ComputedOperator, Execution } from "../operator/operator.ts";
import type { ComputedNode, VectorTarget } from "../operator/plan.ts";
import { scanVectors } from "../vector/vector-scan.ts";
import { vectorNeeds } from "../vector/vector-scan-rank.ts";
import { computeBySegment } from "./compute-by-segment.ts";

/** The distance of a vector attribute from a query vector; null without a vector. */
export interface VectorDistNode extends ComputedNode {
  readonly kind: "vector_dist";
  readonly target: VectorTarget;
}

/** Distances beside another ranking. */
export const VECTOR_DIST: ComputedOperator<VectorDistNode> = {
  kind: "vector_dist",

  run: ({ target }, ranked, execution) =>
    computeBySegment(ranked, execution, ({ view }, wanted) =>
      measureSegment(target, { view, wanted }, execution),
    ),

  needs: ({ target }, { view }) => vectorNeeds(target, view),
};

function* measureSegment(
  target: VectorTarget,
  { view, wanted }: { readonly view: SegmentView; readonly wanted: OrdinalBits },
  { options: { kernels }, work, together }: Execution,
): Steps<(ordinal: number) => number | null> {
  const distances = new Map<number, number>();
  const scan = { target, access: "gather", kernels, work, together } as const;
  yield* scanVectors(scan, view, matchedBits(wanted), (ordinals, found) => {
    ordinals.forEach((ordinal, i) => {
      if (!Number.isNaN(found[i])) distances.set(ordinal, found[i]);
    });
  });
  return (ordinal) => distances.get(ordinal) ?? null;
}
