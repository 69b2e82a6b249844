/** What operators have in common that change the scores of one clause. */

import type { BoundedScores } from "../documents/bounded-scores.ts";
import { eachBit } from "../documents/ordinal-bits.ts";
import { NO_THRESHOLD } from "../documents/top-documents.ts";
import type { ScoreOperator } from "../operator/operator.ts";
import type { ScoreNode } from "../operator/plan.ts";
import { indent } from "../operator/plan-text.ts";
import { scoreFragment, termsInFragments } from "./fragment-score.ts";

/** Score arithmetic over one clause. */
export interface MappedNode extends ScoreNode {
  readonly clause: ScoreNode;
}

/** How bounds change with scores. */
export type ChangedBounds = Pick<BoundedScores, "constant" | "isCeiling"> & {
  readonly factor: number;
};

/** How the scores change. */
export interface Mapping<N extends MappedNode> {
  readonly kind: N["kind"];
  title(node: N): string;
  /**
   * What bounds changed scores: so many times what the lists add, and a constant. Undefined:
   * nothing does.
   */
  bound(node: N, clause: BoundedScores): ChangedBounds | undefined;
  /** Rises with the score, or falls. */
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
        if (bounded === undefined) return undefined;
        const changed = bound(node, bounded);
        if (changed === undefined) return undefined;
        return {
          ...changedScores(bounded, changed, change(node)),
          rangeIn:
            bounded.rangeIn &&
            changedRanges(bounded, changed, {
              change: change(node),
              boundBy: (constant) => bound(node, { ...bounded, constant }),
            }),
        };
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

/** What bounds changed scores in ranges of documents. */
function changedRanges(
  { rangeIn, lists }: BoundedScores,
  { constant, factor }: ChangedBounds,
  {
    change,
    boundBy,
  }: {
    readonly change: (score: number) => number;
    readonly boundBy: (constant: number) => ChangedBounds | undefined;
  },
): BoundedScores["rangeIn"] {
  const whole = { least: 0, greatest: constant };
  return (start, end) => {
    const range = rangeIn?.(start, end);
    if (range === undefined) return whole;
    if (lists.length > 0) {
      const changed = boundBy(range.greatest);
      // Lists are scaled alike everywhere.
      return changed?.factor === factor ? { least: 0, greatest: changed.constant } : whole;
    }
    const [a, b] = [change(range.least), change(range.greatest)];
    // What is infinite times nothing is no number.
    return Number.isNaN(a + b) ? whole : { least: Math.min(a, b), greatest: Math.max(a, b) };
  };
}

function changedScores(
  clause: BoundedScores,
  { constant, isCeiling, factor }: ChangedBounds,
  change: (score: number) => number,
): BoundedScores {
  const { lists, mayTakeAway, otherwise } = clause;
  return {
    lists: lists.map((list) => list.scaled(factor)),
    constant,
    isCeiling,
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
