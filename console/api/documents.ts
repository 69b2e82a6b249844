/** Documents as the API queries, explains and writes them. */

import { type ApiAnswer, type ApiClient, apiPath } from "./api-client.ts";

/** A document's id; a `bigint` where a number would be rounded. */
export type DocumentId = string | number | bigint;

/** A document as an answer has it: its id, its attributes, `$dist` where it was ranked. */
export interface DocumentRow {
  readonly id: DocumentId;
  readonly [attribute: string]: unknown;
}

/** How a query went. */
export interface QueryPerformance {
  readonly cache_temperature: "hot" | "warm" | "cold";
  readonly cache_hit_ratio: number;
  readonly server_total_ms: number;
  readonly query_execution_ms: number;
  readonly exhaustive_search_count: number;
  readonly approx_namespace_size: number;
}

/** The answer to a query; which members there are follows from what was asked. */
export interface QueryAnswer {
  readonly rows?: readonly DocumentRow[];
  readonly aggregations?: Readonly<Record<string, unknown>>;
  readonly aggregation_groups?: readonly Readonly<Record<string, unknown>>[];
  readonly results?: readonly QueryAnswer[];
  readonly performance?: QueryPerformance;
  readonly billing?: unknown;
}

/** A request about documents; `body` is the API's own JSON. */
export interface DocumentsRequest {
  readonly namespace: string;
  readonly body: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Queries a namespace; `body` is a query or a multi-query. */
export function queryDocuments(
  client: ApiClient,
  request: DocumentsRequest,
): Promise<ApiAnswer<QueryAnswer>> {
  return client.send(postTo(request, "query"));
}

/** Writes to a namespace, which is created if it is absent. */
export function writeDocuments(
  client: ApiClient,
  request: DocumentsRequest,
): Promise<ApiAnswer<{ readonly rows_affected: number; readonly message?: string }>> {
  return client.send(postTo(request));
}

function postTo({ namespace, body, signal }: DocumentsRequest, ...rest: readonly string[]) {
  const path = apiPath("v2", "namespaces", namespace, ...rest);
  return { method: "POST", path, json: body, signal } as const;
}
