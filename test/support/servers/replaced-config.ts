/** Configuration that tests choose and users do not: it has no setting. */

import type { EngineConfig } from "../../../src/api/config.ts";
import type { ServerConfig } from "../../../src/cli/settings/server-config.ts";
import type { HttpConfig } from "../../../src/http/http-config.ts";

/** Parts of a server's configuration that replace those of its settings. */
export interface ReplacedConfig {
  readonly engine?: Partial<EngineConfig>;
  readonly http?: Partial<HttpConfig>;
}

/**
 * Models that need no network: texts are embedded by a hash, under any name, and documents reranked
 * by counting words, under the name `words`.
 */
export const OFFLINE_MODELS: ReplacedConfig = {
  engine: { embedding: { kind: "hash" }, reranking: { kind: "words", models: ["words"] } },
};

/** The configuration with these parts. */
export function replaceConfig(config: ServerConfig, replaced: ReplacedConfig): ServerConfig {
  return {
    ...config,
    engine: { ...config.engine, ...replaced.engine },
    http: { ...config.http, ...replaced.http },
  };
}
