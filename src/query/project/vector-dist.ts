import type { Steps } from "../../base/steps.ts";
import { matchedBits } from "../documents/matched-documents.ts";
import type { ComputedOperator, Execution } from "../operator/operator.ts";
import type { ComputedNode, VectorTarget } from "../operator/plan.ts";
import { scanVectors } from "../vector/vector-scan.ts";
import { computeBySegment, type WantedDocuments } from "./compute-by-segment.ts";

/** The distance of a vector attribute from a query vector; null without a vector. */
export interface VectorDistNode extends ComputedNode {
  readonly kind: "vector_dist";
  readonly target: VectorTarget;
}

/** Distances beside another ranking. */
export const VECTOR_DIST: ComputedOperator<VectorDistNode> = {
  kind: "vector_dist",

  run: ({ target }, ranked, execution) =>
    computeBySegment(ranked, execution, (documents) =>
      measureSegment(target, documents, execution),
    ),

  needs: ({ target: { attribute } }, { view }) => [() => void view.column(attribute)?.column],
};

function* measureSegment(
  target: VectorTarget,
  { view, wanted, work }: WantedDocuments,
  { options: { kernels }, together }: Execution,
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
