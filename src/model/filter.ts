/**
 * A filter as the user wrote it: its shape is checked, its operands are not yet bound to a schema.
 */

import type { JsonValue } from "./json-value.ts";

/** Operators between an attribute and an operand. */
export const FILTER_OPERATORS = [
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
  "Glob",
  "NotGlob",
  "IGlob",
  "NotIGlob",
  "Regex",
  "Fuzzy",
  "ContainsAllTokens",
  "ContainsAnyToken",
  "ContainsTokenSequence",
] as const;

/** Name of an operator. */
export type FilterOperator = (typeof FILTER_OPERATORS)[number];

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
}

/** A filter tree. An empty `and` matches everything, an empty `or` nothing. */
export type Filter =
  | { readonly kind: "and"; readonly filters: readonly Filter[] }
  | { readonly kind: "or"; readonly filters: readonly Filter[] }
  | { readonly kind: "not"; readonly filter: Filter }
  | FilterCondition;
