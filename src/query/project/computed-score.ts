import type { Steps } from "../../base/steps.ts";
import { hasBit } from "../../codec/bitmap.ts";
import { roundScore } from "../documents/segment-scores.ts";
import { NO_THRESHOLD } from "../documents/top-documents.ts";
import type { ComputedOperator, Execution, PredicateRun } from "../operator/operator.ts";
import type { ComputedNode, ScoreNode } from "../operator/plan.ts";
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
    computeBySegment(ranked, execution, ({ view }, within) =>
      scoreSegment(score, { view, within }, execution),
    ),

  needs: ({ score }, run) => run.operators.score(score).needs(score, run),
};

function* scoreSegment(
  score: ScoreNode,
  { view, within }: Pick<PredicateRun, "view" | "within">,
  { operators, together, togetherInSteps, work, options: { memory } }: Execution,
): Steps<(ordinal: number) => number> {
  const each = { view, within, operators, together, togetherInSteps };
  const run = { ...each, work, memory, threshold: NO_THRESHOLD };
  const { values, scored, otherwise } = yield* operators.score(score).run(score, run);
  return (ordinal) => roundScore(hasBit(scored, ordinal) ? values[ordinal] : (otherwise ?? 0));
}
