import type { Steps } from "../../base/steps.ts";
import { hasBit } from "../../codec/bitmap.ts";
import { roundScore } from "../documents/segment-scores.ts";
import { NO_THRESHOLD } from "../documents/top-documents.ts";
import { copyNodes } from "../operator/copy-nodes.ts";
import type { ComputedOperator, Execution } from "../operator/operator.ts";
import type { ComputedNode, ScoreNode } from "../operator/plan.ts";
import { computeBySegment, type WantedDocuments } from "./compute-by-segment.ts";

/** A score; of documents that no clause produces 0, or what it is otherwise. */
export interface ComputedScoreNode extends ComputedNode {
  readonly kind: "score";
  readonly score: ScoreNode;
}

/** Scores beside another ranking. */
export const COMPUTED_SCORE: ComputedOperator<ComputedScoreNode> = {
  kind: "score",

  run: ({ score }, ranked, execution) =>
    computeBySegment(ranked, execution, (documents) => scoreSegment(score, documents, execution)),

  needs: ({ score }, run) => run.operators.score(score).needs(score, run),
};

function* scoreSegment(
  node: ScoreNode,
  { view, wanted: within, work, isRepeated }: WantedDocuments,
  { operators, together, togetherInSteps, withNeeds, options: { memory } }: Execution,
): Steps<(ordinal: number) => number> {
  const each = { view, within, operators, together, togetherInSteps };
  const run = { ...each, work, memory, threshold: NO_THRESHOLD };
  const score = isRepeated ? yield* copyNodes(node) : node;
  const operator = operators.score(score);
  const { values, scored, otherwise } = yield* withNeeds(
    () => operator.run(score, run),
    () => operator.needs(score, run),
  );
  return (ordinal) => roundScore(hasBit(scored, ordinal) ? values[ordinal] : (otherwise ?? 0));
}
