/** Operations that take long: started, then asked for until they are done. */

import type { Clock } from "../base/clock.ts";
import { type ApiClient, type ApiRequest, apiPath } from "./api-client.ts";
import { ClientError } from "./client-error.ts";

/** First wait between two questions; each next is twice as long. */
const POLL_MS_MIN = 50;
/** Longest wait between two questions. */
const POLL_MS_MAX = 1_000;

/** How a running operation is followed. */
export interface OperationOptions {
  readonly clock: Clock;
  /** What its tokens belong to. */
  readonly namespace: string;
  /** Told what the server says of how far it is, which may be nothing. */
  readonly onProgress?: (text: string) => void;
}

interface Polled {
  readonly status: "running" | "finished";
  readonly progress?: string;
  readonly result?: {
    readonly success?: unknown;
    readonly error?: { readonly status_code: number; readonly detail: { readonly error: string } };
  };
}

/**
 * Sends a request that the server may answer at once or with a token, and returns its outcome in
 * both cases. Throws `ClientError` as if it had been answered at once.
 */
export async function runOperation<T>(
  client: ApiClient,
  request: ApiRequest,
  { clock, namespace, onProgress }: OperationOptions,
): Promise<T> {
  const headers = { ...request.headers, prefer: "respond-async" };
  const answer = await client.send({ ...request, headers });
  const body = await answer.json<T & { readonly token?: string }>();
  if (answer.status !== 202 || body.token === undefined) return body;
  const path = apiPath("v1", "namespaces", namespace, "operations", body.token);
  const { signal } = request;
  for (let waitMs = POLL_MS_MIN; ; waitMs = Math.min(2 * waitMs, POLL_MS_MAX)) {
    await clock.sleep(waitMs, signal);
    const { status, progress, result } = await client.json<Polled>({ method: "GET", path, signal });
    if (status === "finished") return outcomeOf<T>(result);
    if (progress !== undefined) onProgress?.(progress);
  }
}

function outcomeOf<T>(result: Polled["result"]): T {
  if (result?.error === undefined) return result?.success as T;
  const { status_code: status, detail } = result.error;
  throw new ClientError("refused", detail.error, { status });
}
