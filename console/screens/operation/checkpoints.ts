/** Checkpoints of one namespace, as the server lists, makes, restores and removes them. */

import { parseDuration } from "../../../src/base/duration.ts";
import { type ApiClient, apiPath } from "../../api/api-client.ts";

/** One of them. */
export interface Checkpoint {
  readonly name: string;
  /** Which life of the namespace it keeps a state of. */
  readonly generation: number;
  readonly created_at: string;
  readonly expires_at: string | null;
}

const pathOf = (namespace: string, ...more: readonly string[]) =>
  apiPath("trawl", "namespaces", namespace, "checkpoints", ...more);

/** Lists them. */
export async function listCheckpoints(
  client: ApiClient,
  namespace: string,
  signal: AbortSignal,
): Promise<readonly Checkpoint[]> {
  const path = pathOf(namespace);
  const answer = await client.json<{ readonly checkpoints: readonly Checkpoint[] }>({
    method: "GET",
    path,
    signal,
  });
  return answer.checkpoints;
}

/** Makes a namespace of what one keeps. */
export async function restoreCheckpoint(
  client: ApiClient,
  {
    namespace,
    name,
    as,
  }: { readonly namespace: string; readonly name: string; readonly as: string },
): Promise<void> {
  await client.json({ method: "POST", path: pathOf(namespace, name, "restore"), json: { as } });
}

/** Removes one; what it alone has kept goes with it. */
export async function deleteCheckpoint(
  client: ApiClient,
  namespace: string,
  name: string,
): Promise<void> {
  await client.json({ method: "DELETE", path: pathOf(namespace, name) });
}

/** Seconds of a typed duration; undefined if nothing was typed, a string says what is wrong. */
export function expirySeconds(text: string): number | undefined | string {
  if (text.trim() === "") return undefined;
  const ms = parseDuration(text);
  if (ms === undefined || ms < 1000) {
    return `“${text.trim()}” is no duration of a second or more, such as 12h or 7d`;
  }
  return Math.round(ms / 1000);
}
