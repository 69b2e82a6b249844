/** Texts scored against a query: the interface that queries with `rerank_by` use. */

/** Documents for one model. */
export interface RerankRequest {
  /** One of the provider's. */
  readonly model: string;
  /** What documents are scored against; not empty. */
  readonly query: string;
  /** None is empty; too long ones are cut. */
  readonly documents: readonly string[];
}

/** A source of scores. */
export interface RerankProvider {
  /** Names of all models that it has. */
  readonly models: readonly string[];
  /**
   * Scores each document, in order: higher is nearer to the query; finite. Throws `overloaded` with
   * a time to wait, `unavailable` where the service fails, `invalid` where it refuses a text.
   */
  rerank(request: RerankRequest, signal?: AbortSignal): Promise<readonly number[]>;
}

/** Stands where no reranker is configured. */
export const noRerankProvider: RerankProvider = { models: [], rerank: async () => [] };
