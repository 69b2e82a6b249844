/** Namespaces as the API lists and describes them. */

import { type ApiClient, apiPath } from "./api-client.ts";

/** Names in one page of a listing; the API's greatest. */
const PAGE_SIZE = 1_000;

/** What the API tells of a namespace; members that a server adds are passed on. */
export interface NamespaceMetadata {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly approx_row_count: number;
  readonly approx_logical_bytes: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly index: { readonly status: string; readonly unindexed_rows: number };
  readonly encryption: { readonly mode: string; readonly key_name?: string };
  readonly branching?: { readonly parent: string };
}

/** Names of the namespaces in order, those that begin with `prefix`, page by page. */
export async function* listNamespaces(
  client: ApiClient,
  { prefix, signal }: { readonly prefix?: string | undefined; readonly signal?: AbortSignal },
): AsyncGenerator<string, void, undefined> {
  let cursor: string | undefined;
  do {
    const page = await client.json<{
      readonly namespaces: readonly { readonly id: string }[];
      readonly next_cursor: string | null;
    }>({
      method: "GET",
      path: apiPath("v2", "namespaces"),
      parameters: { prefix, cursor, page_size: PAGE_SIZE },
      signal,
    });
    for (const { id } of page.namespaces) yield id;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
}

/** What the API tells of one namespace. Throws a `ClientError` of status 404 if there is none. */
export function readMetadata(
  client: ApiClient,
  namespace: string,
  signal?: AbortSignal,
): Promise<NamespaceMetadata> {
  const path = apiPath("v2", "namespaces", namespace, "metadata");
  return client.json({ method: "GET", path, signal });
}

/** Makes `to` a branch of `from`. Throws a `ClientError` of status 409 if `to` has documents. */
export async function branchNamespace(
  client: ApiClient,
  { from, to, signal }: { readonly from: string; readonly to: string; signal?: AbortSignal },
): Promise<void> {
  const path = apiPath("v2", "namespaces", to);
  await client.json({ method: "POST", path, json: { branch_from_namespace: from }, signal });
}

/** Deletes a namespace. Throws a `ClientError` of status 404 if there is none. */
export async function deleteNamespace(
  client: ApiClient,
  namespace: string,
  signal?: AbortSignal,
): Promise<void> {
  await client.json({ method: "DELETE", path: apiPath("v2", "namespaces", namespace), signal });
}

/** How many documents match a filter, which is given as JSON's text. */
export async function countDocuments(
  client: ApiClient,
  { namespace, filters, signal }: CountRequest,
): Promise<number> {
  const { aggregations } = await client.json<{ readonly aggregations: { readonly n: number } }>({
    method: "POST",
    path: apiPath("v2", "namespaces", namespace, "query"),
    body: `{"aggregate_by":{"n":["Count"]},"filters":${filters}}`,
    headers: { "content-type": "application/json" },
    repeatable: true,
    signal,
  });
  return aggregations.n;
}

/** Which documents are counted. */
export interface CountRequest {
  readonly namespace: string;
  readonly filters: string;
  readonly signal?: AbortSignal | undefined;
}
