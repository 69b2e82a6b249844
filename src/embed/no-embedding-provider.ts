import { type DatabaseError, invalid } from "../base/errors.ts";
import { knownDimensions } from "./embedding-models.ts";
import type { EmbeddingProvider } from "./embedding-provider.ts";

/** Stands where no embedder is configured: schemas may name models, but nothing can be embedded. */
export const noEmbeddingProvider: EmbeddingProvider = {
  embed: () => Promise.reject(notConfigured()),
  dimensionsOf: knownDimensions,
};

function notConfigured(): DatabaseError {
  return invalid(
    "💔 native embedding is not configured on this server: start it with `--embedder http` and " +
      "the URL of an OpenAI-compatible service, or with `--embedder hash` for trials",
  );
}
