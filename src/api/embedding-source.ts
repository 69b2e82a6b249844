/** The embedding provider that the configuration names, with the static models. */

import type { Clock } from "../base/clock.ts";
import type { EmbeddingProvider } from "../embed/embedding-provider.ts";
import { hashEmbeddingProvider } from "../embed/hash-embedding-provider.ts";
import { HttpEmbeddingProvider } from "../embed/http-embedding-provider.ts";
import { noEmbeddingProvider } from "../embed/no-embedding-provider.ts";
import { FolderModel } from "../embed/static/folder-model.ts";
import type { ModelFolder } from "../embed/static/model-folder.ts";
import {
  StaticEmbeddingProvider,
  type StaticModelSource,
} from "../embed/static/static-embedding-provider.ts";
import { STATIC_ENGLISH, staticEnglish } from "../embed/static/static-english.ts";
import { stemmerOf } from "../text/languages/language.ts";
import type { EmbeddingConfig } from "./config.ts";

/** What a thread that embeds is told. */
export interface EmbeddingSettings {
  readonly config: EmbeddingConfig;
  /** Models in folders, which were read once for all threads. */
  readonly folders: readonly ModelFolder[];
}

/** Makes the provider. Each thread that embeds has its own. */
export function embeddingSource(
  { config, folders }: EmbeddingSettings,
  clock: Clock,
): EmbeddingProvider {
  const models = new Map<string, StaticModelSource>([
    [STATIC_ENGLISH, staticEnglish(stemmerOf("english"))],
    ...folders.map((folder): [string, StaticModelSource] => [
      folder.name,
      { dimensions: folder.dimensions, load: async () => new FolderModel(folder) },
    ]),
  ]);
  return new StaticEmbeddingProvider({ models, others: otherModels(config, clock), clock });
}

/** What embeds with all models that are not static. */
function otherModels(config: EmbeddingConfig, clock: Clock): EmbeddingProvider {
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
