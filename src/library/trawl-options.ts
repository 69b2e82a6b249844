/**
 * What `openTrawl` may be told. The names and values are those of the settings of `trawl serve`
 * (docs/configuration.md), in camel case; what is about HTTP alone is not there, and neither are
 * environment variables read.
 */
export interface TrawlOptions {
  /** Directory that holds all data; made, for its owner alone, if it is not there. */
  readonly dataDir?: string;
  /** Bucket that holds all data instead of a directory: `s3://bucket/prefix`. */
  readonly objectStore?: string;
  readonly s3Endpoint?: string;
  readonly s3Region?: string;
  readonly s3PathStyle?: "auto" | "on" | "off";
  /** Directory with copies of what was read of a bucket. */
  readonly diskCacheDir?: string;
  /** Bytes that these copies may take, also as `"10GiB"`; 0 keeps none. */
  readonly diskCacheLimit?: number | string;
  /** Bytes that Trawl may plan with, also as `"2GiB"`; by default a quarter of the machine's. */
  readonly memoryLimit?: number | string;
  /** Bytes of parameters in flight, all calls together, also as `"512MiB"`. */
  readonly bodyMemory?: number | string;
  /** Threads that search; by default one for each core. */
  readonly queryThreads?: number;
  /** Seconds after which a query is ended, waiting included. */
  readonly queryTimeout?: number;
  /** Share of `ANN` queries, from 0 to 1, whose recall is measured in the background. */
  readonly recallSampleRate?: number;
  /** Refuses unknown fields of parameters, which are ignored and logged otherwise. */
  readonly strict?: boolean;
  /** `child` folds logs into segments in a process of low priority, `off` in none. */
  readonly indexer?: "child" | "off";
  /** How often checkpoints are made of namespaces that were written to, such as `"1h"`. */
  readonly checkpointEvery?: string;
  /** How long these checkpoints, and what was deleted since, are kept, such as `"2d"`. */
  readonly checkpointKeep?: string;
  /** File or directory with the keys that `encryption.key_name` names. */
  readonly encryptionKeys?: string;
  readonly embedder?: "none" | "http";
  readonly embeddingUrl?: string;
  readonly embeddingApiKey?: string;
  /** Dimensions of embedding models that are not known by name. */
  readonly embeddingDimensions?: Readonly<Record<string, number>>;
  /** Folders with static embedding models, by name: `"acme/potion=./potion"`. */
  readonly staticModels?: readonly string[];
  /** Folders with ONNX embedding models, by name: `"acme/minilm=./minilm"`. */
  readonly onnxModels?: readonly string[];
  readonly reranker?: "none" | "http";
  readonly rerankUrl?: string;
  readonly rerankApiKey?: string;
  readonly rerankModels?: readonly string[];
  /** Least level of the log on stderr; by default `warn`. */
  readonly logLevel?: "debug" | "info" | "warn" | "error" | "silent";
  readonly logFormat?: "auto" | "pretty" | "json";
  /** Hears that a thread has crashed: all calls reject from then on. */
  readonly onCrash?: (error: Error) => void;
}
