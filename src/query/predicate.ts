/** A filter bound to a schema: every name is known, every operand has its attribute's type. */

import type { AttributeType } from "../model/attribute-type.ts";
import type { FilterOperator } from "../model/filter.ts";
import type { FullTextOptions } from "../model/full-text-options.ts";
import type { AttributeValue, ScalarValue } from "../model/value.ts";

/** One end of an interval. */
export interface IntervalEnd {
  readonly value: ScalarValue;
  readonly inclusive: boolean;
}

/** A set of values of one scalar type. */
export type ValueSet =
  /** Between two ends in the type's order; an absent end is open. */
  | {
      readonly kind: "interval";
      readonly low: IntervalEnd | undefined;
      readonly high: IntervalEnd | undefined;
    }
  /** Ascending and unique. */
  | { readonly kind: "list"; readonly values: readonly ScalarValue[] }
  /** Strings that pass a test; all of them start with `prefix`. */
  | {
      readonly kind: "strings";
      readonly prefix: string;
      /** For explain. */
      readonly description: string;
      readonly matches: (value: string) => boolean;
    };

/** A term of a sequence and how many positions after the first one it stands. */
export interface SequenceTerm {
  readonly term: string;
  readonly distance: number;
}

/** What is asked of one attribute. Each test says what null is. */
export type Test =
  /** Null does not match. */
  | { readonly kind: "present" }
  | { readonly kind: "scalar"; readonly set: ValueSet; readonly nullMatches: boolean }
  /** Some element of an array; null does not match. */
  | { readonly kind: "any_element"; readonly set: ValueSet }
  /** All elements in order; null does not match. */
  | { readonly kind: "array_equals"; readonly values: readonly ScalarValue[] }
  /** Vectors and sparse vectors; only in conditions of writes. */
  | { readonly kind: "vector_equals"; readonly value: AttributeValue }
  /** All or any of the terms; `prefix` counts as one more term. Null does not match. */
  | {
      readonly kind: "tokens";
      readonly mode: "all" | "any";
      readonly terms: readonly string[];
      readonly prefix: string | undefined;
      readonly options: FullTextOptions;
    }
  /** The terms at exactly these distances within one element. Null does not match. */
  | {
      readonly kind: "sequence";
      readonly sequence: readonly SequenceTerm[];
      readonly options: FullTextOptions;
    };

/** A test of one attribute; `id` counts as an attribute. */
export interface AttributeTest {
  readonly kind: "test";
  readonly attribute: string;
  readonly type: AttributeType;
  readonly test: Test;
}

/** A comparison with the value being written, which is known only document by document. */
export interface ReferenceTest {
  readonly kind: "reference";
  readonly attribute: string;
  readonly type: AttributeType;
  readonly operator: FilterOperator;
  /** The attribute whose new value is the operand. */
  readonly reference: string;
}

/** A bound filter. An empty `and` matches everything, an empty `or` nothing. */
export type Predicate =
  | { readonly kind: "and"; readonly predicates: readonly Predicate[] }
  | { readonly kind: "or"; readonly predicates: readonly Predicate[] }
  | { readonly kind: "not"; readonly predicate: Predicate }
  | AttributeTest
  | ReferenceTest;

/** Matches every document. */
export const MATCH_ALL: Predicate = { kind: "and", predicates: [] };

/** Matches no document. */
export const MATCH_NONE: Predicate = { kind: "or", predicates: [] };

/** The exact complement. */
export function negate(predicate: Predicate): Predicate {
  return { kind: "not", predicate };
}
