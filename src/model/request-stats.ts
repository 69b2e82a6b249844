/** What a request cost, as its answer reports it. */

/** Logical bytes that a query is billed. */
export interface QueryBilling {
  readonly bytesQueried: number;
  readonly bytesReturned: number;
}

/** Native embedding within one request. */
export interface EmbeddingStats {
  readonly tokens: number;
  readonly ms: number;
}

/** How a query went. Milliseconds may have fractions; answers round them up. */
export interface QueryPerformance {
  /** 0 to 1. */
  readonly cacheHitRatio: number;
  readonly cacheTemperature: "hot" | "warm" | "cold";
  /** Includes the wait for a slot. */
  readonly serverTotalMs: number;
  readonly executionMs: number;
  /** Documents searched without an index. */
  readonly exhaustiveCount: number;
  readonly namespaceDocumentCount: number;
  /** Milliseconds since the epoch; undefined before the first write of documents. */
  readonly lastIncludedWriteAtMs: number | undefined;
  readonly embedding: EmbeddingStats | undefined;
}
