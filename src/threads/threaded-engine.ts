/**
 * The engine on the main thread: hands requests to the write thread or to a query thread and their
 * answers back. It parses nothing, so that it is free to accept the next request.
 */

import type { EngineLog } from "../api/config.ts";
import type {
  Engine,
  EngineAnswer,
  EngineMetric,
  EngineRequest,
  EngineStatus,
} from "../api/engine.ts";
import { errorAnswer } from "../api/error-answer.ts";
import { acceptedAnswer, operationAnswer } from "../api/operation-answer.ts";
import { OperationRegistry } from "../api/operation-registry.ts";
import type { Clock } from "../base/clock.ts";
import { DatabaseError, type ErrorCode } from "../base/errors.ts";
import type { NamespaceName } from "../base/ids.ts";
import {
  DRAIN_MS_MAX,
  IDLE_SWEEP_MS,
  OPERATION_SYNCHRONOUS_MS,
  QUERIES_IN_FLIGHT_MAX,
  QUERY_BODY_BYTES_MAX,
  QUERY_OPENINGS_MAX,
  QUERY_SLOT_WAIT_MS_MAX,
} from "../base/limits.ts";
import type { Random } from "../base/random.ts";
import type { FromCacheThread } from "../engine/cache-thread.ts";
import type { NamespaceInstance } from "../namespace/published-state.ts";
import {
  type DispatchedQuery,
  QueryDispatcher,
  type Verification,
} from "./query/query-dispatcher.ts";
import type {
  FromQueryThread,
  FromWriteThread,
  QueryOperation,
  ToQueryThread,
  ToWriteThread,
} from "./thread-messages.ts";
import type { ThreadPort } from "./thread-port.ts";
import { WriteCalls } from "./write/write-calls.ts";

/** What the engine is made of. */
export interface EngineParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: EngineLog;
  /** Others may write to the store at the same time. */
  readonly isShared: boolean;
  readonly writeThread: ThreadPort<ToWriteThread, FromWriteThread>;
  readonly queryThreads: readonly ThreadPort<ToQueryThread, FromQueryThread>[];
  /** The other threads talk to it by themselves. */
  readonly cacheThread: ThreadPort<never, FromCacheThread>;
}

/** The database, spread over threads. */
export class ThreadedEngine implements Engine {
  readonly #parts: EngineParts;
  readonly #writes: WriteCalls;
  readonly #queries: QueryDispatcher;
  readonly #operations: OperationRegistry;
  #cacheMetrics: readonly EngineMetric[] = [];
  readonly #cacheFailed = Promise.withResolvers<never>();
  /** Namespaces that queries have asked for lately. */
  readonly #queried = new Set<NamespaceName>();
  #closing = false;
  #queriesInFlight = 0;
  #queriesDone: () => void = () => {};

  constructor(parts: EngineParts) {
    this.#parts = parts;
    this.#operations = new OperationRegistry(parts.clock, parts.random);
    parts.clock.every(IDLE_SWEEP_MS, () => this.#tellUsed());
    this.#queries = new QueryDispatcher({
      clock: parts.clock,
      log: parts.log,
      threads: parts.queryThreads,
      release: (instance, version) => this.#writes.release(instance, version),
      ...(parts.isShared && { verify: (name, instance) => this.#verify(name, instance) }),
    });
    parts.cacheThread.listen((message) => {
      if (message.kind === "metrics") this.#cacheMetrics = message.metrics;
      else if (message.kind === "log") parts.log(message.level, message.message, message.facts);
      else this.#failCache(message);
    });
    this.#cacheFailed.promise.catch(() => {}); // Heard of where somebody waits.
    this.#writes = new WriteCalls(parts.writeThread, {
      arena: (message) => this.#queries.addArena(message),
      publish: (namespace, deltas, state) => this.#queries.publish(namespace, deltas, state),
      log: parts.log,
    });
  }

  /** Resolves when the write thread has taken hold of the data directory. */
  ready(): Promise<void> {
    return Promise.race([this.#writes.ready(), this.#cacheFailed.promise]);
  }

  async handle(request: EngineRequest): Promise<EngineAnswer> {
    try {
      if (this.#closing) throw new DatabaseError("unavailable", "this server is shutting down");
      switch (request.operation) {
        case "query":
        case "explain":
        case "recall":
        case "export_documents":
          return await this.#query(request.operation, request);
        case "poll_operation":
          return this.#poll(request);
        default:
          return await this.#write(request);
      }
    } catch (error) {
      return this.#failure(request, error);
    }
  }

  status(): EngineStatus {
    return this.#closing ? { ready: false, reason: "shutting down" } : this.#writes.status();
  }

  metrics(): readonly EngineMetric[] {
    return [...this.#writes.metrics(), ...this.#queries.metrics(), ...this.#cacheMetrics];
  }

  async close(): Promise<void> {
    this.#closing = true;
    // Queries first: they may still need the write thread to open their namespace.
    if (this.#queriesInFlight > 0) {
      const done = new Promise<void>((resolve) => {
        this.#queriesDone = resolve;
      });
      await Promise.race([done, this.#parts.clock.sleep(DRAIN_MS_MAX)]);
    }
    await this.#writes.close();
    await Promise.all(this.#parts.queryThreads.map((thread) => thread.terminate()));
    await this.#parts.writeThread.terminate();
    await this.#parts.cacheThread.terminate();
  }

  /** Ends the threads of an engine that could not start. */
  async abandon(): Promise<void> {
    const { writeThread, queryThreads, cacheThread } = this.#parts;
    const threads = [writeThread, ...queryThreads, cacheThread];
    await Promise.all(threads.map((thread) => thread.terminate()));
  }

  /** Nobody would answer the threads that read; so the start fails, or else the process ends. */
  #failCache({ code, message }: Extract<FromCacheThread, { kind: "failed" }>): void {
    const error = new DatabaseError(code as ErrorCode, message);
    this.#cacheFailed.reject(error);
    if (this.#writes.status().ready) throw error;
  }

  async #query(operation: QueryOperation, request: EngineRequest): Promise<EngineAnswer> {
    const namespace = namespaceOf(request);
    this.#queried.add(namespace);
    const body = await collectBody(request);
    if (this.#queriesInFlight >= QUERIES_IN_FLIGHT_MAX) {
      throw new DatabaseError(
        "overloaded",
        `💔 too many queries: ${QUERIES_IN_FLIGHT_MAX} are running on this server; retry later`,
        { retryAfterMs: QUERY_SLOT_WAIT_MS_MAX },
      );
    }
    this.#queriesInFlight++;
    const { parameters } = request;
    const answer = this.#dispatch({ operation, namespace, parameters, body }, request)
      .catch((error: unknown) => this.#failure(request, error))
      .finally(() => {
        this.#queriesInFlight--;
        if (this.#queriesInFlight === 0) this.#queriesDone();
      });
    return operation === "recall" ? this.#perhapsLater(request, answer) : answer;
  }

  /** Opens the namespace where it is not, and again where it is closed before the query's turn. */
  async #dispatch(first: DispatchedQuery, request: EngineRequest): Promise<EngineAnswer> {
    const { namespace } = first;
    let query = first;
    for (let tried = 0; tried < QUERY_OPENINGS_MAX; tried++) {
      if (this.#queries.state(namespace) === undefined || query.wasClosed) {
        const opened = await this.#writes.call("open", { ...request, namespace }).answer;
        if (opened.status !== 200) return opened;
      }
      const outcome = await this.#queries.run(query);
      if (outcome.kind === "answered") return outcome.answer;
      if (outcome.kind === "missing") {
        const refreshed = await this.#writes.call("refresh", { ...request, namespace }).answer;
        if (refreshed.status !== 200) return refreshed;
      }
      query = outcome.query;
    }
    throw new DatabaseError(
      "unavailable",
      `namespace '${namespace}' was closed ${QUERY_OPENINGS_MAX} times before this query could run`,
    );
  }

  async #verify(namespace: NamespaceName, instance: NamespaceInstance): Promise<Verification> {
    const answer = await this.#writes.call("verify", {
      namespace,
      parameters: { instance },
      apiVersion: "v2",
      signal: new AbortController().signal,
    }).answer;
    if (answer.status === 200) return { kind: "current" };
    return answer.status === 409 ? { kind: "behind" } : { kind: "failed", answer };
  }

  async #write(request: EngineRequest): Promise<EngineAnswer> {
    const call = this.#writes.call(request.operation, request);
    const long = await Promise.race([call.answer.then(() => false), call.long.then(() => true)]);
    return long ? this.#perhapsLater(request, call.answer, call.onProgress) : call.answer;
  }

  /** Answers 202 with a token if the client allows that and the answer takes its time. */
  async #perhapsLater(
    request: EngineRequest,
    answer: Promise<EngineAnswer>,
    onProgress?: (listener: (text: string) => void) => void,
  ): Promise<EngineAnswer> {
    if (!request.respondAsync) return answer;
    const namespace = namespaceOf(request);
    const slow = this.#parts.clock.sleep(OPERATION_SYNCHRONOUS_MS).then(() => undefined);
    const soon = await Promise.race([answer, slow]);
    if (soon !== undefined) return soon;
    const token = this.#operations.start(namespace, answer);
    if (token === undefined) return answer;
    onProgress?.((text) => this.#operations.progress(token, text));
    return acceptedAnswer(namespace, token);
  }

  /** The write thread closes what nobody uses, and hears nothing of queries otherwise. */
  #tellUsed(): void {
    if (this.#queried.size === 0) return;
    this.#writes.used([...this.#queried]);
    this.#queried.clear();
  }

  #failure(request: EngineRequest, error: unknown): EngineAnswer {
    if (!(error instanceof DatabaseError)) {
      const stack = error instanceof Error ? error.stack : String(error);
      this.#parts.log("error", `request failed by a bug: ${request.operation}`, { stack });
    }
    return errorAnswer(error);
  }

  #poll(request: EngineRequest): EngineAnswer {
    const { token = "" } = request.parameters;
    const state = this.#operations.state(namespaceOf(request), token);
    if (state === undefined) {
      throw new DatabaseError(
        "not_found",
        `🤷 operation '${token}' was not found; results are kept for one hour`,
      );
    }
    return operationAnswer(state);
  }
}

function namespaceOf(request: EngineRequest): NamespaceName {
  if (request.namespace === undefined) throw new Error(`${request.operation} without namespace`);
  return request.namespace;
}

/** Reads a whole body of bounded size. */
async function collectBody(request: EngineRequest): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.length;
    if (bytes > QUERY_BODY_BYTES_MAX) {
      throw new DatabaseError(
        "too_large",
        `💔 request body is over the limit of ${QUERY_BODY_BYTES_MAX} bytes`,
      );
    }
    chunks.push(chunk);
  }
  const body = new Uint8Array(bytes);
  let offset = 0;
  for (const chunk of chunks) {
    body.set(chunk, offset);
    offset += chunk.length;
  }
  return body;
}
