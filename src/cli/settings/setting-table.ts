/**
 * Every setting of the server: its values, its default, and who has it. Parsing, defaults, `--help`,
 * the flags of the indexer that the server starts, the options of the library, and the table in
 * docs/configuration.md (`npm run write:settings`) are made from it.
 */

import { GIB, MIB } from "../../base/byte-sizes.ts";
import { MEMORY_LIMIT_MIN } from "./default-memory-limit.ts";

/** How a setting's text is read. */
export type SettingKind =
  /** A whole number between `min` and `max`. */
  | { readonly kind: "integer"; readonly min: number; readonly max: number }
  /** A whole number of bytes between `min` and `max`; units such as `512MiB` and `4GB` are read. */
  | { readonly kind: "bytes"; readonly min: number; readonly max: number }
  /** Milliseconds between `min` and `max`, with a unit: `30m`, `1h`, `7d`. */
  | { readonly kind: "duration"; readonly min: number; readonly max: number }
  /** A number from 0 to 1, in decimal digits. */
  | { readonly kind: "share" }
  | { readonly kind: "choice"; readonly choices: readonly string[] }
  | { readonly kind: "text" }
  /** A file or directory; relative ones begin at the working directory. */
  | { readonly kind: "path" }
  | { readonly kind: "flag" }
  /** Texts: `a,b`, in a file an array. */
  | { readonly kind: "list" }
  /** Pairs of a model's name and its dimensions: `name=1536,other=768`, in a file an object. */
  | { readonly kind: "dimensions" };

/** One row of the table. */
export interface Setting {
  /** The flag without its dashes; environment name and file key follow from it. */
  readonly name: string;
  readonly type: SettingKind;
  /** Value of a setting that is not given. Absent: a flag is false, a list empty, others unset. */
  readonly default?: string | number;
  /** Default as users read it, where `default` does not say it. */
  readonly defaultText?: string;
  /** One sentence, without the full stop. */
  readonly help: string;
  /** The value never appears in logs or messages. */
  readonly secret?: boolean;
  /** A variable that other programs read, too; the setting's own goes first. */
  readonly sharedVariable?: string;
  /** Commands that have it, in addition to `trawl serve` and `trawl doctor`. */
  readonly commands?: readonly ("index" | "certify")[];
  /** Reason why it is no option of the library. Absent: it is one. */
  readonly notForLibraries?: string;
}

const DAY_MS = 86_400_000;
const TEXT = { kind: "text" } as const;
const PATH = { kind: "path" } as const;
const INDEX = ["index"] as const;
/** Commands that open a bucket. */
const S3 = ["index", "certify"] as const;
const LISTENS_NOWHERE = "a library listens nowhere";
const NOT_LOGGED = "calls are not logged; measure them where they are made";
const NO_KEYS = "calls have no keys; note them where they are made";
const NOT_TRACED = "calls are not traced; trace them where they are made";

/** All settings, in the order of the help. */
export const SETTINGS = [
  {
    name: "port",
    type: { kind: "integer", min: 0, max: 65_535 },
    default: 8484,
    help: "TCP port to listen on; 0 picks a free one and prints it",
    notForLibraries: LISTENS_NOWHERE,
  },
  {
    name: "host",
    type: TEXT,
    default: "127.0.0.1",
    help: "address to listen on; one that other machines can reach needs API keys",
    notForLibraries: LISTENS_NOWHERE,
  },
  {
    name: "data-dir",
    type: PATH,
    default: "trawl-data",
    defaultText: "./trawl-data",
    help: "directory that holds all data; created if absent",
    commands: INDEX,
  },
  {
    name: "file-access",
    type: { kind: "choice", choices: ["owner", "group"] },
    default: "owner",
    help:
      "who may read the files that are written, beside root: their `owner` alone, or their " +
      "`group`, too",
    commands: INDEX,
    notForLibraries: "the umask is the program's own",
  },
  {
    name: "object-store",
    type: TEXT,
    help: "bucket that holds all data instead of a directory: `s3://bucket/prefix`",
    commands: INDEX,
  },
  {
    name: "s3-endpoint",
    type: TEXT,
    defaultText: "Amazon's",
    help: "base URL of an S3 service other than Amazon's",
    commands: S3,
  },
  {
    name: "s3-region",
    type: TEXT,
    defaultText: "the AWS SDK's; if it has none and there is s3-endpoint, us-east-1",
    help: "region of the bucket",
    commands: S3,
  },
  {
    name: "s3-path-style",
    type: { kind: "choice", choices: ["auto", "on", "off"] },
    default: "auto",
    help:
      "where the bucket's name stands in URLs: `on` in the path, `off` in the host; `auto` is " +
      "on with s3-endpoint",
    commands: S3,
  },
  {
    name: "api-key",
    type: TEXT,
    secret: true,
    help:
      "key that may do everything, beside those of `trawl keys`; requests carry keys as " +
      "`Authorization: Bearer <key>`",
    notForLibraries: "only the program itself can call it",
  },
  {
    name: "tls-cert",
    type: PATH,
    help: "file with the certificate, and those that lead to a known one, in PEM: speaks TLS",
    notForLibraries: LISTENS_NOWHERE,
  },
  {
    name: "tls-key",
    type: PATH,
    help: "file with the private key of `tls-cert`, in PEM, without a passphrase",
    notForLibraries: LISTENS_NOWHERE,
  },
  {
    name: "allow-public-without-key",
    type: { kind: "flag" },
    help: "listen on a public address although no API key is set",
    notForLibraries: LISTENS_NOWHERE,
  },
  {
    name: "allowed-hosts",
    type: { kind: "list" },
    help:
      "names in `Host`, beside loopback ones, that a server without an API key answers to; `*` " +
      "for all",
    notForLibraries: LISTENS_NOWHERE,
  },
  {
    name: "allowed-origins",
    type: { kind: "list" },
    help: "origins of web pages that may use the server, such as `https://app.example`; `*` for all",
    notForLibraries: LISTENS_NOWHERE,
  },
  {
    name: "strict",
    type: { kind: "flag" },
    help:
      "refuse requests that have unknown fields, which are ignored otherwise; a request's header " +
      "`trawl-strict` (`true` or `false`) goes first",
  },
  {
    name: "no-console",
    type: { kind: "flag" },
    help: "leave out the pages at `/console/`, on which people look at and search their data",
    notForLibraries: "a library serves no pages",
  },
  {
    name: "no-mcp",
    type: { kind: "flag" },
    help: "do not serve assistants at `/mcp`",
    notForLibraries: LISTENS_NOWHERE,
  },
  {
    name: "mcp-writes",
    type: { kind: "flag" },
    help: "assistants whose key may write get tools that change documents and delete namespaces",
    notForLibraries: LISTENS_NOWHERE,
  },
  {
    name: "config",
    type: TEXT,
    help: "JSON file with settings; flags and environment variables win over it",
    commands: S3,
    notForLibraries: "read the file, and pass what it says as options",
  },
  {
    name: "log-level",
    type: { kind: "choice", choices: ["debug", "info", "warn", "error", "silent"] },
    default: "info",
    help: "least level that is logged; `info` has one line per request",
    commands: INDEX,
  },
  {
    name: "log-format",
    type: { kind: "choice", choices: ["auto", "pretty", "json"] },
    default: "auto",
    help: "form of log lines on stderr; `auto` is pretty on a terminal and JSON elsewhere",
    commands: INDEX,
  },
  {
    name: "audit-log",
    type: TEXT,
    help: "file, or `stdout`, for one line of JSON for each change of keys and namespaces",
    notForLibraries: NO_KEYS,
  },
  {
    name: "audit-writes",
    type: { kind: "flag" },
    help: "writes of documents are in the audit log, too, one line for each request",
    notForLibraries: NO_KEYS,
  },
  {
    name: "slow-query-ms",
    type: { kind: "integer", min: 0, max: 3_600_000 },
    default: 1000,
    help: "requests that take longer are logged as slow, with what took the time; 0 turns this off",
    notForLibraries: NOT_LOGGED,
  },
  {
    name: "metrics-namespaces",
    type: { kind: "integer", min: 0, max: 1000 },
    default: 20,
    help: "namespaces, those with the most traffic, that `/metrics` tells of one by one",
    notForLibraries: "a library has no metrics",
  },
  {
    name: "otlp-endpoint",
    type: TEXT,
    sharedVariable: "OTEL_EXPORTER_OTLP_ENDPOINT",
    help:
      "base URL of an OpenTelemetry collector that traces are sent to, such as " +
      "http://localhost:4318; else that in OTEL_EXPORTER_OTLP_ENDPOINT",
    commands: INDEX,
    notForLibraries: NOT_TRACED,
  },
  {
    name: "otlp-sample-rate",
    type: { kind: "share" },
    default: 1,
    help: "share of requests that are traced, from 0 to 1, where their client has not decided",
    commands: INDEX,
    notForLibraries: NOT_TRACED,
  },
  {
    name: "query-threads",
    type: { kind: "integer", min: 1, max: 256 },
    defaultText: "one per core",
    help: "threads that search",
  },
  {
    name: "query-timeout",
    type: { kind: "integer", min: 1, max: 86_400 },
    default: 30,
    help: "seconds after which a query or a read of metadata is ended with 408, waiting included",
  },
  {
    name: "drain-delay",
    type: { kind: "duration", min: 0, max: 300_000 },
    defaultText: "5s; 0s if standard input is a terminal",
    help:
      "time after SIGTERM or SIGINT in which the server still serves while `/readyz` returns 503, " +
      "so that load balancers send requests elsewhere",
    notForLibraries: "a library is closed by its program, and has no load balancer",
  },
  {
    name: "recall-sample-rate",
    type: { kind: "share" },
    default: 0,
    help: "share of `ANN` queries, from 0 to 1, whose recall is measured in the background",
  },
  {
    name: "memory-limit",
    type: { kind: "bytes", min: MEMORY_LIMIT_MIN, max: 2 ** 50 },
    defaultText: "two thirds of the machine's or cgroup's memory beyond 640 MiB, at least 256 MiB",
    help: "memory that the server may plan with",
    commands: INDEX,
  },
  {
    name: "disk-cache-dir",
    type: PATH,
    default: "trawl-cache",
    defaultText: "./trawl-cache",
    help: "directory with copies of what was read of a bucket; created if absent",
    commands: INDEX,
  },
  {
    name: "disk-cache-limit",
    type: { kind: "bytes", min: 0, max: 2 ** 50 },
    default: 10 * GIB,
    defaultText: "10 GiB",
    help: "bytes that these copies may take; 0 keeps none",
    commands: INDEX,
  },
  {
    name: "body-memory",
    type: { kind: "bytes", min: MIB, max: 2 ** 50 },
    defaultText: "half of memory-limit, at most 2 GiB",
    help:
      "request bodies in flight, all requests together; one namespace may hold half of it; above " +
      "that requests get 429",
  },
  {
    name: "indexer",
    type: { kind: "choice", choices: ["child", "off"] },
    default: "child",
    help:
      "who folds logs into segments: `child` starts a process beside the server, `off` leaves it " +
      "to `trawl index`",
  },
  {
    name: "checkpoint-every",
    type: { kind: "duration", min: 60_000, max: 31 * DAY_MS },
    help:
      "how often a checkpoint is made of each namespace that was written to, such as `1h`; needs " +
      "checkpoint-keep",
  },
  {
    name: "checkpoint-keep",
    type: { kind: "duration", min: 60_000, max: 366 * DAY_MS },
    help: "how long these checkpoints, and what was deleted since, are kept, such as `2d`",
  },
  {
    name: "encryption-keys",
    type: PATH,
    help: "file or directory with the keys that `encryption.key_name` names",
    commands: INDEX,
  },
  {
    name: "embedder",
    type: { kind: "choice", choices: ["none", "http"] },
    default: "none",
    help: "source of native embeddings by models that are not in a folder",
  },
  {
    name: "embedding-url",
    type: TEXT,
    help: "base URL of an OpenAI-compatible service for `--embedder http`, up to `/v1`",
  },
  {
    name: "embedding-api-key",
    type: TEXT,
    secret: true,
    help: "key of the embedding service",
  },
  {
    name: "embedding-dimensions",
    type: { kind: "dimensions" },
    help: "dimensions of embedding models that are not known by name: `model=768,other=1024`",
  },
  {
    name: "static-models",
    type: { kind: "list" },
    help:
      "folders with static embedding models in model2vec's form, by the names that schemas give " +
      "them: `acme/potion=./potion`; `trawl/static-en` is always there",
  },
  {
    name: "onnx-models",
    type: { kind: "list" },
    help:
      "folders with ONNX embedding models, by the names that schemas give them: " +
      "`acme/minilm=./minilm`; needs the packages onnxruntime-web and @huggingface/tokenizers",
  },
  {
    name: "reranker",
    type: { kind: "choice", choices: ["none", "http"] },
    default: "none",
    help: "what `rerank_by` with a model asks",
  },
  {
    name: "rerank-url",
    type: TEXT,
    help: "base URL of a service with the common `/rerank` for `--reranker http`",
  },
  {
    name: "rerank-api-key",
    type: TEXT,
    secret: true,
    help: "key of the reranking service",
  },
  {
    name: "rerank-models",
    type: { kind: "list" },
    help: "names of the reranking models that queries may use",
  },
] as const satisfies readonly Setting[];

/** Names of all settings. */
export type SettingName = (typeof SETTINGS)[number]["name"];

/** The settings that a command has. */
export function settingsOf(command: "index" | "certify"): readonly NamedSetting[] {
  return (SETTINGS as readonly NamedSetting[]).filter(({ commands }) =>
    commands?.includes(command),
  );
}

/** A setting of the table. */
export type NamedSetting = Setting & { readonly name: SettingName };

/** Greatest default of `body-memory`. */
export const BODY_MEMORY_DEFAULT_MAX = 2 * GIB;

/** The default as help and docs show it; empty without one. */
export function defaultText(setting: Setting): string {
  return setting.defaultText ?? String(setting.default ?? "");
}

/** The environment variable of a setting: `data-dir` → `TRAWL_DATA_DIR`. */
export function environmentName(setting: Setting): string {
  return `TRAWL_${setting.name.toUpperCase().replaceAll("-", "_")}`;
}

/** The key of a setting in a configuration file: `data-dir` → `data_dir`. */
export function fileKey(setting: Setting): string {
  return setting.name.replaceAll("-", "_");
}

/** What stands for a setting's value in help and docs. */
export function valueName(setting: Setting): string {
  switch (setting.type.kind) {
    case "integer":
      return "<number>";
    case "bytes":
      return "<bytes>";
    case "duration":
      return "<duration>";
    case "share":
      return "<share>";
    case "choice":
      return `<${setting.type.choices.join("|")}>`;
    case "text":
      return "<text>";
    case "path":
      return "<path>";
    case "flag":
      return "";
    case "list":
      return "<text,…>";
    case "dimensions":
      return "<model=number,…>";
  }
}
