/** Filters that are checked against the type of a namespace's documents. */

import type { AttributeOf } from "./document-types.ts";

/**
 * A filter such as `["year", "Lt", 2000]` or `["And", [["year", "Lt", 2000], …]]`. Operators and
 * the form are checked, attributes and values are not. Assert arrays that are built at run time to
 * be filters: `parts as Filter`.
 */
export type Filter = FilterOf<unknown>;

/** A filter over documents of this type. */
export type FilterOf<Document> = FilterTree<AttributeFilters<Document, never>>;

/** A filter over stored documents that may compare with the documents being written. */
export type ConditionOf<Document> = FilterTree<
  AttributeFilters<Document, { readonly $ref_new: AttributeOf<Document> }>
>;

/** Options of filters that compare the terms of texts. */
export interface TokenOptions {
  readonly last_as_prefix?: boolean | null;
}

/** Options of `Fuzzy`: the number of allowed edits. */
export interface FuzzyOptions {
  readonly max_edit_distance: readonly {
    readonly min_query_chars: number;
    readonly distance: number;
  }[];
  readonly case_sensitive?: boolean | null;
}

type FilterTree<Leaf> =
  | Asserted
  | Leaf
  | readonly ["And" | "Or", readonly FilterTree<Leaf>[]]
  | readonly ["Not", FilterTree<Leaf>];

/** No value has this type; as a mutable array it lets `unknown[]` be asserted to be a filter. */
type Asserted = [never];

/** Filters of one attribute, for each attribute. `Reference` is an operand in addition to values. */
type AttributeFilters<Document, Reference> = {
  [Name in AttributeOf<Document>]: AttributeFilter<
    Name,
    Exclude<ValueOf<Document, Name>, null | undefined>,
    Reference
  >;
}[AttributeOf<Document>];

type ValueOf<Document, Name> = unknown extends Document ? unknown : Document[Name & keyof Document];

type AttributeFilter<Name extends string, Value, Reference> =
  | readonly [Name, "Eq" | "NotEq", ReadonlyValue<Value> | null | Reference]
  | readonly [Name, "Lt" | "Lte" | "Gt" | "Gte", ReadonlyValue<Value> | null | Reference]
  | readonly [Name, ListOperator, readonly ElementOf<Value>[] | ElementOf<Value> | Reference]
  | readonly [Name, ElementOperator, ElementOf<Value> | Reference]
  | readonly [Name, "Glob" | "NotGlob" | "IGlob" | "NotIGlob" | "Regex", string | Reference]
  | readonly [Name, "Fuzzy", string | Reference, FuzzyOptions]
  | readonly [Name, "ContainsTokenSequence", string | readonly string[] | Reference]
  | readonly [
      Name,
      "ContainsAllTokens" | "ContainsAnyToken",
      string | readonly string[] | Reference,
      (TokenOptions | null)?,
    ];

type ListOperator = "In" | "NotIn" | "ContainsAny" | "NotContainsAny";

type ElementOperator = "Contains" | "NotContains" | "AnyLt" | "AnyLte" | "AnyGt" | "AnyGte";

type ReadonlyValue<Value> = Value extends readonly (infer Element)[] ? readonly Element[] : Value;

type ElementOf<Value> = Value extends readonly (infer Element)[] ? Element : Value;
