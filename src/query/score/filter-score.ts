import { oneStep } from "../../base/steps.ts";
import { hasBit } from "../../codec/bitmap.ts";
import { constantBound } from "../documents/bounded-scores.ts";
import { eachBit } from "../documents/ordinal-bits.ts";
import type { ScoreOperator } from "../operator/operator.ts";
import type { Predicate, ScoreNode } from "../operator/plan.ts";

/** 1 for documents that match; beside other clauses 0 for those that do not. */
export interface FilterScoreNode extends ScoreNode {
  readonly kind: "filter";
  readonly predicate: Predicate;
}

/** Filters as scores. */
export const FILTER_SCORE: ScoreOperator<FilterScoreNode> = {
  kind: "filter",
  needs: ({ predicate }, run) => run.operators.predicate(predicate).needs(predicate, run),

  *run({ predicate }, run) {
    const values = new Float64Array(run.view.documentCount);
    const scored = yield* run.operators.predicate(predicate).run(predicate, run);
    yield* eachBit(scored, (ordinal) => {
      values[ordinal] = 1;
    });
    return { values, scored, otherwise: 0 };
  },

  bounds: {
    needs: () => [],
    bounded: ({ predicate }, run) =>
      oneStep(() =>
        constantBound({
          constant: 1,
          isCeiling: true,
          otherwise: 0,
          *bind() {
            const matches = yield* run.operators.predicate(predicate).run(predicate, run);
            return (ordinals, { values, has }) => {
              for (let i = 0; i < ordinals.length; i++) {
                values[i] = 1;
                has[i] = Number(hasBit(matches, ordinals[i]));
              }
            };
          },
        }),
      ),
  },

  explain: ({ predicate }, operators) =>
    operators.predicate(predicate).explain(predicate, "1 if", operators),

  fragments: {
    score: ({ predicate }, fragment, operators) =>
      operators.predicate(predicate).fragments?.matches(predicate, fragment) === true
        ? 1
        : undefined,
    terms: ({ predicate }, attribute, operators) =>
      operators.predicate(predicate).fragments?.terms(predicate, attribute) ?? [],
  },
};
