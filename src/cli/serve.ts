/** Wires configuration, engine and HTTP server together, and takes them down on a signal. */

import { fileURLToPath } from "node:url";
import { KEY_POLL_MS } from "../access/key-ring.ts";
import type { EngineConfig, TracingConfig } from "../api/config.ts";
import type { Engine } from "../api/engine.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import type { NamespaceName } from "../base/ids.ts";
import { builtFile } from "../base/program-files.ts";
import { systemRandom } from "../base/random.ts";
import { TlsFiles } from "../http/connections/tls-files.ts";
import { HttpServer } from "../http/http-server.ts";
import { AuditLog, type AuditSink, fileSink } from "../http/observability/audit-log.ts";
import type { HttpLog } from "../http/observability/request-log.ts";
import { withoutConsoleLink } from "../http/pages/console-link.ts";
import { type PageEdit, PageFiles } from "../http/pages/page-files.ts";
import type { PageSite } from "../http/pages/page-site.ts";
import { storeName } from "../storage/store-config.ts";
import { postSpans, SpanExporter } from "../trace/span-exporter.ts";
import { banner } from "./banner.ts";
import { IndexerProcess } from "./indexer-process.ts";
import { SIGNAL_REPEAT_MS } from "./interrupt-signal.ts";
import { LineBuffer } from "./line-buffer.ts";
import { createLog } from "./log.ts";
import type { OpenedKeys } from "./open-keys.ts";
import { SettingFault } from "./settings/parse-setting.ts";
import { type AuditConfig, checkReach, type ServerConfig } from "./settings/server-config.ts";

/** The process as `serve` uses it; a parameter for tests. */
export interface ServeOptions {
  readonly openEngine: (config: EngineConfig) => Promise<Engine>;
  /** Opens the keys of the store that the engine has made ready. */
  readonly openKeys: (config: ServerConfig, log: HttpLog) => Promise<OpenedKeys>;
  readonly version: string;
  readonly clock: Clock;
  readonly print: (text: string) => void;
  /** Ends the process at once. */
  readonly exit: (code: number) => void;
}

/** Starts the server and returns once it listens; signals end it later. */
export async function serve(config: ServerConfig, options: ServeOptions): Promise<void> {
  const lines = new LineBuffer((text) => process.stderr.write(text));
  const log = createLog(config.log, {
    isTerminal: process.stderr.isTTY === true,
    write: (line) => lines.write(line),
  });
  process.once("exit", () => lines.flush());
  const { version, clock } = options;
  const tls = config.tls && (await TlsFiles.open(config.tls));
  const audit = config.audit && (await openAudit(config.audit, { clock, log }));
  let indexer: IndexerProcess | undefined;
  const onHint = () => indexer?.wake();
  const engine = await options.openEngine({ ...config.engine, log, onHint });
  const tracing = config.tracing && tracingOf(config.tracing, { clock, log, version });
  let keys: OpenedKeys;
  let server: HttpServer;
  let address: string;
  const sites = await openPages(config, log);
  try {
    keys = await options.openKeys(config, log);
    checkReach(config, keys.ring.isLocked);
    server = new HttpServer({
      config: config.http,
      engine,
      keys: keys.ring,
      keyMetrics: keys.metrics,
      audit,
      tls,
      sites,
      openapi: async () => {
        // Few ask for it, and it would be in memory.
        const { openapiDocument } = await import("../reference/openapi-document.ts");
        return openapiDocument(version);
      },
      clock,
      random: systemRandom,
      log,
      version,
      tracing,
    });
    address = await listen(server, config);
  } catch (error) {
    await engine.close();
    throw error;
  }
  const stopPolling = clock.every(KEY_POLL_MS, () => void keys.ring.tick());
  const { indexerFlags } = config;
  const onManifest = (namespace: NamespaceName) => engine.followManifest(namespace);
  indexer = indexerFlags && new IndexerProcess(indexerFlags, { clock, log, onManifest });
  indexer?.start();
  const { drainDelayMs } = config.http;
  stopOnSignal(options, { log, drainDelayMs }, async () => {
    try {
      await server.close();
      stopPolling();
      // When keys were last used may be missing; the server ends all the same.
      await keys.ring.flushUses().catch(() => {});
      await audit?.close();
      await Promise.all([engine.close(), tracing?.exporter.close()]);
    } finally {
      await indexer?.stop();
    }
  });
  const pages = sites.map(({ path }) => path);
  options.print(banner(config, { version, address, isLocked: keys.ring.isLocked, pages }));
  log("info", "listening", { address, version, store: storeName(config.engine.store) });
}

async function listen(server: HttpServer, config: ServerConfig): Promise<string> {
  try {
    return await server.listen();
  } catch (error) {
    throw explainListen(error as NodeJS.ErrnoException, config);
  }
}

function tracingOf(
  { url, sampleRate }: TracingConfig,
  {
    clock,
    log,
    version,
  }: { readonly clock: Clock; readonly log: HttpLog; readonly version: string },
) {
  const resource = { serviceName: "trawl", version };
  return { exporter: new SpanExporter({ send: postSpans(url), clock, log, resource }), sampleRate };
}

/**
 * First signal: continues to serve for the drain delay, finishes the requests in progress, then
 * exits with 0. Second signal: exits at once.
 */
function stopOnSignal(
  { clock, exit }: ServeOptions,
  { log, drainDelayMs }: { readonly log: HttpLog; readonly drainDelayMs: number },
  stop: () => Promise<void>,
): void {
  let firstMs: number | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    const nowMs = clock.monotonicMs();
    if (firstMs !== undefined) {
      if (nowMs - firstMs < SIGNAL_REPEAT_MS) return;
      log("warn", `${signal} again: exiting at once`);
      exit(130);
      return;
    }
    firstMs = nowMs;
    log("info", `${signal}: finishing the requests in progress`, { drainDelayMs });
    stop().then(
      () => {
        log("info", "stopped");
        exit(0);
      },
      (error: Error) => {
        log("error", "could not stop cleanly", { error: error.stack });
        exit(1);
      },
    );
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
}

function explainListen(error: NodeJS.ErrnoException, { http }: ServerConfig): Error {
  const at = `${http.host} port ${http.port}`;
  if (error.code === "EADDRINUSE") {
    return new Error(
      `${at} is in use by another program; choose another --port, or 0 for a free one`,
    );
  }
  return new Error(`cannot listen on ${at}: ${error.message}`, { cause: error });
}

/** The parts of the real process, apart from the engine. */
export function processOptions(version: string): Omit<ServeOptions, "openEngine" | "openKeys"> {
  return {
    version,
    clock: systemClock,
    print: (text) => process.stdout.write(text),
    exit: (code) => process.exit(code),
  };
}

/** Opens the audit. Throws `SettingFault` if its file cannot be written. */
async function openAudit(
  { path, hasWrites }: AuditConfig,
  { clock, log }: { readonly clock: Clock; readonly log: HttpLog },
): Promise<AuditLog> {
  const sink = path === undefined ? stdoutSink() : fileSink(path);
  try {
    await sink("");
  } catch (error) {
    throw new SettingFault(`--audit-log: cannot write ${path}: ${(error as Error).message}`);
  }
  return new AuditLog({ sink, clock, log, hasWrites });
}

function stdoutSink(): AuditSink {
  // Each write hears of its own fault. Unheard, one would end the server when a reader has left.
  process.stdout.on("error", () => {});
  return (text) =>
    new Promise((resolve, reject) => {
      process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
    });
}

/** The sites that the settings ask for; one that was not built is left out, and the log says so. */
async function openPages(
  { pages }: Pick<ServerConfig, "pages">,
  log: HttpLog,
): Promise<readonly PageSite[]> {
  const console = pages.hasConsole ? await openSite("console", log) : undefined;
  const docs = await openSite("docs", log, console === undefined ? withoutConsoleLink : undefined);
  return [
    // The console itself knows what its addresses mean.
    ...(console === undefined ? [] : [{ ...console, fallback: "index.html" }]),
    ...(docs === undefined ? [] : [docs]),
  ];
}

async function openSite(
  name: "console" | "docs",
  log: HttpLog,
  edit?: PageEdit,
): Promise<PageSite | undefined> {
  const folder = fileURLToPath(builtFile(name));
  const files = await PageFiles.open(folder, edit);
  if (files !== undefined) return { path: `/${name}`, files };
  log("warn", `/${name}/ is not served, since it is not built`, { folder });
  return undefined;
}
