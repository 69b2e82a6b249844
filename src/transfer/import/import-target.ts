/** The namespace that an import writes to, through the client. */

import { type ApiClient, apiPath } from "../../client/api-client.ts";
import { isClientError } from "../../client/client-error.ts";
import { readMetadata } from "../../client/namespaces.ts";
import type { PostRows } from "./row-sender.ts";

/** The schema of a namespace as the server answers it; undefined: there is no such namespace. */
export async function existingSchema(
  client: ApiClient,
  namespace: string,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const { schema } = await readMetadata(client, namespace, signal);
    return schema;
  } catch (error) {
    if (isClientError(error, 404)) return undefined;
    throw error;
  }
}

/**
 * Posts bodies of writes. Requests are never cut off by an interruption (`stop`), so that what was
 * sent is known to be there or not; but nothing is sent again then.
 */
export function rowPoster(client: ApiClient, namespace: string, stop: AbortSignal): PostRows {
  const path = apiPath("v2", "namespaces", namespace);
  const headers = { "content-type": "application/json" };
  return async (body) => {
    // Upserts by id may take effect twice.
    const request = { method: "POST", path, body, headers, repeatable: true } as const;
    await (await client.send({ ...request, lastTry: stop })).bytes();
  };
}
