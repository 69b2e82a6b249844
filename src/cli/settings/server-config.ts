/** From the settings that were given to the complete configuration of engine and HTTP server. */

import { resolve } from "node:path";
import { TOKEN_START } from "../../access/query-token.ts";
import type {
  EmbeddingConfig,
  EngineConfig,
  IndexerConfig,
  RerankConfig,
  TracingConfig,
} from "../../api/config.ts";
import type { TlsPaths } from "../../http/connections/tls-files.ts";
import type { HttpConfig } from "../../http/http-config.ts";
import { isLoopbackName } from "../../http/origin-check.ts";
import type { IndexerFlags } from "../indexer-process.ts";
import { shownUrl } from "./shown-url.ts";
import { diskCacheConfig, diskCacheFlags } from "./disk-cache-settings.ts";
import { modelFolders } from "./model-settings.ts";
import { SettingFault, type SettingValue } from "./parse-setting.ts";
import type { GivenSettings } from "./read-settings.ts";
import { BODY_MEMORY_DEFAULT_MAX, type SettingName } from "./setting-table.ts";
import { storeConfig, storeFlags } from "./store-settings.ts";
import { tracingConfig, tracingFlags } from "./tracing-settings.ts";

/** Share of the memory limit that answers may take which clients have not read yet. */
const ANSWER_MEMORY_SHARE = 0.15;
/** The default of `--answer-timeout`. */
const ANSWER_TIMEOUT_SECONDS = 30;
/**
 * The default of `--drain-delay`: load balancers ask every 1 to 5 seconds, and Kubernetes takes
 * about as long to remove a terminating pod from its proxies.
 */
const DRAIN_DELAY_MS = 5_000;
/** The default of `--query-timeout`. */
const QUERY_TIMEOUT_SECONDS = 30;
/** The default of `--slow-query-ms`. */
const SLOW_REQUEST_MS = 1000;
/** The default of `--slow-query-sample`: what somebody may still read. */
const SLOW_REQUESTS_LOGGED = 60;
/** The default of `--metrics-namespaces`: some 140 time series. */
const METRICS_NAMESPACES = 20;
/** By what name queries ask the reranker that counts words, unless others are given. */
const WORD_MODEL_DEFAULT = "words";

/** What the machine offers; defaults come from it. */
export interface Machine {
  readonly coreCount: number;
  /** Bytes that this process may use: its cgroup's limit, else the physical memory. */
  readonly memoryBytes: number;
  /** True if the process was started from a terminal, whose user waits for it to end. */
  readonly isInteractive: boolean;
}

/** How log lines look and which are written. */
export interface LogConfig {
  readonly level: string;
  readonly format: "auto" | "pretty" | "json";
}

/** Where the audit goes. */
export interface AuditConfig {
  /** A file; undefined: standard output. */
  readonly path: string | undefined;
  /** Every write of documents is in it. */
  readonly hasWrites: boolean;
}

/** Which pages there are for browsers. */
export interface PagesConfig {
  readonly hasConsole: boolean;
}

/** Everything that `serve` needs. */
export interface ServerConfig {
  /** Flags of the indexer that the server starts; undefined: it starts none. */
  readonly indexerFlags: IndexerFlags | undefined;
  readonly engine: Omit<EngineConfig, "log">;
  readonly http: HttpConfig;
  readonly pages: PagesConfig;
  /** Absent: there is none. */
  readonly audit: AuditConfig | undefined;
  /** Absent: the server speaks plain HTTP. */
  readonly tls: TlsPaths | undefined;
  /** The text of a key that opens everything; absent: there is none beside those of the store. */
  readonly apiKey: string | undefined;
  /** Other machines may reach a server that needs no key. */
  readonly allowsPublic: boolean;
  readonly log: LogConfig;
  /** Undefined: nothing is traced. */
  readonly tracing: TracingConfig | undefined;
}

/** Fills in defaults; throws `SettingFault` when settings contradict each other or are unsafe. */
export function serverConfig(given: GivenSettings, machine: Machine): ServerConfig {
  const { indexer, log } = indexConfig(given, machine);
  const { store, diskCache, encryptionKeysPath, memoryBytesMax, kernel } = indexer;
  const isIndexing = textOf(given, "indexer") !== "off";
  return {
    indexerFlags: isIndexing
      ? [...indexerFlags(indexer, log), "--file-access", fileAccess(given)]
      : undefined,
    engine: {
      store,
      diskCache,
      queryThreads: numberOf(given, "query-threads") ?? Math.max(1, machine.coreCount),
      queryTimeoutMs: 1000 * (numberOf(given, "query-timeout") ?? QUERY_TIMEOUT_SECONDS),
      recallSampleRate: numberOf(given, "recall-sample-rate") ?? 0,
      dividesQueries: textOf(given, "divide-queries") !== "off",
      ...checkpointConfig(given),
      memoryBytesMax,
      kernel,
      ...(encryptionKeysPath !== undefined && { encryptionKeysPath }),
      embedding: embeddingConfig(given),
      ...modelFolders(given),
      reranking: rerankConfig(given),
    },
    http: {
      ...httpConfig(given, memoryBytesMax),
      drainDelayMs: numberOf(given, "drain-delay") ?? (machine.isInteractive ? 0 : DRAIN_DELAY_MS),
    },
    pages: { hasConsole: given.get("no-console") !== true },
    audit: auditConfig(given),
    tls: tlsPaths(given),
    apiKey: bootstrapKey(given),
    allowsPublic: given.get("allow-public-without-key") === true,
    log,
    tracing: indexer.tracing,
  };
}

/**
 * The permissions that files and directories of this process are without: those of all others, and
 * of the group where it may not read.
 */
export function fileUmask(given: GivenSettings): number {
  return fileAccess(given) === "group" ? 0o027 : 0o077;
}

/** What `trawl index` needs of the settings. */
export function indexConfig(
  given: GivenSettings,
  machine: Machine,
): { readonly indexer: Omit<IndexerConfig, "log">; readonly log: LogConfig } {
  const keysPath = textOf(given, "encryption-keys");
  const store = storeConfig(given);
  return {
    indexer: {
      store,
      diskCache: diskCacheConfig(given, store),
      encryptionKeysPath: keysPath === undefined ? undefined : resolve(keysPath),
      memoryBytesMax: numberOf(given, "memory-limit") ?? machine.memoryBytes,
      kernel: (textOf(given, "kernel") ?? "auto") as EngineConfig["kernel"],
      tracing: tracingConfig(given),
    },
    log: {
      level: textOf(given, "log-level") ?? "info",
      format: (textOf(given, "log-format") ?? "auto") as LogConfig["format"],
    },
  };
}

function indexerFlags(
  config: Omit<IndexerConfig, "log">,
  { level, format }: LogConfig,
): IndexerFlags {
  const { store, diskCache, encryptionKeysPath, memoryBytesMax, kernel, tracing } = config;
  const keys = encryptionKeysPath === undefined ? [] : ["--encryption-keys", encryptionKeysPath];
  const machine = ["--memory-limit", String(memoryBytesMax), "--kernel", kernel];
  const log = ["--log-level", level, "--log-format", format];
  const disk = store.kind === "directory" ? [] : diskCacheFlags(diskCache);
  const traces = tracing === undefined ? [] : tracingFlags(tracing);
  return [...storeFlags(store), ...machine, ...disk, ...log, ...keys, ...traces];
}

/**
 * Throws `SettingFault` if everybody could reach a server that asks nobody for a key. `isLocked`
 * says whether it does: by `--api-key`, or by keys of its store.
 */
export function checkReach({ http, allowsPublic }: ServerConfig, isLocked: boolean): void {
  if (isLocked || allowsPublic || isLoopbackName(http.host)) return;
  throw new SettingFault(
    `--host ${http.host} can be reached from other machines, and no API key is set, so anybody ` +
      "could read and delete everything; set --api-key (or TRAWL_API_KEY), listen on " +
      "127.0.0.1, or say --allow-public-without-key if this is wanted",
  );
}

function auditConfig(given: GivenSettings): AuditConfig | undefined {
  const place = textOf(given, "audit-log");
  if (place === undefined) {
    refuseUnused(given, ["audit-writes"], "--audit-log is not; name a file, or stdout");
    return undefined;
  }
  const path = place === "stdout" ? undefined : resolve(place);
  return { path, hasWrites: given.get("audit-writes") === true };
}

function tlsPaths(given: GivenSettings): TlsPaths | undefined {
  const certPath = textOf(given, "tls-cert");
  const keyPath = textOf(given, "tls-key");
  if (certPath === undefined && keyPath === undefined) return undefined;
  if (certPath !== undefined && keyPath !== undefined) {
    return { certPath: resolve(certPath), keyPath: resolve(keyPath) };
  }
  const [set, missing] = certPath === undefined ? ["key", "cert"] : ["cert", "key"];
  throw new SettingFault(
    `--tls-${set} is set without --tls-${missing}; TLS needs both, the certificate and its key`,
  );
}

/** The key that opens everything. */
function bootstrapKey(given: GivenSettings): string | undefined {
  const apiKey = textOf(given, "api-key");
  if (apiKey?.startsWith(TOKEN_START)) {
    throw new SettingFault(
      `--api-key: a secret value begins with ${TOKEN_START}, as query tokens do; choose another ` +
        "key",
    );
  }
  // Clients send the key as one word of a header; another one would lock everybody out.
  if (apiKey === undefined || /^[\x21-\x7e]+$/.test(apiKey)) return apiKey;
  throw new SettingFault(
    "--api-key: a secret value has white space or other characters than ASCII's, which no " +
      "client can send; choose a key of letters, digits and signs",
  );
}

/** Checkpoints of one namespace that are made by themselves: there is room for others, too. */
const PERIODIC_CHECKPOINTS_MAX = 200;

function checkpointConfig(given: GivenSettings): Pick<EngineConfig, "checkpoints"> {
  const everyMs = numberOf(given, "checkpoint-every");
  const keepMs = numberOf(given, "checkpoint-keep");
  if (everyMs === undefined && keepMs === undefined) return {};
  if (everyMs === undefined || keepMs === undefined) {
    const [set, other] = everyMs === undefined ? ["keep", "every"] : ["every", "keep"];
    throw new SettingFault(`--checkpoint-${set} is set without --checkpoint-${other}; say both`);
  }
  const count = Math.ceil(keepMs / everyMs);
  if (count <= PERIODIC_CHECKPOINTS_MAX) return { checkpoints: { everyMs, keepMs } };
  throw new SettingFault(
    `--checkpoint-every and --checkpoint-keep leave ${count} checkpoints of a namespace, at most ` +
      `${PERIODIC_CHECKPOINTS_MAX} may be; make them less often, or keep them for less time`,
  );
}

function httpConfig(
  given: GivenSettings,
  memoryBytesMax: number,
): Omit<HttpConfig, "drainDelayMs"> {
  const host = textOf(given, "host") ?? "127.0.0.1";
  return {
    host,
    port: numberOf(given, "port") ?? 8484,
    allowedHosts: listOf(given, "allowed-hosts").map((name) => name.toLowerCase()),
    allowedOrigins: listOf(given, "allowed-origins").map(originOf),
    bodyBytesInFlightMax:
      numberOf(given, "body-memory") ??
      Math.min(Math.floor(memoryBytesMax / 2), BODY_MEMORY_DEFAULT_MAX),
    answerBytesMax: Math.floor(memoryBytesMax * ANSWER_MEMORY_SHARE),
    answerStallMs: 1000 * (numberOf(given, "answer-timeout") ?? ANSWER_TIMEOUT_SECONDS),
    slowRequestMs: numberOf(given, "slow-query-ms") ?? SLOW_REQUEST_MS,
    slowRequestsLoggedMax: numberOf(given, "slow-query-sample") ?? SLOW_REQUESTS_LOGGED,
    metricsNamespacesMax: numberOf(given, "metrics-namespaces") ?? METRICS_NAMESPACES,
    strict: given.get("strict") === true,
    mcp: mcpConfig(given),
  };
}

function mcpConfig(given: GivenSettings): HttpConfig["mcp"] {
  if (given.get("no-mcp") !== true) return given.get("mcp-writes") === true ? "writing" : "reading";
  refuseUnused(given, ["mcp-writes"], "--no-mcp is, too; leave out one of them");
  return "off";
}

function embeddingConfig(given: GivenSettings): EmbeddingConfig {
  const kind = (textOf(given, "embedder") ?? "none") as EmbeddingConfig["kind"];
  if (kind !== "http") {
    const service = ["embedding-url", "embedding-api-key", "embedding-dimensions"] as const;
    refuseUnused(given, service, `--embedder is ${kind}; say --embedder http`);
    return { kind };
  }
  const url = textOf(given, "embedding-url");
  if (url === undefined) {
    throw new SettingFault(
      "--embedder http needs --embedding-url, such as https://api.openai.com/v1",
    );
  }
  const apiKey = textOf(given, "embedding-api-key");
  const dimensions = given.get("embedding-dimensions");
  return {
    kind,
    url: serviceUrl("embedding-url", url),
    ...(apiKey !== undefined && { apiKey }),
    modelDimensions: isDimensions(dimensions) ? dimensions : {},
  };
}

function rerankConfig(given: GivenSettings): RerankConfig {
  const kind = (textOf(given, "reranker") ?? "none") as RerankConfig["kind"];
  const models = listOf(given, "rerank-models");
  if (kind !== "http") {
    const service = ["rerank-url", "rerank-api-key"] as const;
    refuseUnused(given, service, `--reranker is ${kind}; say --reranker http`);
  }
  switch (kind) {
    case "none":
      refuseUnused(given, ["rerank-models"], "--reranker is none; say --reranker http or words");
      return { kind };
    case "words":
      return { kind, models: models.length > 0 ? models : [WORD_MODEL_DEFAULT] };
    case "http": {
      const url = textOf(given, "rerank-url");
      if (url === undefined || models.length === 0) {
        throw new SettingFault(
          "--reranker http needs --rerank-url, such as https://api.cohere.com/v2, and " +
            "--rerank-models, such as rerank-v3.5",
        );
      }
      const apiKey = textOf(given, "rerank-api-key");
      const service = { url: serviceUrl("rerank-url", url), models };
      return { kind, ...service, ...(apiKey !== undefined && { apiKey }) };
    }
  }
}

/** Refuses settings that have no effect beside others. */
function refuseUnused(given: GivenSettings, names: readonly SettingName[], reason: string): void {
  const name = names.find((candidate) => given.has(candidate));
  if (name !== undefined) throw new SettingFault(`--${name} is set, but ${reason}`);
}

/** A service's base URL without slashes at its end. */
function serviceUrl(name: "embedding-url" | "rerank-url", url: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new SettingFault(`--${name}: ${shownUrl(url)} is no http or https URL`);
  }
  const { username, password } = new URL(url);
  if (username !== "" || password !== "") {
    const key = name.replace("url", "api-key");
    throw new SettingFault(`--${name} must hold no credentials; set --${key}`);
  }
  return url.replace(/\/+$/, "");
}

/** An origin as browsers send it. */
function originOf(text: string): string {
  if (text === "*") return text;
  const origin = URL.canParse(text) ? new URL(text).origin : "null";
  if (origin === text.toLowerCase().replace(/\/$/, "") && origin !== "null") return origin;
  throw new SettingFault(
    `--allowed-origins: ${text} is no origin: a scheme, a name and perhaps a port, such as ` +
      "https://app.example or http://localhost:3000",
  );
}

function isDimensions(value: SettingValue | undefined): value is Readonly<Record<string, number>> {
  return typeof value === "object" && !Array.isArray(value);
}

function fileAccess(given: GivenSettings): string {
  return textOf(given, "file-access") ?? "owner";
}

function textOf(given: GivenSettings, name: SettingName): string | undefined {
  const value = given.get(name);
  return typeof value === "string" ? value : undefined;
}

function listOf(given: GivenSettings, name: SettingName): readonly string[] {
  const value = given.get(name);
  return Array.isArray(value) ? value : [];
}

function numberOf(given: GivenSettings, name: SettingName): number | undefined {
  const value = given.get(name);
  return typeof value === "number" ? value : undefined;
}
