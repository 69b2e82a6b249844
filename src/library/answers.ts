/** Answers, as the HTTP API's bodies have them. */

import type { FoundRowOf, IdOf } from "./document-types.ts";

/** What a query took. */
export interface QueryPerformance {
  readonly approx_namespace_size: number;
  readonly cache_hit_ratio: number;
  readonly cache_temperature: string;
  readonly exhaustive_search_count: number;
  /** Milliseconds of work. */
  readonly query_execution_ms: number;
  /** Milliseconds from the call to the answer. */
  readonly server_total_ms: number;
}

/** Sizes by which the service that the API comes from would charge; nobody is charged here. */
export interface QueryBilling {
  readonly billable_logical_bytes_queried: number;
  readonly billable_logical_bytes_returned: number;
}

/** What one query has found: documents, or aggregates. */
export interface QueryResult<Document = unknown> {
  readonly rows?: readonly FoundRowOf<Document>[];
  readonly aggregations?: Readonly<Record<string, unknown>>;
  readonly aggregation_groups?: readonly Readonly<Record<string, unknown>>[];
}

/** The answer to a query. */
export interface QueryAnswer<Document = unknown> extends QueryResult<Document> {
  readonly performance: QueryPerformance;
  readonly billing: QueryBilling;
}

/** The answer to several queries: a result for each, or one where they were joined. */
export interface MultiQueryAnswer<Document = unknown> {
  readonly results: readonly QueryResult<Document>[];
  readonly performance: QueryPerformance;
  readonly billing: QueryBilling;
}

/** The answer to a write, which is durable. */
export interface WriteAnswer<Document = unknown> {
  readonly status: "OK";
  readonly message: string;
  readonly rows_affected: number;
  readonly rows_upserted?: number;
  readonly rows_patched?: number;
  readonly rows_deleted?: number;
  readonly rows_remaining?: boolean;
  readonly upserted_ids?: readonly IdOf<Document>[];
  readonly patched_ids?: readonly IdOf<Document>[];
  readonly deleted_ids?: readonly IdOf<Document>[];
  readonly billing: { readonly billable_logical_bytes_written: number };
}

/** A namespace's attributes by name, with their types and indexes. */
export type SchemaAnswer = Readonly<
  Record<string, { readonly type: string; readonly [option: string]: unknown }>
>;

/** What is known of a namespace as a whole. */
export interface MetadataAnswer {
  readonly schema: SchemaAnswer;
  readonly approx_row_count: number;
  readonly approx_logical_bytes: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly encryption: unknown;
  readonly index: { readonly status: string; readonly [fact: string]: unknown };
  readonly [fact: string]: unknown;
}

/** A measured recall. */
export interface RecallAnswer {
  readonly avg_recall: number;
  readonly avg_exhaustive_count: number;
  readonly avg_ann_count: number;
  readonly ground_truth?: readonly unknown[];
}

/** The answer to a call that changes no documents. */
export interface StatusAnswer {
  readonly status: string;
  readonly message?: string;
}
