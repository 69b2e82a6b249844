/** API keys as a server lists and makes them. */

import { type ApiClient, apiPath } from "./api-client.ts";

/** A key without its text. */
export interface ListedKey {
  readonly id: string;
  readonly name: string;
  readonly last_four: string;
  readonly actions: readonly string[];
  readonly namespaces: readonly string[];
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly expires_at: string | null;
  /** There if the key is revoked. */
  readonly revoked_at?: string;
}

/** What a new key is to be; undefined members are left out. */
export interface NewKey {
  readonly name: string;
  readonly actions: readonly string[];
  readonly namespaces: readonly string[];
  readonly expires_in?: string | undefined;
  readonly requests_per_second?: number | undefined;
  readonly bytes_per_second?: number | undefined;
}

const KEYS = apiPath("trawl", "keys");

/** Makes a key; `key` is its text, which is told this once. */
export function createKey(
  client: ApiClient,
  key: NewKey,
  signal: AbortSignal,
): Promise<ListedKey & { readonly key: string }> {
  return client.json({ method: "POST", path: KEYS, json: key, signal });
}

/** All keys that the server's store has. */
export function listKeys(
  client: ApiClient,
  signal: AbortSignal,
): Promise<{ readonly keys: readonly ListedKey[] }> {
  return client.json({ method: "GET", path: KEYS, signal });
}

/** Ends a key, and the tokens that it has signed. */
export function revokeKey(
  client: ApiClient,
  id: string,
  signal: AbortSignal,
): Promise<{ readonly id: string; readonly name: string }> {
  const path = apiPath("trawl", "keys", id);
  return client.json({ method: "DELETE", path, repeatable: true, signal });
}
