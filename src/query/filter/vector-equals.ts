import { assert } from "../../base/assert.ts";
import type { AttributeValue, SparseVector } from "../../model/value.ts";
import type { PredicateOperator } from "../operator/operator.ts";
import { sameElements } from "./array-equals.ts";
import type { AttributeNode } from "./attribute-source.ts";

/** A dense, multi or sparse vector is a given one; only in conditions of writes. */
export interface VectorEqualsNode extends AttributeNode {
  readonly kind: "vector_equals";
  readonly value: AttributeValue;
}

/** Equality of vectors, of single documents only. */
export const VECTOR_EQUALS: PredicateOperator<VectorEqualsNode> = {
  kind: "vector_equals",
  cost: () => 3,
  grain: () => "ordinals",
  needs: () => [],
  run: () => {
    assert(false, "vector comparison outside of a condition");
  },
  matches: ({ attribute, value }, { current }) => sameVector(current(attribute), value),
  explain: ({ attribute }, label) => [`${label}: ${attribute} is a given vector`],
};

/** Bit for bit but for the sign of zero. */
function sameVector(a: AttributeValue, b: AttributeValue): boolean {
  if (a instanceof Float32Array && b instanceof Float32Array) return sameElements(a, b);
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((vector, i) => sameVector(vector, b[i]));
  }
  if (!isSparse(a) || !isSparse(b)) return false;
  return sameElements(a.names, b.names) && sameElements(a.weights, b.weights);
}

function isSparse(value: AttributeValue): value is SparseVector {
  return typeof value === "object" && value !== null && "weights" in value;
}
