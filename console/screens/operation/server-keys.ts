/** The server's API keys, as `/trawl/keys` lists, makes and ends them. */

import { type ApiClient, apiPath } from "../../api/api-client.ts";

/** What a key may allow. */
export const KEY_ACTIONS = ["read", "write", "list", "admin"] as const;

/** One of them. */
export type KeyAction = (typeof KEY_ACTIONS)[number];

/** A key without its text. */
export interface ServerKey {
  readonly id: string;
  readonly name: string;
  readonly last_four: string;
  readonly actions: readonly KeyAction[];
  readonly namespaces: readonly string[];
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly expires_at: string | null;
  readonly revoked_at?: string;
  readonly requests_per_second?: number;
  readonly bytes_per_second?: number;
}

/** What a new key is to be, as it was typed. */
export interface KeyDraft {
  readonly name: string;
  readonly actions: readonly KeyAction[];
  /** Names, or starts of names with a `*`, with commas between. */
  readonly namespaces: string;
  /** Such as `90d`; empty: never. */
  readonly expiresIn: string;
  /** Empty: as many as the server can. */
  readonly requestsPerSecond: string;
}

/** Whether a key opens something at a time. */
export function keyState(key: ServerKey, nowMs: number): "counts" | "revoked" | "expired" {
  if (key.revoked_at !== undefined) return "revoked";
  const { expires_at: end } = key;
  return end !== null && Date.parse(end) <= nowMs ? "expired" : "counts";
}

/** The body of the request for a key; what is wrong with it the server says. */
export function keyRequest(draft: KeyDraft): Record<string, unknown> {
  const { name, actions, namespaces, expiresIn, requestsPerSecond } = draft;
  return {
    name: name.trim(),
    actions,
    namespaces: namespaces
      .split(",")
      .map((pattern) => pattern.trim())
      .filter((pattern) => pattern !== ""),
    ...(expiresIn.trim() !== "" && { expires_in: expiresIn.trim() }),
    ...(requestsPerSecond.trim() !== "" && { requests_per_second: Number(requestsPerSecond) }),
  };
}

/** All keys, the newest first. */
export async function listKeys(
  client: ApiClient,
  signal: AbortSignal,
): Promise<readonly ServerKey[]> {
  const path = "/trawl/keys";
  const answer = await client.json<{ readonly keys: readonly ServerKey[] }>({
    method: "GET",
    path,
    signal,
  });
  return answer.keys;
}

/** Makes a key; its text is in this answer and nowhere else. */
export function createKey(
  client: ApiClient,
  draft: KeyDraft,
): Promise<ServerKey & { readonly key: string }> {
  return client.json({ method: "POST", path: "/trawl/keys", json: keyRequest(draft) });
}

/** Ends a key, and the tokens that it has signed. */
export async function revokeKey(client: ApiClient, id: string): Promise<void> {
  await client.json({ method: "DELETE", path: apiPath("trawl", "keys", id) });
}
