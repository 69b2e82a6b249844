import { idComparer } from "../documents/document-order.ts";
import { matchBits } from "../documents/matched-documents.ts";
import { andBits, eachPart, isEmpty, type VisitPart } from "../documents/ordinal-bits.ts";
import { scoreKey } from "../documents/segment-scores.ts";
import type { RankOperator } from "../operator/operator.ts";
import type { RankNode, ScoreNode } from "../operator/plan.ts";
import { indent } from "../operator/plan-text.ts";
import { offerBest } from "./lists/best-scores.ts";
import { notOfferedBits } from "./lists/not-offered.ts";
import { offerUnlisted } from "./offer-unlisted.ts";
import { mayPassOver, pickScoring } from "./pick-scoring.ts";

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
    let rest = within;
    if (operator.bounds !== undefined && mayPassOver(documentCount, capacity)) {
      const bounded = yield* operator.bounds.bounded(score, run);
      if (bounded !== undefined && pickScoring(bounded) === "best") {
        const best = { documentCount, within, ranking, segment: index, work };
        const notOffered = yield* offerBest(bounded, best);
        const { from, unlisted } = notOffered;
        if (from === documentCount && unlisted === undefined) return;
        rest = yield* notOfferedBits(notOffered, bounded.lists, within);
        if (isEmpty(rest)) return;
        if (from === documentCount && unlisted !== undefined) {
          return yield* offerUnlisted(unlisted, rest, { view, ranking, segment: index });
        }
      }
    }
    const { values, scored } = yield* operator.run(score, { ...run, within: rest });
    const offer: VisitPart = (ordinals, keys) => {
      for (let i = 0; i < ordinals.length; i++) keys[i] = scoreKey(values[ordinals[i]]);
      ranking.offerAll(keys, index, ordinals);
    };
    yield* eachPart(andBits(scored, rest), offer, DOCUMENTS_PER_STEP);
  },

  distOf: (key) => -key,
  // Postings are read as a whole.
  grain: () => "segments",
  needs({ score }, run) {
    const { needs, bounds } = run.operators.score(score);
    const own = needs(score, run);
    // How many documents are wanted only matters where that is nearly all of them.
    if (bounds === undefined || !mayPassOver(run.view.documentCount, 1)) return own;
    return [...own, ...bounds.needs(score, run)];
  },
  explain: ({ score }, _snapshot, operators) => [
    "Rank: score, descending",
    ...operators.score(score).explain(score, operators).map(indent),
  ],
};
