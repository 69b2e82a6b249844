import { matchBits } from "../filter/matched-documents.ts";
import { idComparer } from "../order/document-order.ts";
import { andBits, eachPart, type VisitPart } from "../ordinal-bits.ts";
import type { RankOperator } from "../plan/operator.ts";
import type { RankNode, ScoreNode } from "../plan/plan.ts";
import { indent } from "../plan/plan-text.ts";
import { offerBest } from "./best-scores.ts";
import { mayPassOver, pickScoring } from "./pick-scoring.ts";
import { scoreKey } from "./segment-scores.ts";

/** A ranking by score, the highest first. */
export interface ScoreRankNode extends RankNode {
  readonly kind: "score";
  readonly score: ScoreNode;
}

/** Documents that are offered between two pauses: each may cost some microseconds. */
const DOCUMENTS_PER_STEP = 512;

/** Rankings by score: the key of a document is its score, negated. */
export const SCORE_RANK: RankOperator<ScoreRankNode> = {
  kind: "score",
  comparer: (_node, segments) => idComparer(segments),

  *rankSegment({ score }, { segment, index, matching, ranking }, execution) {
    const { view } = segment;
    const { operators, together, togetherInSteps, work } = execution;
    const within = matchBits(matching, view);
    const each = { view, within, operators, together, togetherInSteps };
    const { memory } = execution.options;
    const run = { ...each, work, memory, threshold: ranking };
    const operator = operators.score(score);
    const { documentCount } = view;
    const { capacity } = ranking;
    if (operator.sums !== undefined && mayPassOver(documentCount, capacity)) {
      const lists = yield* operator.sums.lists(score, run);
      if (lists !== undefined && pickScoring(lists) === "best") {
        yield* offerBest(lists, { documentCount, within, ranking, segment: index, work });
        return;
      }
    }
    const { values, scored } = yield* operator.run(score, run);
    const offer: VisitPart = (ordinals, keys) => {
      for (let i = 0; i < ordinals.length; i++) keys[i] = scoreKey(values[ordinals[i]]);
      ranking.offerAll(keys, index, ordinals);
    };
    yield* eachPart(andBits(scored, within), offer, DOCUMENTS_PER_STEP);
  },

  distOf: (key) => -key,
  // Postings are read as a whole.
  grain: () => "segments",
  needs({ score }, run) {
    const { needs, sums } = run.operators.score(score);
    const own = needs(score, run);
    // How many documents are wanted only matters where that is nearly all of them.
    if (sums === undefined || !mayPassOver(run.view.documentCount, 1)) return own;
    return [...own, ...sums.needs(score, run)];
  },
  explain: ({ score }, _snapshot, operators) => [
    "Rank: score, descending",
    ...operators.score(score).explain(score, operators).map(indent),
  ],
};
