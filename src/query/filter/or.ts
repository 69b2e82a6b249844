import { emptyBits, type OrdinalBits, orBits } from "../documents/ordinal-bits.ts";
import type { PredicateOperator } from "../operator/operator.ts";
import type { Predicate } from "../operator/plan.ts";
import {
  arePartsOrdered,
  arrangedParts,
  costOfParts,
  explainParts,
  grainOfParts,
  type PartsNode,
  partsNeeds,
} from "./parts.ts";

/** Some part matches; without parts nothing does. */
export interface OrNode extends PartsNode {
  readonly kind: "or";
}

/** Matches what any of the predicates matches. */
export function anyOf(predicates: readonly Predicate[]): OrNode {
  return { kind: "or", predicates };
}

/** Matches no document. */
export const MATCH_NONE = anyOf([]);

/** Disjunctions. */
export const OR: PredicateOperator<OrNode> = {
  kind: "or",
  cost: costOfParts,
  grain: grainOfParts,
  isOrdered: arePartsOrdered,
  arranged: (node, operators) => anyOf(arrangedParts(node, operators)),
  needs: partsNeeds,

  *run({ predicates }, run) {
    let bits: OrdinalBits | undefined;
    for (const part of predicates) {
      const found = yield* run.operators.predicate(part).run(part, run);
      bits = bits === undefined ? found : orBits(bits, found);
      // There may be tens of thousands of parts that have no pause of their own.
      yield;
    }
    return bits ?? emptyBits(run.view.documentCount);
  },

  *matches({ predicates }, run) {
    for (const part of predicates) {
      if (run.pace.isDue(1)) yield;
      const found = run.operators.predicate(part).matches(part, run);
      if (typeof found === "boolean" ? found : yield* found) return true;
    }
    return false;
  },

  explain: (node, label, operators) =>
    node.predicates.length === 0
      ? [`${label}: nothing matches`]
      : [`${label}: any of`, ...explainParts(node, operators)],
};
