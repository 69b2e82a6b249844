/**
 * Requests to the HTTP API, as tools make them: over the network, or within the server that was
 * asked. Either way they are what any client may send, with the key of who called the tool.
 */

/** Operations that tools ask for; the routes' table knows their addresses. */
export type CalledOperation =
  | "list_namespaces"
  | "get_metadata"
  | "query"
  | "explain"
  | "recall"
  | "write"
  | "delete_namespace";

/** One request. */
export interface ServerCall {
  readonly operation: CalledOperation;
  /** Absent for `list_namespaces` alone. */
  readonly namespace?: string;
  /** Of the query string. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** JSON's text. */
  readonly body?: string;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** What became of it: an answer's body, or why there is none, in words for whoever asked. */
export type CallOutcome =
  | { readonly kind: "served"; readonly body: Uint8Array }
  | { readonly kind: "refused"; readonly message: string };

/** A way to the server. Rejects when the signal ends it, and for bugs. */
export type CallServer = (call: ServerCall) => Promise<CallOutcome>;
