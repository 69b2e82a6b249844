/**
 * A filter as the user wrote it: its shape is checked, its operands are not yet bound to a schema.
 */

import type { JsonValue } from "./json-value.ts";

/** Operators that compare values: equality, membership and order. */
const COMPARISON_OPERATORS = [
  "Eq",
  "NotEq",
  "In",
  "NotIn",
  "Contains",
  "NotContains",
  "ContainsAny",
  "NotContainsAny",
  "Lt",
  "Lte",
  "Gt",
  "Gte",
  "AnyLt",
  "AnyLte",
  "AnyGt",
  "AnyGte",
] as const;

/** Operators that match strings by pattern: globs, regular expressions, fuzzy text. */
const PATTERN_OPERATORS = ["Glob", "NotGlob", "IGlob", "NotIGlob", "Regex", "Fuzzy"] as const;

/** Operators over the terms of full-text attributes; their operand is analyzed as text. */
const TOKEN_OPERATORS = ["ContainsAllTokens", "ContainsAnyToken", "ContainsTokenSequence"] as const;

/** All operators between an attribute and an operand, in the order in which messages list them. */
export const FILTER_OPERATORS = [
  ...COMPARISON_OPERATORS,
  ...PATTERN_OPERATORS,
  ...TOKEN_OPERATORS,
] as const;

/** Name of an operator that compares values. */
export type ComparisonOperator = (typeof COMPARISON_OPERATORS)[number];

/** Name of an operator that matches strings by pattern. */
export type PatternOperator = (typeof PATTERN_OPERATORS)[number];

/** Name of an operator over terms. */
export type TokenOperator = (typeof TOKEN_OPERATORS)[number];

/** Name of an operator. */
export type FilterOperator = (typeof FILTER_OPERATORS)[number];

/** Tells whether the operator compares values. */
export function isComparison(operator: FilterOperator): operator is ComparisonOperator {
  return (COMPARISON_OPERATORS as readonly string[]).includes(operator);
}

/** Tells whether the operator matches strings by pattern. */
export function isPattern(operator: FilterOperator): operator is PatternOperator {
  return (PATTERN_OPERATORS as readonly string[]).includes(operator);
}

/** Tells whether the operator is one over terms. */
export function isTokenOperator(operator: FilterOperator): operator is TokenOperator {
  return (TOKEN_OPERATORS as readonly string[]).includes(operator);
}

/** What a condition compares with: a literal, or the new value of an attribute being written. */
export type FilterOperand =
  | { readonly kind: "value"; readonly value: JsonValue }
  | { readonly kind: "ref_new"; readonly attribute: string };

/** `[attribute, operator, operand, options?]`. */
export interface FilterCondition {
  readonly kind: "condition";
  readonly attribute: string;
  readonly operator: FilterOperator;
  readonly operand: FilterOperand;
  /** The fourth element, for operators that take one: `last_as_prefix`, fuzzy settings. */
  readonly options?: JsonValue;
  /** Path of the operand in the request, such as `filters[1][0][2]`; only of patterns. */
  readonly path?: string;
}

/** A filter tree. An empty `and` matches everything, an empty `or` nothing. */
export type Filter =
  | { readonly kind: "and"; readonly filters: readonly Filter[] }
  | { readonly kind: "or"; readonly filters: readonly Filter[] }
  | { readonly kind: "not"; readonly filter: Filter }
  | FilterCondition;
