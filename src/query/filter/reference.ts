import { assert } from "../../base/assert.ts";
import type { ComparisonOperator } from "../../model/filter.ts";
import type { PredicateOperator } from "../operator/operator.ts";
import type { AttributeNode } from "./attribute-source.ts";

/**
 * A comparison with the value being written (`$ref_new`), which is known only document by document;
 * only in conditions of writes.
 */
export interface ReferenceNode extends AttributeNode {
  readonly kind: "reference";
  readonly operator: ComparisonOperator;
  /** The attribute whose new value is the operand. */
  readonly reference: string;
}

/** Comparisons with new values, of single documents only. */
export const REFERENCE: PredicateOperator<ReferenceNode> = {
  kind: "reference",
  cost: () => 0,
  grain: () => "snapshot",
  needs: () => [],
  run: () => {
    assert(false, "$ref_new outside of a condition");
  },

  matches: (node, run) => {
    const comparison = run.comparison(node, node.operator, run.next(node.reference));
    return run.operators.predicate(comparison).matches(comparison, run);
  },

  explain: ({ attribute, operator, reference }, label) => [
    `${label}: ${attribute} ${operator} new ${reference}`,
  ],
};
