/** The rerank provider that the configuration names. */

import type { Clock } from "../base/clock.ts";
import { HttpRerankProvider } from "../embed/http-rerank-provider.ts";
import { noRerankProvider, type RerankProvider } from "../embed/rerank-provider.ts";
import { WordRerankProvider } from "../embed/word-rerank-provider.ts";
import type { RerankConfig } from "./config.ts";

/** Makes the provider. Each thread that reranks has its own. */
export function rerankSource(config: RerankConfig, clock: Clock): RerankProvider {
  switch (config.kind) {
    case "none":
      return noRerankProvider;
    case "words":
      return new WordRerankProvider(config.models, clock);
    case "http":
      return new HttpRerankProvider({ ...config, clock });
  }
}
