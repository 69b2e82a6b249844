/** What a query answers, before it becomes JSON. */

import type { AttributeType } from "./attribute-type.ts";
import type { AttributeValue, DocumentId } from "./value.ts";

/** One fragment of a highlighted attribute. Ranges are half-open, in the unit asked for. */
export interface HighlightFragment {
  readonly text: string;
  /** Position in the attribute's value (for arrays: in the element). */
  readonly fragmentRange?: readonly [number, number];
  readonly matchRanges?: readonly (readonly [number, number])[];
  /** Which element, for `[]string`. */
  readonly arrayIndex?: number;
}

/** A computed member: a float32 score or distance, fragments, or null without a value to use. */
export type ComputedValue = null | number | readonly HighlightFragment[];

/** One returned document. */
export interface ResultDocument {
  readonly id: DocumentId;
  /** Rounded to float32; undefined when ordered by attribute. */
  readonly dist: number | undefined;
  /** Attributes with a value only, with the type that tells how to print them. */
  readonly attributes: readonly (readonly [string, AttributeType, AttributeValue])[];
  readonly computed: readonly (readonly [string, ComputedValue])[];
}

/** Value of an aggregate: integers exact, floats as numbers. */
export type AggregateValue = bigint | number;

/** One group: its keys by response name, and the aggregates by label. */
export interface ResultGroup {
  readonly keys: readonly (readonly [string, AttributeType, AttributeValue])[];
  readonly aggregates: readonly (readonly [string, AggregateValue])[];
}

/** The answer to one query. */
export type QueryResult =
  | { readonly kind: "documents"; readonly documents: readonly ResultDocument[] }
  | {
      readonly kind: "aggregates";
      readonly aggregates: readonly (readonly [string, AggregateValue])[];
    }
  | { readonly kind: "groups"; readonly groups: readonly ResultGroup[] };
