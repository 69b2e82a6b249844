/** An open database of a program: engine, indexer and log, from the first call to the last. */

import type { EngineConfig } from "../api/config.ts";
import { DRAIN_MS_MAX, type Engine } from "../api/engine.ts";
import type { Clock } from "../base/clock.ts";
import { IndexerProcess } from "../cli/indexer-process.ts";
import type { ServerConfig } from "../cli/settings/server-config.ts";
import { BodyBudget } from "../http/bodies/body-budget.ts";
import type { HttpLog } from "../http/observability/request-log.ts";
import { WarningLog } from "../http/observability/warning-log.ts";
import { EngineCalls } from "./call-engine.ts";
import { LibraryNamespace } from "./library-namespace.ts";
import { listNamespaces } from "./namespace-list.ts";
import type { NamespacesParameters } from "./query-parameters.ts";
import type { CallOptions, Namespace, NamespaceList, Trawl } from "./trawl.ts";
import { TrawlError } from "./trawl-error.ts";

/** What a library is made of. */
export interface OpenLibraryOptions {
  readonly config: ServerConfig;
  readonly clock: Clock;
  readonly log: HttpLog;
  /** Writes the log's lines that wait. */
  readonly flushLog: () => void;
  /** Hears that a thread has crashed. */
  readonly onCrash: (error: Error) => void;
}

/** See `Trawl`. `open` comes first, and only once. */
export class OpenLibrary implements Trawl {
  readonly #options: OpenLibraryOptions;
  #calls: EngineCalls | undefined;
  #engine: Engine | undefined;
  #indexer: IndexerProcess | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: OpenLibraryOptions) {
    this.#options = options;
  }

  /** Starts the threads and the indexer; rejects if the store cannot be opened. */
  async open(openEngine: (config: EngineConfig) => Promise<Engine>): Promise<void> {
    const { config, clock, log, flushLog } = this.#options;
    const engine = await openEngine({
      ...config.engine,
      log,
      onHint: () => this.#indexer?.wake(),
      onCrash: (error) => this.#fail(error),
    });
    this.#engine = engine;
    this.#calls = new EngineCalls({
      engine,
      budget: new BodyBudget(config.http.bodyBytesInFlightMax),
      warnings: new WarningLog(log),
      isStrict: config.http.strict,
    });
    process.on("exit", flushLog);
    if (config.indexerFlags === undefined) return;
    this.#indexer = new IndexerProcess(config.indexerFlags, {
      clock,
      log,
      onManifest: (namespace) => engine.followManifest(namespace),
      // Flags such as --input-type are about the program's own code.
      nodeFlags: [],
    });
    this.#indexer.start();
  }

  namespace<Document = unknown>(name: string): Namespace<Document> {
    return new LibraryNamespace(name, this.#opened());
  }

  namespaces(parameters: NamespacesParameters = {}, options?: CallOptions): NamespaceList {
    return listNamespaces({ calls: this.#opened(), parameters, options });
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #end(): Promise<void> {
    const calls = this.#opened();
    calls.refuse(new TrawlError("this Trawl is closed; open it again", { status: 503 }));
    try {
      const waiting = new AbortController();
      const late = this.#options.clock.sleep(DRAIN_MS_MAX, waiting.signal).catch(() => {});
      await Promise.race([calls.settle(), late]);
      waiting.abort();
      await this.#engine?.close();
    } finally {
      calls.fail(new TrawlError("this Trawl was closed before the call ended", { status: 503 }));
      await this.#indexer?.stop();
      process.off("exit", this.#options.flushLog);
      this.#options.flushLog();
    }
  }

  #fail(cause: Error): void {
    const message =
      `a thread of Trawl has crashed: ${cause.message}; what was acknowledged is durable: close ` +
      "this Trawl, and open it again in a new process";
    this.#calls?.fail(new TrawlError(message, { status: 500, cause }));
    this.#options.onCrash(cause);
  }

  #opened(): EngineCalls {
    if (this.#calls === undefined) throw new Error("the library was not opened");
    return this.#calls;
  }
}
