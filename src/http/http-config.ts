/** What the program tells the HTTP server at start; every value is already checked. */
export interface HttpConfig {
  readonly host: string;
  /** 0 lets the system pick a free port. */
  readonly port: number;
  /** See `OriginRules`. */
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  /** Decompressed bytes of request bodies that may be in memory, over all requests. */
  readonly bodyBytesInFlightMax: number;
  /** Bytes of answers that clients have not taken yet. */
  readonly answerBytesMax: number;
  /** Milliseconds after which a client that takes nothing of its answer is cut off. */
  readonly answerStallMs: number;
  /** Milliseconds for which a stopping server reports that at `/readyz` and continues to serve. */
  readonly drainDelayMs: number;
  /** Requests that take longer are logged as slow ones; 0 for none. */
  readonly slowRequestMs: number;
  /** So many of them a minute at most. */
  readonly slowRequestsLoggedMax: number;
  /** Namespaces that `/metrics` tells of one by one. */
  readonly metricsNamespacesMax: number;
  /** Unknown fields of requests are refused and not ignored. */
  readonly strict: boolean;
  /** Whether assistants are served, and with which tools. */
  readonly mcp: "off" | "reading" | "writing";
}
