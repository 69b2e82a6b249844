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
import { diskCacheConfig } from "./disk-cache-settings.ts";
import { modelFolders } from "./model-settings.ts";
import { SettingFault, type SettingValue } from "./parse-setting.ts";
import type { GivenSettings } from "./read-settings.ts";
import { BODY_MEMORY_DEFAULT_MAX, type SettingName, settingsOf } from "./setting-table.ts";
import { settingValue } from "./setting-value.ts";
import { shownUrl } from "./shown-url.ts";
import { storeConfig } from "./store-settings.ts";
import { tracingConfig } from "./tracing-settings.ts";

/** Share of the memory limit that answers may take which clients have not read yet. */
const ANSWER_MEMORY_SHARE = 0.15;
/** Time after which a client that takes nothing of its answer is cut off; our choice. */
const ANSWER_STALL_MS = 30_000;
/**
 * The default of `--drain-delay`: load balancers ask every 1 to 5 seconds, and Kubernetes takes
 * about as long to remove a terminating pod from its proxies.
 */
const DRAIN_DELAY_MS = 5_000;
/** Slow requests that are logged in a minute, as many as a person can read. */
const SLOW_REQUESTS_LOGGED_MAX = 60;

/** What the machine offers; defaults come from it. */
export interface Machine {
  readonly coreCount: number;
  /** Bytes that this process may use: its cgroup's limit, else the physical memory. */
  readonly memoryBytes: number;
  /** The default of `--memory-limit`. */
  readonly memoryLimitBytes: number;
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
  readonly indexerFlags: readonly string[] | undefined;
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
  const { store, diskCache, encryptionKeysPath, memoryBytesMax } = indexer;
  const isIndexing = settingValue(given, "indexer") === "child";
  return {
    indexerFlags: isIndexing ? indexerFlags(given, indexer) : undefined,
    engine: {
      store,
      diskCache,
      queryThreads: settingValue(given, "query-threads") ?? Math.max(1, machine.coreCount),
      queryTimeoutMs: 1000 * settingValue(given, "query-timeout"),
      recallSampleRate: settingValue(given, "recall-sample-rate"),
      dividesQueries: true,
      ...checkpointConfig(given),
      memoryBytesMax,
      ...(encryptionKeysPath !== undefined && { encryptionKeysPath }),
      embedding: embeddingConfig(given),
      ...modelFolders(given),
      reranking: rerankConfig(given),
    },
    http: {
      ...httpConfig(given, memoryBytesMax),
      drainDelayMs:
        settingValue(given, "drain-delay") ?? (machine.isInteractive ? 0 : DRAIN_DELAY_MS),
    },
    pages: { hasConsole: !settingValue(given, "no-console") },
    audit: auditConfig(given),
    tls: tlsPaths(given),
    apiKey: bootstrapKey(given),
    allowsPublic: settingValue(given, "allow-public-without-key"),
    log,
    tracing: indexer.tracing,
  };
}

/**
 * The permissions that files and directories of this process are without: those of all others, and
 * of the group where it may not read.
 */
export function fileUmask(given: GivenSettings): number {
  return settingValue(given, "file-access") === "group" ? 0o027 : 0o077;
}

/** What `trawl index` needs of the settings. */
export function indexConfig(
  given: GivenSettings,
  machine: Machine,
): { readonly indexer: Omit<IndexerConfig, "log">; readonly log: LogConfig } {
  const store = storeConfig(given);
  return {
    indexer: {
      store,
      diskCache: diskCacheConfig(given, store),
      encryptionKeysPath: settingValue(given, "encryption-keys"),
      memoryBytesMax: settingValue(given, "memory-limit") ?? machine.memoryLimitBytes,
      tracing: tracingConfig(given),
    },
    log: { level: settingValue(given, "log-level"), format: settingValue(given, "log-format") },
  };
}

/**
 * Flags by which `trawl index` has the settings of this server. Defaults that depend on the process
 * are given, too: its working directory and what it takes for the machine's memory.
 */
function indexerFlags(
  given: GivenSettings,
  {
    store,
    diskCache,
    memoryBytesMax,
  }: Pick<IndexerConfig, "store" | "diskCache" | "memoryBytesMax">,
): readonly string[] {
  const values = new Map<SettingName, SettingValue>([...given, ["memory-limit", memoryBytesMax]]);
  if (store.kind === "directory") values.set("data-dir", store.root);
  if (diskCache !== undefined) values.set("disk-cache-dir", diskCache.directory);
  return settingsOf("index").flatMap(({ name }) => {
    const value = values.get(name);
    // What the file says is among the values.
    return value === undefined || name === "config" ? [] : [`--${name}`, flagText(value)];
  });
}

/** Shares may be so small that their usual text has an exponent, which no flag takes. */
function flagText(value: SettingValue): string {
  const isFraction = typeof value === "number" && !Number.isInteger(value);
  return isFraction ? value.toFixed(15) : String(value);
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
  const place = settingValue(given, "audit-log");
  if (place === undefined) {
    refuseUnused(given, ["audit-writes"], "--audit-log is not; name a file, or stdout");
    return undefined;
  }
  const path = place === "stdout" ? undefined : resolve(place);
  return { path, hasWrites: settingValue(given, "audit-writes") };
}

function tlsPaths(given: GivenSettings): TlsPaths | undefined {
  const certPath = settingValue(given, "tls-cert");
  const keyPath = settingValue(given, "tls-key");
  if (certPath === undefined && keyPath === undefined) return undefined;
  if (certPath !== undefined && keyPath !== undefined) return { certPath, keyPath };
  const [set, missing] = certPath === undefined ? ["key", "cert"] : ["cert", "key"];
  throw new SettingFault(
    `--tls-${set} is set without --tls-${missing}; TLS needs both, the certificate and its key`,
  );
}

/** The key that opens everything. */
function bootstrapKey(given: GivenSettings): string | undefined {
  const apiKey = settingValue(given, "api-key");
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
  const everyMs = settingValue(given, "checkpoint-every");
  const keepMs = settingValue(given, "checkpoint-keep");
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
  return {
    host: settingValue(given, "host"),
    port: settingValue(given, "port"),
    allowedHosts: settingValue(given, "allowed-hosts").map((name) => name.toLowerCase()),
    allowedOrigins: settingValue(given, "allowed-origins").map(originOf),
    bodyBytesInFlightMax:
      settingValue(given, "body-memory") ??
      Math.min(Math.floor(memoryBytesMax / 2), BODY_MEMORY_DEFAULT_MAX),
    answerBytesMax: Math.floor(memoryBytesMax * ANSWER_MEMORY_SHARE),
    answerStallMs: ANSWER_STALL_MS,
    slowRequestMs: settingValue(given, "slow-query-ms"),
    slowRequestsLoggedMax: SLOW_REQUESTS_LOGGED_MAX,
    metricsNamespacesMax: settingValue(given, "metrics-namespaces"),
    strict: settingValue(given, "strict"),
    mcp: mcpConfig(given),
  };
}

function mcpConfig(given: GivenSettings): HttpConfig["mcp"] {
  if (!settingValue(given, "no-mcp")) {
    return settingValue(given, "mcp-writes") ? "writing" : "reading";
  }
  refuseUnused(given, ["mcp-writes"], "--no-mcp is, too; leave out one of them");
  return "off";
}

function embeddingConfig(given: GivenSettings): EmbeddingConfig {
  if (settingValue(given, "embedder") === "none") {
    const service = ["embedding-url", "embedding-api-key", "embedding-dimensions"] as const;
    refuseUnused(given, service, "--embedder is none; set --embedder http");
    return { kind: "none" };
  }
  const url = settingValue(given, "embedding-url");
  if (url === undefined) {
    throw new SettingFault(
      "--embedder http needs --embedding-url, such as https://api.openai.com/v1",
    );
  }
  const apiKey = settingValue(given, "embedding-api-key");
  return {
    kind: "http",
    url: serviceUrl("embedding-url", url),
    ...(apiKey !== undefined && { apiKey }),
    modelDimensions: settingValue(given, "embedding-dimensions") ?? {},
  };
}

function rerankConfig(given: GivenSettings): RerankConfig {
  if (settingValue(given, "reranker") === "none") {
    const service = ["rerank-url", "rerank-api-key", "rerank-models"] as const;
    refuseUnused(given, service, "--reranker is none; set --reranker http");
    return { kind: "none" };
  }
  const url = settingValue(given, "rerank-url");
  const models = settingValue(given, "rerank-models");
  if (url === undefined || models.length === 0) {
    throw new SettingFault(
      "--reranker http needs --rerank-url, such as https://api.cohere.com/v2, and " +
        "--rerank-models, such as rerank-v3.5",
    );
  }
  const apiKey = settingValue(given, "rerank-api-key");
  const service = { url: serviceUrl("rerank-url", url), models };
  return { kind: "http", ...service, ...(apiKey !== undefined && { apiKey }) };
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
