/** What operators have in common that change the scores of one clause. */

import { NO_THRESHOLD } from "../order/top-documents.ts";
import { eachBit } from "../ordinal-bits.ts";
import type { ScoreOperator } from "../plan/operator.ts";
import type { ScoreNode } from "../plan/plan.ts";
import { indent } from "../plan/plan-text.ts";
import type { BoundedScores } from "./bounded-scores.ts";
import { scoreFragment, termsInFragments } from "./fragment-score.ts";

/** Score arithmetic over one clause. */
export interface MappedNode extends ScoreNode {
  readonly clause: ScoreNode;
}

/** How bounds change with scores. */
export type ChangedBounds = Pick<BoundedScores, "constant"> & { readonly factor: number };

/** How the scores change. */
export interface Mapping<N extends MappedNode> {
  readonly kind: N["kind"];
  title(node: N): string;
  /**
   * What bounds changed scores: so many times what the lists add, and a constant. Undefined:
   * nothing does.
   */
  bound(node: N, clause: BoundedScores): ChangedBounds | undefined;
  change(node: N): (score: number) => number;
}

/** Makes the operator that changes each score and adds no documents. */
export function mappedClause<N extends MappedNode>({
  kind,
  title,
  bound,
  change,
}: Mapping<N>): ScoreOperator<N> {
  return {
    kind,
    needs: ({ clause }, run) => run.operators.score(clause).needs(clause, run),

    *run(node, run) {
      const { clause } = node;
      const unbounded = { ...run, threshold: NO_THRESHOLD };
      const scores = yield* run.operators.score(clause).run(clause, unbounded);
      const changed = change(node);
      const { values } = scores;
      // The clause's arrays belong to its parent.
      yield* eachBit(scores.scored, (ordinal) => {
        values[ordinal] = changed(values[ordinal]);
      });
      const { scored, otherwise } = scores;
      return {
        values,
        scored,
        otherwise: otherwise === undefined ? undefined : changed(otherwise),
      };
    },

    bounds: {
      needs: ({ clause }, run) => run.operators.score(clause).bounds?.needs(clause, run) ?? [],

      *bounded(node, run) {
        const { clause } = node;
        const { bounds } = run.operators.score(clause);
        const bounded = bounds && (yield* bounds.bounded(clause, run));
        const changed = bounded && bound(node, bounded);
        return changed && changedScores(bounded, changed, change(node));
      },
    },

    explain: (node, operators) => [
      title(node),
      ...operators.score(node.clause).explain(node.clause, operators).map(indent),
    ],

    fragments: {
      score: (node, fragment, operators) => {
        const score = scoreFragment(node.clause, fragment, operators);
        return score === undefined ? undefined : change(node)(score);
      },
      terms: ({ clause }, attribute, operators) => termsInFragments(clause, attribute, operators),
    },
  };
}

function changedScores(
  clause: BoundedScores,
  { constant, factor }: ChangedBounds,
  change: (score: number) => number,
): BoundedScores {
  const { lists, mayTakeAway, otherwise } = clause;
  return {
    lists: lists.map((list) => list.scaled(factor)),
    constant,
    mayTakeAway: mayTakeAway && factor > 0,
    otherwise: otherwise === undefined ? undefined : change(otherwise),
    isSum: false,
    *bind(cursors) {
      const score = yield* clause.bind(cursors);
      return (ordinals, into) => {
        score(ordinals, into);
        const { values } = into;
        for (let i = 0; i < ordinals.length; i++) values[i] = change(values[i]);
      };
    },
  };
}
