/**
 * Plans: what the executor does, as plain data. The planner has resolved every name, analyzed every
 * text and weighed every term; the executor only runs over segments.
 */

import type { AttributeType } from "../model/attribute-type.ts";
import type { FullTextOptions } from "../model/full-text-options.ts";
import type { Highlight, LimitPer } from "../model/query.ts";
import type { DistanceMetric } from "../model/schema.ts";
import type { ScalarValue } from "../model/value.ts";
import type { TermSaturation } from "../text/bm25.ts";
import type { Predicate } from "./predicate.ts";

/** A query term and the factors that do not depend on the document. */
export interface WeighedTerm {
  readonly term: string;
  /** Live documents with the term, in the whole namespace. */
  readonly documentFrequency: number;
  readonly weight: number;
}

/** BM25 of one attribute. */
export interface Bm25Node {
  readonly kind: "bm25";
  readonly attribute: string;
  /** In the order of their first appearance in the query, which is the order of summation. */
  readonly terms: readonly WeighedTerm[];
  readonly prefix: string | undefined;
  /** Mean of the live documents' lengths, in the whole namespace. */
  readonly averageLength: number;
  readonly saturation: TermSaturation;
}

/** Score arithmetic. A document that no clause produces has no score. */
export type ScoreNode =
  | Bm25Node
  | {
      readonly kind: "sparse";
      readonly attribute: string;
      readonly entries: readonly (readonly [name: string, weight: number])[];
    }
  | { readonly kind: "sum"; readonly clauses: readonly ScoreNode[] }
  | { readonly kind: "max"; readonly clauses: readonly ScoreNode[] }
  | { readonly kind: "floor"; readonly floor: number; readonly clause: ScoreNode }
  | { readonly kind: "product"; readonly weight: number; readonly clause: ScoreNode }
  | { readonly kind: "attribute"; readonly attribute: string }
  | { readonly kind: "dist"; readonly attribute: string; readonly origin: ScalarValue }
  | {
      readonly kind: "saturate" | "decay";
      readonly clause: ScoreNode;
      readonly midpoint: number;
      readonly exponent: number;
    }
  | { readonly kind: "filter"; readonly predicate: Predicate };

/** How far an ANN search walks through clusters; see `cluster-probe.ts`. */
export interface ProbePlan {
  /** Up to so many matches in segments with clusters all of them are looked at. */
  readonly exactMatchesMax: number;
  /** Looks at this many matches at least. */
  readonly matchesMin: number;
  /** Looks at this many times √matches, of each segment, at least. */
  readonly perRoot: number;
}

/** Distances to a query vector. */
export interface VectorNode {
  readonly kind: "vector";
  readonly method: "ANN" | "kNN";
  /** Undefined: all candidates are looked at. */
  readonly probe: ProbePlan | undefined;
  /** `scan` reads all vectors of a segment in order, `gather` only those of the candidates. */
  readonly access: "scan" | "gather";
  readonly target: VectorTarget;
}

/** A vector attribute and what its vectors are compared with. */
export interface VectorTarget {
  readonly attribute: string;
  readonly metric: DistanceMetric;
  /** Several vectors iff the attribute is of type `[][N]f32`. */
  readonly query: Float32Array | readonly Float32Array[];
}

/** One key of an ordering. */
export interface OrderKey {
  readonly attribute: string;
  readonly direction: "asc" | "desc";
}

/** How documents are ranked. */
export type RankNode =
  | VectorNode
  | { readonly kind: "score"; readonly score: ScoreNode }
  | { readonly kind: "order"; readonly keys: readonly OrderKey[] };

/** A computed member. */
export type ComputedNode =
  | { readonly kind: "vector_dist"; readonly target: VectorTarget }
  | { readonly kind: "score"; readonly score: ScoreNode }
  | {
      readonly kind: "highlight";
      readonly highlight: Highlight;
      /** How the attribute's text is analyzed. */
      readonly options: FullTextOptions;
      /** How fragments are ranked. */
      readonly score: ScoreNode;
    };

/** A query for documents. */
export interface DocumentPlan {
  readonly kind: "documents";
  readonly predicate: Predicate;
  readonly rank: RankNode;
  readonly offset: number;
  readonly limit: number;
  readonly limitPer: LimitPer | undefined;
  /** Returned attributes in order. */
  readonly attributes: readonly (readonly [string, AttributeType])[];
  readonly computed: readonly (readonly [string, ComputedNode])[];
}

/** A group key. */
export interface GroupNode {
  /** Its name in the answer. */
  readonly name: string;
  readonly attribute: string;
  /** Type of the key's values: of the elements for `each_unique`. */
  readonly type: AttributeType;
  readonly each: "value" | "unique_element";
}

/** An aggregate function. */
export type AggregateNode =
  | { readonly kind: "count" }
  | { readonly kind: "sum"; readonly attribute: string; readonly number: "integer" | "float" };

/** A query for aggregates. */
export interface AggregatePlan {
  readonly kind: "aggregate";
  readonly predicate: Predicate;
  readonly aggregates: readonly (readonly [string, AggregateNode])[];
  /** Without keys there is exactly one group. */
  readonly groups: readonly GroupNode[];
  readonly groupLimit: number;
}

/** A plan. */
export type Plan = DocumentPlan | AggregatePlan;
