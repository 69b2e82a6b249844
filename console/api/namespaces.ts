/** Namespaces as the API lists, describes and changes them. */

import { LIST_PAGE_SIZE_MAX } from "../../src/model/contract-limits.ts";
import { type ApiClient, apiPath } from "./api-client.ts";

/** Names in the first page of a listing: enough for a screen, and few to wait for. */
const FIRST_PAGE_NAMES = 200;

/** One attribute as metadata describes it; what is absent is off. */
export interface AttributeMetadata {
  readonly type: string;
  readonly filterable?: boolean;
  readonly full_text_search?: unknown;
  readonly ann?: unknown;
  readonly [option: string]: unknown;
}

/** What the API tells of a namespace; what a newer server adds is passed on. */
export interface NamespaceMetadata {
  /** With `id`, in the order of their first appearance. */
  readonly schema: Readonly<Record<string, AttributeMetadata>>;
  readonly approx_row_count: number;
  readonly approx_logical_bytes: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly last_write_at?: string;
  readonly index: {
    readonly status: "up-to-date" | "updating";
    /** Documents that wait in the log for the indexer. */
    readonly unindexed_rows: number;
    readonly unindexed_bytes?: number;
  };
  readonly encryption: { readonly mode: string; readonly key_name?: string };
  readonly branching?: { readonly parent: string };
  readonly read_only?: boolean;
}

/** One page of names, in order. */
export interface NamespacePage {
  readonly names: readonly string[];
  /** What the next page is asked for by; undefined: there is none. */
  readonly next: string | undefined;
}

/**
 * Lists namespaces whose names begin with `prefix`, from the cursor on. Pages after the first are
 * as large as the API lets them be: who goes on wants the end, and of 10,000 names it is ten pages
 * away.
 */
export async function listNamespaces(
  client: ApiClient,
  page: { readonly prefix?: string; readonly cursor?: string | undefined; signal?: AbortSignal },
): Promise<NamespacePage> {
  const { prefix, cursor, signal } = page;
  const answer = await client.json<{
    readonly namespaces: readonly { readonly id: string }[];
    readonly next_cursor: string | null;
  }>({
    method: "GET",
    path: "/v2/namespaces",
    parameters: {
      prefix: prefix || undefined,
      cursor,
      page_size: cursor === undefined ? FIRST_PAGE_NAMES : LIST_PAGE_SIZE_MAX,
    },
    signal,
  });
  return {
    names: answer.namespaces.map(({ id }) => id),
    next: answer.next_cursor ?? undefined,
  };
}

/** Reads what is known of a namespace. */
export function readMetadata(
  client: ApiClient,
  namespace: string,
  signal?: AbortSignal,
): Promise<NamespaceMetadata> {
  const path = apiPath("v2", "namespaces", namespace, "metadata");
  return client.json({ method: "GET", path, signal });
}

/** Deletes a namespace with all that is in it. */
export async function deleteNamespace(client: ApiClient, namespace: string): Promise<void> {
  await client.json({ method: "DELETE", path: apiPath("v2", "namespaces", namespace) });
}

/** How documents get into a namespace that is not there yet. */
export type CopyKind =
  /** Shares what is stored, at once, whatever the size. */
  | "branch"
  /** Writes all of it anew. */
  | "copy";

/** Makes `to` of the documents of `from`; `to` must be absent or empty. */
export async function copyNamespace(
  client: ApiClient,
  { kind, from, to }: { readonly kind: CopyKind; readonly from: string; readonly to: string },
): Promise<void> {
  const json = kind === "branch" ? { branch_from_namespace: from } : { copy_from_namespace: from };
  await client.json({ method: "POST", path: apiPath("v2", "namespaces", to), json });
}

/** Keeps what the namespace is now, by a name and for a time. */
export async function createCheckpoint(
  client: ApiClient,
  checkpoint: {
    readonly namespace: string;
    readonly name: string;
    /** Undefined: until it is deleted. */
    readonly expiresInSeconds: number | undefined;
  },
): Promise<void> {
  const { namespace, name, expiresInSeconds } = checkpoint;
  const json = { name, expires_in_seconds: expiresInSeconds };
  const path = apiPath("trawl", "namespaces", namespace, "checkpoints");
  await client.json({ method: "POST", path, json });
}
