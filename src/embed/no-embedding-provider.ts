import { type DatabaseError, invalid } from "../base/errors.ts";
import { knownDimensions } from "./embedding-models.ts";
import type { EmbeddingProvider } from "./embedding-provider.ts";

/** Stands where no embedder is configured: schemas may name models, but these cannot embed. */
export const noEmbeddingProvider: EmbeddingProvider = {
  embed: ({ model }) => Promise.reject(notConfigured(model)),
  dimensionsOf: (model) => {
    const dimensions = knownDimensions(model);
    if (dimensions === undefined) throw notConfigured(model);
    return dimensions;
  },
};

function notConfigured(model: string): DatabaseError {
  return invalid(
    `💔 embedding model "${model}" is not there: name "trawl/static-en", which needs no setting, ` +
      "or start the server with `--embedder http` and the URL of an OpenAI-compatible service",
  );
}
