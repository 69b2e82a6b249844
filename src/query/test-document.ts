/** Evaluates a predicate on one document, value by value. */

import { unreachable } from "../base/assert.ts";
import type { AttributeValue, ScalarValue, SparseVector } from "../model/value.ts";
import { type Comparison, comparisonWith } from "./bind/bind-comparison.ts";
import { valueHasSequence, valueHasTokens } from "./filter-tokens.ts";
import type { Predicate, Test } from "./predicate.ts";
import { hasValue } from "./value-set.ts";

/** The values of one document; `id` counts as an attribute. */
export type ValueOf = (attribute: string) => AttributeValue;

/**
 * Tells whether the document matches. `next` has the values that replace the document's, for
 * `$ref_new`.
 */
export function testDocument(predicate: Predicate, current: ValueOf, next: ValueOf): boolean {
  switch (predicate.kind) {
    case "and":
      return predicate.predicates.every((part) => testDocument(part, current, next));
    case "or":
      return predicate.predicates.some((part) => testDocument(part, current, next));
    case "not":
      return !testDocument(predicate.predicate, current, next);
    case "test":
      return testValue(predicate.test, current(predicate.attribute));
    case "reference": {
      const { operator, reference } = predicate;
      const bound = comparisonWith(predicate, operator as Comparison, next(reference));
      return testDocument(bound, current, next);
    }
  }
}

function testValue(test: Test, value: AttributeValue): boolean {
  if (value === null) return test.kind === "scalar" && test.nullMatches;
  switch (test.kind) {
    case "present":
      return true;
    case "scalar":
      return hasValue(test.set, value as ScalarValue);
    case "any_element":
      return (value as readonly ScalarValue[]).some((element) => hasValue(test.set, element));
    case "array_equals":
      return sameElements(value as readonly ScalarValue[], test.values);
    case "vector_equals":
      return sameVector(value, test.value);
    case "tokens":
      return valueHasTokens(test, value);
    case "sequence":
      return valueHasSequence(test, value);
    default:
      return unreachable(test);
  }
}

function sameElements<T>(a: ArrayLike<T>, b: ArrayLike<T>): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Dense, multi and sparse vectors, bit for bit but for the sign of zero. */
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
