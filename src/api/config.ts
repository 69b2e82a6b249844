/** What the program tells the engine at start; every value is already checked. */

import type { DiskCacheConfig } from "../storage/disk-cache/disk-cache-store.ts";
import type { StoreConfig } from "../storage/store-config.ts";

/** Where query and document texts with native embedding get their vectors. */
export type EmbeddingConfig =
  /** Writes and queries that ask for embedding are refused. */
  | { readonly kind: "none" }
  /** Deterministic vectors from hashed words: for tests and offline trials. */
  | { readonly kind: "hash" }
  /** An OpenAI-compatible service. */
  | {
      readonly kind: "http";
      /** Base URL to which `/embeddings` is added, such as `https://api.openai.com/v1`. */
      readonly url: string;
      readonly apiKey?: string;
      /** Dimensions by model name, for models that the engine does not know by itself. */
      readonly modelDimensions: Readonly<Record<string, number>>;
    };

/** Takes one structured log line; `facts` are extra members of the line. */
export type EngineLog = (
  level: "info" | "warn" | "error",
  message: string,
  facts?: Readonly<Record<string, unknown>>,
) => void;

/** Everything that `openIndexer` needs to know. */
export interface IndexerConfig {
  /** Holds all state. */
  readonly store: StoreConfig;
  /** Keeps copies of what is read of a far store; it may be shared with servers. */
  readonly diskCache?: DiskCacheConfig | undefined;
  /** File or directory of customer-managed keys; without it, no key name is known. */
  readonly encryptionKeysPath?: string | undefined;
  /** Bytes of memory of which the indexer takes its share. */
  readonly memoryBytesMax: number;
  readonly kernel: "auto" | "scalar";
  readonly log: EngineLog;
}

/** Everything that `openEngine` needs to know. */
export interface EngineConfig {
  /** Holds all state. */
  readonly store: StoreConfig;
  /** Keeps copies of what is read of a far store; it may be shared with others. */
  readonly diskCache?: DiskCacheConfig | undefined;
  /** Worker threads that search; at least 1. */
  readonly queryThreads: number;
  /** Bytes of memory that the process may plan with. */
  readonly memoryBytesMax: number;
  readonly kernel: "auto" | "scalar";
  /** File or directory of customer-managed keys; without it, no key name is known. */
  readonly encryptionKeysPath?: string;
  readonly embedding: EmbeddingConfig;
  readonly log: EngineLog;
}
