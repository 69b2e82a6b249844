/** Who the console works for, and what that one may do. */

import { fitEverything, fitsPatterns } from "../../src/model/namespace-pattern.ts";
import type { ApiClient } from "./api-client.ts";

/** What a key may allow; `query` is what tokens have, and part of `read`. */
export type CallerAction = "read" | "write" | "list" | "admin" | "query";

/** As `GET /trawl/caller` answers. */
export interface Caller {
  /** `anyone`: the server has no keys. */
  readonly kind: "anyone" | "key" | "token";
  readonly actions: readonly CallerAction[];
  readonly namespaces: readonly string[];
  readonly name?: string;
  readonly last_four?: string;
  readonly expires_at?: string | null;
}

/** Asks the server. Throws `ApiFault`, of kind `unauthorized` where a key is needed. */
export function readCaller(client: ApiClient, signal?: AbortSignal): Promise<Caller> {
  return client.json({ method: "GET", path: "/trawl/caller", signal });
}

/** Why a caller may not do something, in a sentence without its full stop; undefined: it may. */
export function denialOf(
  caller: Caller,
  action: CallerAction,
  namespace?: string,
): string | undefined {
  const { actions, namespaces } = caller;
  const has = actions.includes(action) || (action === "query" && actions.includes("read"));
  if (!has) {
    if (caller.kind === "anyone") {
      return "without API keys, this is for the server's own machine alone";
    }
    return `${shownCaller(caller)} lacks the action ${action}`;
  }
  if (namespace === undefined || fitEverything(namespaces)) return undefined;
  if (fitsPatterns(namespaces, namespace)) return undefined;
  return `${shownCaller(caller)} is for ${namespaces.join(", ")} and not for ${namespace}`;
}

/** How messages name a caller. */
export function shownCaller({ kind, name, last_four: lastFour }: Caller): string {
  if (kind === "token") return "the token";
  if (name === undefined) return "everybody";
  return lastFour === undefined || lastFour === "" ? `key ${name}` : `key ${name} (…${lastFour})`;
}
