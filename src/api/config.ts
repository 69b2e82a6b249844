/** What the program tells the engine at start; every value is already checked. */

import type { NamespaceName } from "../base/ids.ts";
import type { StructuredLog } from "../base/structured-log.ts";
import type { CheckpointPeriod } from "../commit/checkpoints/periodic-checkpoints.ts";
import type { StoreAccessConfig } from "../storage/access/open-store-access.ts";

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

/** An embedding model in a folder. */
export interface ModelPath {
  /** By which schemas will know it. */
  readonly name: string;
  readonly path: string;
}

/** What scores documents for queries with `rerank_by`. */
export type RerankConfig =
  /** Such queries are refused. */
  | { readonly kind: "none" }
  /** Counts words in common: for tests and offline trials. Goes by each of `models`. */
  | { readonly kind: "words"; readonly models: readonly string[] }
  /** A service with the common rerank request. */
  | {
      readonly kind: "http";
      /** Base URL to which `/rerank` is added, such as `https://api.cohere.com/v2`. */
      readonly url: string;
      readonly apiKey?: string;
      /** Names of its models that queries may use; at least one. */
      readonly models: readonly string[];
    };

/** Where traces go, and of what. */
export interface TracingConfig {
  /** That bodies are posted to. */
  readonly url: string;
  /** Share of the requests whose client has not decided, and of an indexer's steps. */
  readonly sampleRate: number;
}

/** Everything that `openIndexer` needs to know. */
export interface IndexerConfig extends StoreAccessConfig {
  /** Bytes of memory of which the indexer takes its share. */
  readonly memoryBytesMax: number;
  readonly log: StructuredLog;
  /** Absent: its steps are not traced. */
  readonly tracing?: TracingConfig | undefined;
  /** Hears which namespaces have a new manifest. */
  readonly onManifest?: (namespace: NamespaceName) => void;
  /**
   * The code that opened the indexer calls `wake` for hints, so the indexer may poll the store
   * rarely.
   */
  readonly isWoken?: boolean;
}

/** Everything that `openEngine` needs to know. */
export interface EngineConfig extends StoreAccessConfig {
  /** Worker threads that search; at least 1. */
  readonly queryThreads: number;
  /** Milliseconds after which a query is ended, waiting included. */
  readonly queryTimeoutMs: number;
  /** Share of ANN rankings whose recall is measured in the background, 0 to 1. */
  readonly recallSampleRate: number;
  /** Query threads that idle take parts of long queries. */
  readonly dividesQueries: boolean;
  /** When checkpoints are made without anybody's asking; absent: never. */
  readonly checkpoints?: CheckpointPeriod;
  /** Bytes of memory that the process may plan with. */
  readonly memoryBytesMax: number;
  readonly embedding: EmbeddingConfig;
  /** Beside the one that ships with Trawl; their names differ. */
  readonly staticModels: readonly ModelPath[];
  /** ONNX models; no name is also that of a static model. */
  readonly onnxModels: readonly ModelPath[];
  readonly reranking: RerankConfig;
  readonly log: StructuredLog;
  /** Hears that a hint for indexers was put. */
  readonly onHint?: () => void;
  /**
   * Hears that a thread has crashed: requests that it had to answer stay without answers. To be set
   * where the process is not the engine's own: its heap is then left alone. Absent: it ends.
   */
  readonly onCrash?: (error: Error) => void;
}
