import { hasBit } from "../../codec/bitmap.ts";
import { NO_THRESHOLD } from "../order/top-documents.ts";
import type { ComputedOperator } from "../plan/operator.ts";
import type { ComputedNode, ScoreNode } from "../plan/plan.ts";
import { roundScore } from "../score/segment-scores.ts";
import { computeBySegment } from "./compute-by-segment.ts";

/** A score; of documents that no clause produces 0, or what it is otherwise. */
export interface ComputedScoreNode extends ComputedNode {
  readonly kind: "score";
  readonly score: ScoreNode;
}

/** Scores beside another ranking. */
export const COMPUTED_SCORE: ComputedOperator<ComputedScoreNode> = {
  kind: "score",

  run: ({ score }, ranked, execution) =>
    computeBySegment(ranked, execution, function* ({ view }, within) {
      const { operators, together, togetherInSteps, work } = execution;
      const each = { view, within, operators, together, togetherInSteps };
      const { memory } = execution.options;
      const run = { ...each, work, memory, threshold: NO_THRESHOLD };
      const { values, scored, otherwise } = yield* operators.score(score).run(score, run);
      return (ordinal: number) =>
        roundScore(hasBit(scored, ordinal) ? values[ordinal] : (otherwise ?? 0));
    }),

  needs: ({ score }, run) => run.operators.score(score).needs(score, run),
};
