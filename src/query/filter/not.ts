import { remainingBits } from "../documents/ordinal-bits.ts";
import type { PredicateOperator } from "../operator/operator.ts";
import type { Predicate } from "../operator/plan.ts";
import { indent } from "../operator/plan-text.ts";

/** The part does not match. */
export interface NotNode extends Predicate {
  readonly kind: "not";
  readonly predicate: Predicate;
}

/** The exact complement. */
export function negate(predicate: Predicate): NotNode {
  return { kind: "not", predicate };
}

/** Complements. */
export const NOT: PredicateOperator<NotNode> = {
  kind: "not",

  cost: ({ predicate }, operators) => operators.predicate(predicate).cost(predicate, operators),

  grain: ({ predicate }, operators) => operators.predicate(predicate).grain(predicate, operators),

  isOrdered: ({ predicate }, view, operators) =>
    operators.predicate(predicate).isOrdered?.(predicate, view, operators) === true,

  arranged: ({ predicate }, operators) =>
    negate(operators.predicate(predicate).arranged?.(predicate, operators) ?? predicate),

  needs: ({ predicate }, run) => run.operators.predicate(predicate).needs(predicate, run),

  *run({ predicate }, run) {
    const matching = yield* run.operators.predicate(predicate).run(predicate, run);
    return remainingBits(matching, run.within);
  },

  count: ({ predicate }, run) => {
    const count = run.operators.predicate(predicate).count?.(predicate, run);
    return count === undefined ? undefined : run.view.documentCount - count;
  },

  *matches({ predicate }, run) {
    const found = run.operators.predicate(predicate).matches(predicate, run);
    return !(typeof found === "boolean" ? found : yield* found);
  },

  explain: ({ predicate }, label, operators) => [
    `${label}: not`,
    ...operators.predicate(predicate).explain(predicate, "part", operators).map(indent),
  ],
};
