/** Addresses that are not of the API's contract: about keys, callers, and what was slow. */

/** One row of the table; segments after a `:` are parameters. */
export interface TrawlRoute {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly name:
    | "create_key"
    | "list_keys"
    | "revoke_key"
    | "issue_token"
    | "describe_caller"
    | "list_slow_queries";
}

/** All of them. */
export const TRAWL_ROUTES: readonly TrawlRoute[] = [
  { method: "POST", path: "/trawl/keys", name: "create_key" },
  { method: "GET", path: "/trawl/keys", name: "list_keys" },
  { method: "DELETE", path: "/trawl/keys/:id", name: "revoke_key" },
  { method: "POST", path: "/trawl/tokens", name: "issue_token" },
  { method: "GET", path: "/trawl/caller", name: "describe_caller" },
  { method: "GET", path: "/trawl/slow-queries", name: "list_slow_queries" },
];
