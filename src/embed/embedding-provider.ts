/** Texts to vectors: the interface that writes and queries with native embedding use. */

/** Texts for one model. */
export interface EmbeddingRequest {
  /** As the user names it, such as `openai/text-embedding-3-small`. */
  readonly model: string;
  /** Not empty; too long ones are cut. */
  readonly texts: readonly string[];
  /** Of the attribute that the vectors are for or compared with. */
  readonly dimensions: number;
}

/** What a model made of texts. */
export interface Embeddings {
  /** One for each text, in order, of the dimensions asked for; finite. */
  readonly vectors: readonly Float32Array[];
  /** Tokens that the model counted. */
  readonly tokens: number;
}

/** A source of embeddings. */
export interface EmbeddingProvider {
  /**
   * Embeds texts. Throws `overloaded` with a time to wait where a rate limit is reached,
   * `unavailable` where the service fails, `invalid` where it refuses the model or a text.
   */
  embed(request: EmbeddingRequest, signal?: AbortSignal): Promise<Embeddings>;
  /**
   * Dimensions that a model gives unless asked for others; undefined if a service may have the
   * model, but its dimensions are not configured. Throws `invalid` if the model is unknown.
   */
  dimensionsOf(model: string): number | undefined;
}
