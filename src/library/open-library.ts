/** An open database of a program: engine, indexer and log, from the first call to the last. */

import type { EngineConfig } from "../api/config.ts";
import { DRAIN_MS_MAX, type Engine } from "../api/engine.ts";
import type { Clock } from "../base/clock.ts";
import { waitAtMost } from "../base/within-time.ts";
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

/** See `Trawl`. */
export class OpenLibrary implements Trawl {
  readonly #options: OpenLibraryOptions;
  readonly #engine: Engine;
  readonly #calls: EngineCalls;
  readonly #indexer: IndexerProcess | undefined;
  #closing: Promise<void> | undefined;

  private constructor(options: OpenLibraryOptions, engine: Engine, indexer?: IndexerProcess) {
    const { config, log } = options;
    this.#options = options;
    this.#engine = engine;
    this.#indexer = indexer;
    this.#calls = new EngineCalls({
      engine,
      budget: new BodyBudget(config.http.bodyBytesInFlightMax),
      warnings: new WarningLog(log),
      isStrict: config.http.strict,
    });
  }

  /** Starts the threads and the indexer; rejects if the store cannot be opened. */
  static async open(
    options: OpenLibraryOptions,
    openEngine: (config: EngineConfig) => Promise<Engine>,
  ): Promise<OpenLibrary> {
    const { config, clock, log, flushLog, onCrash } = options;
    let library: OpenLibrary | undefined;
    let indexer: IndexerProcess | undefined;
    const engine = await openEngine({
      ...config.engine,
      log,
      onHint: () => indexer?.wake(),
      onCrash: (error) => (library === undefined ? onCrash(error) : library.#fail(error)),
    });
    process.on("exit", flushLog);
    if (config.indexerFlags !== undefined) {
      const onManifest: Engine["followManifest"] = (namespace) => engine.followManifest(namespace);
      // Flags such as --input-type are about the program's own code.
      const indexing = { clock, log, onManifest, nodeFlags: [] };
      indexer = new IndexerProcess(config.indexerFlags, indexing);
      indexer.start();
    }
    library = new OpenLibrary(options, engine, indexer);
    return library;
  }

  namespace<Document = unknown>(name: string): Namespace<Document> {
    return new LibraryNamespace(name, this.#calls);
  }

  namespaces(parameters: NamespacesParameters = {}, options?: CallOptions): NamespaceList {
    return listNamespaces({ calls: this.#calls, parameters, options });
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #end(): Promise<void> {
    const calls = this.#calls;
    calls.refuse(new TrawlError("this Trawl is closed; open it again", { status: 503 }));
    try {
      await waitAtMost(this.#options.clock, calls.settle(), DRAIN_MS_MAX);
      await this.#engine.close();
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
    this.#calls.fail(new TrawlError(message, { status: 500, cause }));
    this.#options.onCrash(cause);
  }
}
