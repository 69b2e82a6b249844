/** The embedding provider that the configuration names. */

import type { Clock } from "../base/clock.ts";
import type { EmbeddingProvider } from "../embed/embedding-provider.ts";
import { hashEmbeddingProvider } from "../embed/hash-embedding-provider.ts";
import { HttpEmbeddingProvider } from "../embed/http-embedding-provider.ts";
import { noEmbeddingProvider } from "../embed/no-embedding-provider.ts";
import type { EmbeddingConfig } from "./config.ts";

/** Makes the provider. Each thread that embeds has its own. */
export function embeddingSource(config: EmbeddingConfig, clock: Clock): EmbeddingProvider {
  switch (config.kind) {
    case "none":
      return noEmbeddingProvider;
    case "hash":
      return hashEmbeddingProvider;
    case "http": {
      const { url, apiKey, modelDimensions } = config;
      const dimensions = new Map(Object.entries(modelDimensions));
      return new HttpEmbeddingProvider({
        url,
        dimensions,
        clock,
        ...(apiKey !== undefined && { apiKey }),
      });
    }
  }
}
