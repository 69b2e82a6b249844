/** Parameters of calls that ask a namespace something, as the HTTP API's bodies have them. */

import type { DistanceMetric, Filter } from "./write-parameters.ts";

/** A ranking such as `["vector", "ANN", [0.1, 0.8]]`, `["title", "BM25", "sea"]`, `["id", "asc"]`. */
export type RankBy = readonly unknown[];

/** What one query finds and how it is ordered. */
export interface SubqueryParameters {
  readonly rank_by?: RankBy;
  readonly top_k?: number;
  readonly limit?:
    | number
    | {
        readonly total?: number;
        readonly per?: { readonly attributes: readonly string[]; readonly limit: number };
      };
  readonly offset?: number;
  readonly filters?: Filter;
  /** True for all attributes, or their names. */
  readonly include_attributes?: boolean | readonly string[];
  readonly exclude_attributes?: readonly string[];
  readonly compute_attributes?: Readonly<Record<string, unknown>>;
  readonly aggregate_by?: Readonly<Record<string, unknown>>;
  readonly group_by?: readonly unknown[];
  readonly distance_metric?: DistanceMetric;
}

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
export interface QueryParameters extends SubqueryParameters, RequestParameters {}

/** Several queries over one state of a namespace. */
export interface MultiQueryParameters extends RequestParameters {
  readonly queries: readonly SubqueryParameters[];
  readonly limit?: SubqueryParameters["limit"];
}

/** A query whose plan is to be explained. */
export interface ExplainParameters extends QueryParameters {
  readonly queries?: readonly SubqueryParameters[];
  /** Runs the query and says what was really done. */
  readonly analyze?: boolean;
}

/** How the recall of approximate queries is to be measured. */
export interface RecallParameters {
  readonly num?: number;
  readonly top_k?: number;
  readonly filters?: Filter;
  readonly rank_by?: unknown;
  readonly include_ground_truth?: boolean;
}

/** Which namespaces are listed. */
export interface NamespacesParameters {
  readonly prefix?: string;
  readonly page_size?: number;
  readonly cursor?: string;
}
