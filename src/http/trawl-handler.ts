/** Answers requests to the server's own addresses. */

import { type Caller, callerJson } from "../access/caller.ts";
import type { KeyOperations, KeyOutcome } from "../access/key-operations.ts";
import { type HttpAnswer, jsonAnswer } from "../api/engine.ts";
import { KIB } from "../base/byte-sizes.ts";
import type { RequestBody } from "./bodies/request-body.ts";
import type { TrawlRoute } from "./routes/trawl-routes.ts";

/** Longest body about keys and tokens: some KiB are the longest that make sense. */
export const TRAWL_BODY_BYTES_MAX = 64 * KIB;

/** A request to one of these addresses that may be answered. */
export interface TrawlRequest {
  readonly route: TrawlRoute;
  readonly parameters: Readonly<Record<string, string>>;
  readonly caller: Caller;
  /** It comes from the server's own machine, and not through a proxy. */
  readonly isLocal: boolean;
  readonly body: RequestBody;
}

/** What became of it. */
export interface TrawlOutcome {
  readonly answer: HttpAnswer;
  readonly target: string | undefined;
}

/** What answers them. */
export interface TrawlSources {
  readonly keys: KeyOperations;
  /** The last slow requests, as JSON. */
  readonly slowRequests: () => KeyOutcome["json"];
}

/** Answers a request. Throws what is wrong with it. */
export async function handleTrawl(
  request: TrawlRequest,
  sources: TrawlSources,
): Promise<TrawlOutcome> {
  const { json, target } = await operate(request, sources);
  const answer = jsonAnswer(200, json);
  // A key is in there once: nothing on the way may keep it.
  return {
    answer: { ...answer, headers: { ...answer.headers, "cache-control": "no-store" } },
    target,
  };
}

async function operate(
  { route, parameters, caller, isLocal, body }: TrawlRequest,
  { keys, slowRequests }: TrawlSources,
): Promise<KeyOutcome> {
  switch (route.name) {
    case "create_key":
      return keys.create(await body.whole());
    case "list_keys":
      return keys.list();
    case "revoke_key":
      return keys.revoke(parameters.id);
    case "issue_token":
      return keys.issueToken(await body.whole(), caller);
    case "describe_caller":
      return { json: callerJson(caller, isLocal) };
    case "list_slow_queries":
      return { json: slowRequests() };
  }
}
