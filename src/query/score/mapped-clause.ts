/** What operators have in common that change the scores of one clause. */

import { NO_THRESHOLD } from "../order/top-documents.ts";
import { eachBit } from "../ordinal-bits.ts";
import type { ScoreOperator } from "../plan/operator.ts";
import type { ScoreNode } from "../plan/plan.ts";
import { indent } from "../plan/plan-text.ts";
import { scoreFragment, termsInFragments } from "./fragment-score.ts";

/** Score arithmetic over one clause. */
export interface MappedNode extends ScoreNode {
  readonly clause: ScoreNode;
}

/** How the scores change. */
export interface Mapping<N extends MappedNode> {
  readonly kind: N["kind"];
  title(node: N): string;
  change(node: N): (score: number) => number;
}

/** Makes the operator that changes each score and adds no documents. */
export function mappedClause<N extends MappedNode>({
  kind,
  title,
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
