/** Parameters of calls that ask a namespace something, as the HTTP API's bodies have them. */

import type { AttributeOf } from "./document-types.ts";
import type { FilterOf } from "./filter-types.ts";
import type { AnnRankOf, ComputedOf, RankByOf } from "./rank-types.ts";
import type { DistanceMetric } from "./write-parameters.ts";

/** What one query finds and how it is ordered. */
export interface SubqueryParameters<Document = unknown> {
  readonly rank_by?: RankByOf<Document>;
  readonly top_k?: number;
  readonly limit?:
    | number
    | {
        readonly total?: number;
        readonly per?: {
          readonly attributes: readonly AttributeOf<Document>[];
          readonly limit: number;
        };
      };
  readonly offset?: number;
  readonly filters?: FilterOf<Document>;
  /** True for all attributes, or their names. */
  readonly include_attributes?: boolean | readonly AttributeOf<Document>[];
  readonly exclude_attributes?: readonly AttributeOf<Document>[];
  readonly compute_attributes?: Readonly<Record<string, ComputedOf<Document>>>;
  readonly aggregate_by?: Readonly<Record<string, AggregateOf<Document>>>;
  readonly group_by?: readonly GroupKeyOf<Document>[];
  readonly distance_metric?: DistanceMetric;
}

/** A number of documents, or a sum of an attribute's values. */
export type AggregateOf<Document> = readonly ["Count"] | readonly ["Sum", AttributeOf<Document>];

/** An attribute whose values make groups, or whose arrays' elements do, under a name. */
export type GroupKeyOf<Document> =
  | AttributeOf<Document>
  | Readonly<Record<string, readonly ["ForEachUnique", AttributeOf<Document>]>>;

/** What holds for all queries of a request. */
export interface RequestParameters {
  readonly consistency?: {
    readonly level: "strong" | "eventual";
    readonly max_staleness_seconds?: number;
  };
  readonly vector_encoding?: "float" | "base64";
  /** Joins what queries have found, or orders it anew: `["RRF"]`, or a model's name. */
  readonly rerank_by?: unknown;
}

/** One query. */
export interface QueryParameters<Document = unknown>
  extends SubqueryParameters<Document>,
    RequestParameters {}

/** Several queries over one state of a namespace. */
export interface MultiQueryParameters<Document = unknown> extends RequestParameters {
  readonly queries: readonly SubqueryParameters<Document>[];
  readonly limit?: SubqueryParameters<Document>["limit"];
}

/** A query whose plan is to be explained. */
export interface ExplainParameters<Document = unknown> extends QueryParameters<Document> {
  readonly queries?: readonly SubqueryParameters<Document>[];
  /** Runs the query and says what was really done. */
  readonly analyze?: boolean;
}

/** How the recall of approximate queries is to be measured. */
export interface RecallParameters<Document = unknown> {
  readonly num?: number;
  readonly top_k?: number;
  readonly filters?: FilterOf<Document>;
  readonly rank_by?: AnnRankOf<Document>;
  readonly include_ground_truth?: boolean;
}

/** Which namespaces are listed. */
export interface NamespacesParameters {
  readonly prefix?: string;
  readonly page_size?: number;
  readonly cursor?: string;
}
