import type { ComputedOperator } from "../plan/operator.ts";
import type { ComputedNode, VectorTarget } from "../plan/plan.ts";
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
    computeBySegment(ranked, execution, function* ({ view }, wanted) {
      const { options, work, together } = execution;
      const { kernels } = options;
      const distances = new Map<number, number>();
      const scan = { target, access: "gather", kernels, work, together } as const;
      yield* scanVectors(scan, view, wanted, (ordinals, found) => {
        ordinals.forEach((ordinal, i) => {
          if (!Number.isNaN(found[i])) distances.set(ordinal, found[i]);
        });
      });
      return (ordinal: number) => distances.get(ordinal) ?? null;
    }),

  needs: ({ target }, { view }) => vectorNeeds(target, view),
};
