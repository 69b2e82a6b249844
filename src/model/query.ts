/**
 * A query as the user wrote it: shape and numeric bounds are checked, names and operands are not
 * yet bound to a schema.
 */

import type { Filter } from "./filter.ts";
import type { JsonValue } from "./json-value.ts";

/** A query vector: given, or to be embedded before the search. */
export type VectorOperand =
  | { readonly kind: "vector"; readonly values: Float32Array }
  /** For late interaction: several vectors. */
  | { readonly kind: "vectors"; readonly values: readonly Float32Array[] }
  | { readonly kind: "embed"; readonly text: string; readonly model: string | undefined };

/** Ranking by distance to a vector; lower `$dist` first. */
export interface VectorRank {
  readonly kind: "vector";
  readonly method: "ANN" | "kNN";
  readonly attribute: string;
  readonly operand: VectorOperand;
}

/** Arithmetic over scores; higher first. */
export type ScoreExpression =
  /** `query` is string[] for pre-tokenized attributes; checked when bound. */
  | {
      readonly kind: "bm25";
      readonly attribute: string;
      readonly query: JsonValue;
      readonly lastAsPrefix: boolean;
    }
  | {
      readonly kind: "sparse";
      readonly attribute: string;
      readonly entries: ReadonlyMap<string, number>;
    }
  | { readonly kind: "sum"; readonly clauses: readonly ScoreExpression[] }
  | { readonly kind: "max"; readonly clauses: readonly ScoreExpression[] }
  /** `["Max", 0, clause]`: the clause's score, at least `floor` (>= 0); adds no documents. */
  | { readonly kind: "floor"; readonly floor: number; readonly clause: ScoreExpression }
  | { readonly kind: "product"; readonly weight: number; readonly clause: ScoreExpression }
  | { readonly kind: "attribute"; readonly attribute: string }
  | { readonly kind: "dist"; readonly attribute: string; readonly origin: JsonValue }
  | {
      readonly kind: "saturate" | "decay";
      readonly clause: ScoreExpression;
      /** A number, or a duration string such as `"7d"` for datetimes; checked when bound. */
      readonly midpoint: JsonValue;
      readonly exponent: number;
    }
  /** 1 for documents that match, 0 for the rest. */
  | { readonly kind: "filter"; readonly filter: Filter };

/** Ordering by attributes; no `$dist`. */
export interface OrderRank {
  readonly kind: "order";
  readonly keys: readonly { readonly attribute: string; readonly direction: "asc" | "desc" }[];
}

/** How documents are ranked. */
export type RankBy =
  | VectorRank
  | OrderRank
  | { readonly kind: "score"; readonly expression: ScoreExpression };

/** At most `limit` documents for each distinct combination of the attributes' values. */
export interface LimitPer {
  readonly attributes: readonly string[];
  readonly limit: number;
}

/** Which attributes come back with a document. */
export type AttributeSelection =
  | { readonly kind: "none" }
  | { readonly kind: "all" }
  | { readonly kind: "include"; readonly names: ReadonlySet<string> }
  | { readonly kind: "exclude"; readonly names: ReadonlySet<string> };

/** An aggregate function. */
export type Aggregate =
  | { readonly kind: "count" }
  | { readonly kind: "sum"; readonly attribute: string };

/** A member of `group_by`. */
export type GroupKey =
  | { readonly kind: "attribute"; readonly attribute: string }
  | { readonly kind: "each_unique"; readonly name: string; readonly attribute: string };

/** Settings of a highlight. */
export interface Highlight {
  readonly kind: "highlight";
  readonly attribute: string;
  readonly fragmentBy: "word" | "sentence" | "paragraph" | "none";
  readonly fragmentLimit: number;
  readonly offsets: "utf-8" | "utf-16" | "codepoints" | undefined;
  /** Over `$fragment` or the attribute itself; undefined: the query's own ranking. */
  readonly rankFragmentsBy: ScoreExpression | undefined;
}

/** A computed member of each returned document. */
export type ComputedAttribute =
  | { readonly kind: "vector_dist"; readonly attribute: string; readonly operand: VectorOperand }
  | { readonly kind: "score"; readonly expression: ScoreExpression }
  | Highlight;

/** A query for documents. */
export interface DocumentQuery {
  readonly kind: "documents";
  readonly rankBy: RankBy;
  readonly filter: Filter | undefined;
  /** 1 to 10,000. */
  readonly limit: number;
  readonly limitPer: LimitPer | undefined;
  readonly offset: number;
  readonly selection: AttributeSelection;
  /** By response name, in the order given. */
  readonly computed: ReadonlyMap<string, ComputedAttribute>;
  /** The deprecated root field `distance_metric`; a mismatch is an error when vectors are there. */
  readonly distanceMetric: string | undefined;
}

/** A query for aggregates. */
export interface AggregateQuery {
  readonly kind: "aggregate";
  readonly filter: Filter | undefined;
  /** By label, in the order given. */
  readonly aggregates: ReadonlyMap<string, Aggregate>;
  readonly groupBy: readonly GroupKey[];
  /** Most groups returned; 0 to 10,000. */
  readonly groupLimit: number;
}

/** One query. */
export type Query = DocumentQuery | AggregateQuery;

/** Reciprocal rank fusion of the subqueries' rankings. */
export interface Fusion {
  readonly rankConstant: number;
  /** One for each subquery. */
  readonly weights: readonly number[];
  readonly limit: number;
  readonly offset: number;
}

/** Ranking of the documents of all subqueries, each once, by a model that reads a text of each. */
export interface ModelRerank {
  readonly model: string;
  /** Of type string, and returned by every subquery. */
  readonly attribute: string;
  /** Not empty. */
  readonly query: string;
  /** Of the reranked documents. */
  readonly limit: number;
  readonly offset: number;
}

/** A parsed query request: one query, or several over one snapshot. */
export interface QueryRequest {
  /** `multi` answers with `results`, even for one subquery. */
  readonly kind: "single" | "multi";
  readonly queries: readonly Query[];
  readonly fusion: Fusion | undefined;
  /** Absent: documents come as the queries, or their fusion, rank them. Never beside `fusion`. */
  readonly rerank?: ModelRerank | undefined;
  readonly consistency: "strong" | "eventual";
  /** How old what an eventual query sees may be. Absent for strong ones. */
  readonly stalenessMsMax?: number | undefined;
  readonly vectorEncoding: "float" | "base64";
}

/** A request to explain queries. */
export interface ExplainRequest {
  readonly request: QueryRequest;
  /** The request is run, and what that cost is told with the plan. */
  readonly analyze: boolean;
}
