/** The embedding provider that the configuration names, with the static models. */

import type { Clock } from "../base/clock.ts";
import { invalid } from "../base/errors.ts";
import type { EmbeddingProvider } from "../embed/embedding-provider.ts";
import { hashEmbeddingProvider } from "../embed/hash-embedding-provider.ts";
import { HttpEmbeddingProvider } from "../embed/http-embedding-provider.ts";
import { noEmbeddingProvider } from "../embed/no-embedding-provider.ts";
import {
  type OnnxEmbeddingOptions,
  OnnxEmbeddingProvider,
} from "../embed/onnx/onnx-embedding-provider.ts";
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
  /** Why the model that ships with Trawl has no room, and what to do; absent: it has. */
  readonly ownRefusal?: string;
  /** ONNX models, and the thread's own port to the one that runs them; absent: there are none. */
  readonly onnx?: Omit<OnnxEmbeddingOptions, "others"> | undefined;
}

/** Makes the provider. Each thread that embeds has its own. */
export function embeddingSource(
  { config, folders, ownRefusal, onnx }: EmbeddingSettings,
  clock: Clock,
): StaticEmbeddingProvider {
  const own = staticEnglish(stemmerOf("english"));
  const models = new Map<string, StaticModelSource>([
    [STATIC_ENGLISH, ownRefusal === undefined ? own : { ...own, load: refusing(ownRefusal) }],
    ...folders.map((folder): [string, StaticModelSource] => {
      const { name, dimensions, threadBytes } = folder;
      return [name, { dimensions, threadBytes, load: async () => new FolderModel(folder) }];
    }),
  ]);
  const service = serviceModels(config, clock);
  const others = onnx ? new OnnxEmbeddingProvider({ ...onnx, others: service }) : service;
  return new StaticEmbeddingProvider({ models, others, clock });
}

function refusing(message: string): () => Promise<never> {
  return async () => {
    throw invalid(`💔 ${message}`);
  };
}

/** What embeds with all models that are in no folder. */
function serviceModels(config: EmbeddingConfig, clock: Clock): EmbeddingProvider {
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
