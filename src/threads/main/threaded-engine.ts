/**
 * The engine on the main thread: hands requests to the write thread or to a query thread and their
 * answers back. But for queries that are shorter than that takes (`query/own-queries.ts`), it
 * parses nothing, so that it is free to accept the next request.
 */

import type {
  Engine,
  EngineMetric,
  EngineRequest,
  EngineStatus,
  HttpAnswer,
  OperationName,
} from "../../api/engine.ts";
import { DRAIN_MS_MAX } from "../../api/engine.ts";
import { errorAnswer } from "../../api/error-answer.ts";
import { acceptedAnswer, operationAnswer, startedAnswer } from "../../api/operation-answer.ts";
import { OperationRegistry } from "../../api/operation-registry.ts";
import type { Clock } from "../../base/clock.ts";
import { DatabaseError, receivedError } from "../../base/errors.ts";
import type { NamespaceName } from "../../base/ids.ts";
import type { Random } from "../../base/random.ts";
import type { StructuredLog } from "../../base/structured-log.ts";
import { QUERY_BODY_BYTES_MAX } from "../../model/contract-limits.ts";
import { EVERY_NAMESPACE } from "../../model/namespace-pattern.ts";
import type { NamespaceInstance } from "../../namespace/published-state.ts";
import { THRESHOLDS } from "../../namespace/thresholds.ts";
import type { FromCacheThread } from "../cache/cache-thread.ts";
import type { LargeRequests } from "../large-requests.ts";
import type { OwnQueries } from "../query/own-queries.ts";
import { QueryAdmission } from "../query/query-admission.ts";
import type { ArrivedQuery, DispatchedQuery, Verification } from "../query/query-call.ts";
import { QueryDeadlines } from "../query/query-deadlines.ts";
import { QueryDispatcher } from "../query/query-dispatcher.ts";
import { RecallSampler, type RecallSamplerOptions } from "../query/recall-sampler.ts";
import { IndexDebt } from "../query/snapshots/index-debt.ts";
import type { ThreadLoads } from "../query/thread-loads.ts";
import type {
  FromQueryThread,
  FromWriteThread,
  QueryOperation,
  ToQueryThread,
  ToWriteThread,
} from "../thread-messages.ts";
import { IDLE_SWEEP_MS } from "../thread-messages.ts";
import type { ThreadPort } from "../thread-port.ts";
import { WriteCalls, type WriteThreadListener } from "../write/write-calls.ts";

/** How long a request that may be answered asynchronously is given to finish first; our choice. */
export const OPERATION_SYNCHRONOUS_MS = 2_000;
/** Openings of a namespace that one query waits for while faults close it again; our choice. */
export const QUERY_OPENINGS_MAX = 5;
const OPENING = "its namespace to be read from the object store";

/** What the engine is made of. */
export interface EngineOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: StructuredLog;
  /** Others may write to the store at the same time. */
  readonly isShared: boolean;
  readonly writeThread: ThreadPort<ToWriteThread, FromWriteThread>;
  readonly queryThreads: readonly ThreadPort<ToQueryThread, FromQueryThread>[];
  /** Milliseconds that a query may take, waits included; see `--query-timeout`. */
  readonly queryTimeoutMs: number;
  /** Bytes of large bodies of queries that are being answered; absent: all that come. */
  readonly queryBodyBytesMax?: number;
  /** Query threads draw rankings whose recall is to be measured. */
  readonly samplesRecall?: boolean;
  /** Metrics of embedding models. */
  readonly modelMetrics?: () => readonly EngineMetric[];
  /** Queries that the main thread answers itself; absent: none. */
  readonly ownQueries?: OwnQueries | undefined;
  /** Of the query threads, which see it, too. */
  readonly queryLoads: ThreadLoads;
  /** Of all threads; absent: none of them collects. */
  readonly largeRequests?: LargeRequests;
  /** The other threads talk to it by themselves. */
  readonly cacheThread: ThreadPort<never, FromCacheThread>;
  /** Hears that the write thread has put a hint for indexers. */
  readonly onHint?: (() => void) | undefined;
  /** Hears that the cache thread has failed; absent: it is thrown. */
  readonly onCrash?: (error: Error) => void;
  /** Called when all threads have ended. */
  readonly onEnd?: () => Promise<void>;
}

/** The database, spread over threads. */
export class ThreadedEngine implements Engine {
  readonly #options: EngineOptions;
  readonly #writes: WriteCalls;
  readonly #queries: QueryDispatcher;
  readonly #deadlines: QueryDeadlines;
  readonly #recall: RecallSampler | undefined;
  readonly #operations: OperationRegistry;
  readonly #admission: QueryAdmission;
  readonly #debt: IndexDebt;
  #cacheMetrics: readonly EngineMetric[] = [];
  readonly #cacheFailed = Promise.withResolvers<never>();
  readonly #lost = Promise.withResolvers<never>();
  #isWhole = true;
  /** Namespaces that queries have asked for lately. */
  readonly #queried = new Set<NamespaceName>();
  #closing = false;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#operations = new OperationRegistry(options.clock, options.random);
    this.#debt = new IndexDebt(options.clock, THRESHOLDS);
    this.#admission = new QueryAdmission(options.clock, options.queryBodyBytesMax);
    options.clock.every(IDLE_SWEEP_MS, () => this.#notifyUsed());
    if (options.samplesRecall) {
      const measure: RecallSamplerOptions["measure"] = (...asked) =>
        this.#queries.measure(...asked);
      this.#recall = new RecallSampler({ clock: options.clock, measure });
    }
    this.#deadlines = new QueryDeadlines(options.clock, options.queryTimeoutMs);
    this.#queries = new QueryDispatcher({
      clock: options.clock,
      log: options.log,
      deadlines: this.#deadlines,
      admission: this.#admission,
      threads: options.queryThreads,
      loads: options.queryLoads,
      own: options.ownQueries,
      sampled: (sample) => this.#recall?.add(sample),
      release: (instance, version) => this.#writes.release(instance, version),
      ...(options.isShared && { verify: (...asked) => this.#verify(...asked) }),
    });
    options.cacheThread.listen((message) => {
      if (message.kind === "metrics") this.#cacheMetrics = message.metrics;
      else if (message.kind === "log") options.log(message.level, message.message, message.facts);
      else this.#failCache(receivedError(message.error));
    });
    // Heard of where somebody waits.
    this.#cacheFailed.promise.catch(() => {});
    this.#lost.promise.catch(() => {});
    const listener: WriteThreadListener = {
      arena: (message) => this.#queries.addArena(message),
      publish: (namespace, deltas, state) => {
        this.#debt.note(state);
        this.#queries.publish(namespace, deltas, state);
      },
      log: options.log,
      hinted: () => options.onHint?.(),
    };
    const times = { clock: options.clock, readMs: options.queryTimeoutMs };
    this.#writes = new WriteCalls(options.writeThread, listener, times);
  }

  /** Resolves when the write thread has taken hold of the data directory. */
  ready(): Promise<void> {
    return Promise.race([this.#writes.ready(), this.#cacheFailed.promise, this.#lost.promise]);
  }

  async handle(request: EngineRequest): Promise<HttpAnswer> {
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
        case "start_copy":
          return await this.#startCopy(request);
        default:
          return await this.#write(request);
      }
    } catch (error) {
      return this.#failure(request, error);
    }
  }

  stopQueries(): void {
    this.#recall?.stop();
    this.#queries.stop();
  }

  status(): EngineStatus {
    return this.#closing ? { ready: false, reason: "shutting down" } : this.#writes.status();
  }

  followManifest(namespace: NamespaceName): void {
    this.#writes.followManifest(namespace);
  }

  noteBytes(bytes: number): void {
    this.#options.largeRequests?.note(bytes);
  }

  metrics(): readonly EngineMetric[] {
    return [
      ...this.#writes.metrics(),
      ...this.#queries.metrics(),
      ...(this.#recall?.metrics() ?? []),
      ...this.#cacheMetrics,
      ...this.#debt.metrics(),
      ...(this.#options.modelMetrics?.() ?? []),
    ];
  }

  /**
   * A thread has crashed. What it had to answer stays without an answer, and nothing that needs it
   * may be asked any more; `close` waits for nothing that it would have to do.
   */
  lose(thread: "write" | "other", error: Error): void {
    this.#isWhole = false;
    if (thread === "write") this.#writes.lose();
    this.#lost.reject(error);
  }

  async close(): Promise<void> {
    this.#closing = true;
    this.#recall?.stop();
    // Queries first: they may still need the write thread to open their namespace.
    if (this.#isWhole && !this.#admission.isIdle) {
      await Promise.race([this.#admission.drained(), this.#options.clock.sleep(DRAIN_MS_MAX)]);
    }
    await this.#writes.close();
    await this.abandon();
  }

  /** Ends the threads; alone, of an engine that could not start. */
  async abandon(): Promise<void> {
    const { writeThread, queryThreads, cacheThread, ownQueries } = this.#options;
    const threads = [writeThread, ...queryThreads, cacheThread];
    await Promise.all(threads.map((thread) => thread.terminate()));
    await ownQueries?.port.terminate();
    await this.#options.onEnd?.();
  }

  /** Without this thread no read is answered: the start fails, or it is as after a crash. */
  #failCache(error: DatabaseError): void {
    this.#cacheFailed.reject(error);
    if (!this.#writes.status().ready) return;
    const { onCrash } = this.#options;
    if (onCrash === undefined) throw error;
    onCrash(error);
  }

  async #query(operation: QueryOperation, request: EngineRequest): Promise<HttpAnswer> {
    const namespace = namespaceOf(request);
    this.#queried.add(namespace);
    const body = await collectBody(request);
    const { parameters, isStrict, key, detailsMs, tracedAtMs, scope } = request;
    // What is answered later goes on when the client has left, and for as long as it takes.
    const isJob = operation === "recall" && request.respondAsync;
    const asked = { operation, namespace, parameters, forcedFilter: scope?.forcedFilter };
    const arrivedMs = request.arrivedMs ?? this.#options.clock.monotonicMs();
    const ending = isJob ? { isJob, arrivedMs } : { signal: request.signal, arrivedMs };
    const query = { ...asked, key, isStrict, body, detailsMs, tracedAtMs, ...ending };
    // The body moves to the thread: its length is read first.
    const entering = { bodyBytes: body.length, signal: query.signal };
    const answer = this.#admission
      .enter(entering, () => this.#dispatch(query, request))
      .catch((error: unknown) => this.#failure(request, error));
    return operation === "recall" ? this.#perhapsLater(request, answer) : answer;
  }

  /** Opens the namespace where it is not, and again where it is closed before the query's turn. */
  async #dispatch(first: ArrivedQuery, request: EngineRequest): Promise<HttpAnswer> {
    const { namespace } = first;
    const visible = request.scope?.visible ?? [EVERY_NAMESPACE];
    const ask = (kind: "open" | "refresh") => {
      const asked = this.#writes.ask({ kind, namespace, visible });
      return this.#deadlines.during(first, asked, OPENING);
    };
    let query: DispatchedQuery = first;
    let isOpen = this.#queries.state(namespace) !== undefined;
    for (let tried = 0; tried < QUERY_OPENINGS_MAX; tried++) {
      if (!isOpen) await ask("open");
      const outcome = await this.#queries.run(query);
      if (outcome.kind === "answered") return outcome.answer;
      if (outcome.kind === "missing") await ask("refresh");
      query = outcome.query;
      isOpen = outcome.kind !== "closed" && this.#queries.state(namespace) !== undefined;
    }
    throw new DatabaseError(
      "unavailable",
      `namespace '${namespace}' was closed ${QUERY_OPENINGS_MAX} times before this query could run`,
    );
  }

  async #verify(
    namespace: NamespaceName,
    instance: NamespaceInstance,
    stalenessMsMax: number,
  ): Promise<Verification> {
    try {
      const asked = { kind: "verify", namespace, instance, stalenessMsMax } as const;
      const state = await this.#writes.ask(asked);
      return state === undefined ? { kind: "closed" } : { kind: "verified", state };
    } catch (error) {
      return { kind: "failed", answer: errorAnswer(error) };
    }
  }

  async #write(request: EngineRequest): Promise<HttpAnswer> {
    const call = this.#writes.call(request);
    const effects = await Promise.race([call.answer.then(() => undefined), call.long]);
    if (effects === undefined) return call.answer;
    const answer = await this.#perhapsLater(request, call.answer, call.onProgress);
    // What was started is told as what is done, with another status.
    return answer.status === 202 ? { ...answer, effects } : answer;
  }

  /** Answers with a token as soon as the copy runs, or with what is wrong with the request. */
  async #startCopy(request: EngineRequest): Promise<HttpAnswer> {
    if (this.#operations.isFull) {
      throw new DatabaseError(
        "overloaded",
        "💔 too many asynchronous operations: their results are kept for one hour; retry later",
      );
    }
    const call = this.#writes.call(request);
    const effects = await Promise.race([call.answer.then(() => undefined), call.long]);
    const token = effects && this.#start("start_copy", namespaceOf(request), call.answer);
    if (effects === undefined || token === undefined) return call.answer;
    call.onProgress((text) => this.#operations.progress(token, text));
    return { ...startedAnswer(token), effects };
  }

  /** Follows an operation under a token; why it fails is logged where the client may not read it. */
  #start(
    operation: OperationName,
    namespace: NamespaceName,
    answer: Promise<HttpAnswer>,
  ): string | undefined {
    const token = this.#operations.start(namespace, answer);
    if (token === undefined) return undefined;
    void answer.then(({ reason }) => {
      if (reason === undefined) return;
      const facts = { operation, namespace, token, reason };
      this.#options.log("error", "an operation that was started has failed", facts);
    });
    return token;
  }

  /** Answers 202 with a token if the client allows that and the answer takes its time. */
  async #perhapsLater(
    request: EngineRequest,
    answer: Promise<HttpAnswer>,
    onProgress?: (listener: (text: string) => void) => void,
  ): Promise<HttpAnswer> {
    if (!request.respondAsync) return answer;
    const namespace = namespaceOf(request);
    const slow = this.#options.clock.sleep(OPERATION_SYNCHRONOUS_MS).then(() => undefined);
    const soon = await Promise.race([answer, slow]);
    if (soon !== undefined) return soon;
    const token = this.#start(request.operation, namespace, answer);
    if (token === undefined) return answer;
    onProgress?.((text) => this.#operations.progress(token, text));
    return acceptedAnswer(namespace, token);
  }

  /** The write thread closes unused namespaces, and learns of queries by this message alone. */
  #notifyUsed(): void {
    if (this.#queried.size === 0) return;
    this.#writes.used([...this.#queried]);
    this.#queried.clear();
  }

  #failure(request: EngineRequest, error: unknown): HttpAnswer {
    if (!(error instanceof DatabaseError)) {
      const stack = error instanceof Error ? error.stack : String(error);
      this.#options.log("error", `request failed by a bug: ${request.operation}`, { stack });
    }
    return errorAnswer(error);
  }

  #poll(request: EngineRequest): HttpAnswer {
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
