/**
 * A query thread's work: keeps a replica of each namespace that it was asked about, and answers
 * queries over it. A query sees one snapshot (docs/consistency.md, promise 5), also where others
 * have their turn (`query-turns.ts`) or it waits for bytes of stored segments in between
 * (`query/executor/run-on-snapshot.ts`).
 */

import type { Transferable } from "node:worker_threads";
import { type AnswerTimes, type HttpAnswer, jsonAnswer } from "../../api/engine.ts";
import { errorAnswer } from "../../api/error-answer.ts";
import { warnedAnswer } from "../../api/warned-answer.ts";
import { KIB } from "../../base/byte-sizes.ts";
import type { Clock } from "../../base/clock.ts";
import { DatabaseError, isDatabaseError } from "../../base/errors.ts";
import type { NamespaceName } from "../../base/ids.ts";
import { MemoryPool } from "../../base/memory-pool.ts";
import { type Random, seededRandom } from "../../base/random.ts";
import { runSteps, type Steps } from "../../base/steps.ts";
import type { ResidentRanges, RunStats } from "../../cache/resident-ranges.ts";
import type { EmbeddingProvider } from "../../embed/embedding-provider.ts";
import type { RerankProvider } from "../../embed/rerank-provider.ts";
import type { ArenaKernels } from "../../kernel/arena-kernels.ts";
import type { QueryRequest } from "../../model/query.ts";
import type { QueryResult } from "../../model/query-result.ts";
import type { EmbeddingStats, QueryPerformance } from "../../model/request-stats.ts";
import type { NamespaceInstance } from "../../namespace/published-state.ts";
import type { Thresholds } from "../../namespace/thresholds.ts";
import { UNINDEXED_RETRY_MS } from "../../namespace/thresholds.ts";
import { checkRerank } from "../../query/bind/check-rerank.ts";
import { embedTexts, withEmbeddings } from "../../query/bind/embed-query.ts";
import type { DivisionLimits } from "../../query/executor/division.ts";
import { measureRecall } from "../../query/executor/measure-recall.ts";
import {
  type QueryAttempt,
  type QuerySource,
  runOnSnapshot,
} from "../../query/executor/run-on-snapshot.ts";
import {
  analyzeRequest,
  explainRequest,
  type RequestOutcome,
  runRequest,
} from "../../query/executor/run-request.ts";
import { indexState } from "../../query/index-state.ts";
import { explainReads } from "../../query/plan/explain-work.ts";
import { querySlots } from "../../query/plan/query-weight.ts";
import { QueryMemory } from "../../query/query-memory.ts";
import type { Probing, QueryOptions } from "../../query/query-options.ts";
import { rerankCandidates, rerankedResult } from "../../query/score/rerank-results.ts";
import type { Snapshot } from "../../query/snapshot.ts";
import type { QueryStats } from "../../query/work-stats.ts";
import { SegmentMissing } from "../../segment/format/segment-missing.ts";
import type { AddedSegment } from "../../segment/memtable/memtable-delta.ts";
import { type OpenSegment, openSegment } from "../../segment/segment-reader.ts";
import { openStoredSegment } from "../../segment/stored-segment-reader.ts";
import { encodeQueryAnswer, type QueryAnswer } from "../../wire/answers/query-answer.ts";
import { encodeExplainAnswer, encodeRecallAnswer } from "../../wire/answers/service-answers.ts";
import { UnknownMembers } from "../../wire/json/unknown-members.ts";
import { parseExplainBody, parseQueryBody } from "../../wire/query/parse-query.ts";
import { parseRecallBody } from "../../wire/query/parse-recall.ts";
import { billedQueryBytes } from "../../write/resolve/write-billing.ts";
import type {
  FromQueryThread,
  NamespaceUpdate,
  RecallOutcome,
  RecallSample,
  ToQueryThread,
} from "../thread-messages.ts";
import { drawSamples } from "./draw-samples.ts";
import { exportPage } from "./export-page.ts";
import { NamespaceReplica } from "./namespace-replica.ts";
import { QueryDivision } from "./query-division.ts";
import { QueryLife } from "./query-life.ts";
import { QueryTurns, type TurnStats } from "./query-turns.ts";
import type { ReadAhead } from "./read-ahead.ts";
import { takeParts } from "./take-parts.ts";
import type { ThreadLoads } from "./thread-loads.ts";

/** The instance was retired while the query waited for its texts, its slots, or bytes. */
class NamespaceClosed extends Error {}

/** The message that asks for a query. */
type QueryMessage = Extract<ToQueryThread, { kind: "query" }>;
type MeasureMessage = Extract<ToQueryThread, { kind: "measure" }>;
type HelpMessage = Extract<ToQueryThread, { kind: "help" }>;
type Admission = Extract<ToQueryThread, { kind: "admitted" | "refused" }>;

/** A request without texts that wait to be embedded. */
interface PreparedQuery {
  readonly request: QueryRequest;
  readonly embeddingStats: EmbeddingStats | undefined;
}

/** What a query thread is made of. */
export interface QueryServiceOptions {
  readonly kernels: ArenaKernels;
  /** How far ANN searches walk; for tests. */
  readonly probing?: Probing | undefined;
  readonly embedding: EmbeddingProvider;
  readonly reranking: RerankProvider;
  readonly clock: Clock;
  readonly random: Random;
  readonly reads: Pick<
    ResidentRanges,
    "sourceOf" | "run" | "runCounted" | "touches" | "addTouches"
  >;
  /** Bytes of vectors that an exact scan may ask for at a time. */
  readonly scanBytesMax: number;
  readonly thresholds: Pick<Thresholds, "unindexedBytesMax">;
  /** Heap that all queries of the thread may take for what they find. */
  readonly queryBytesMax: number;
  /** After so many milliseconds a query is ended, waiting included. */
  readonly timeoutMs: number;
  /** Hears of cold queries; absent: nothing is read ahead. */
  readonly readAhead?: Pick<ReadAhead, "add"> | undefined;
  /** Share of ANN rankings that are drawn, to measure their recall. Absent: none is. */
  readonly recallSampleRate?: number | undefined;
  /** What all query threads have to do, this one included. */
  readonly loads: Pick<ThreadLoads, "idleCount">;
  /** When plans are divided; for tests. */
  readonly divisionLimits?: DivisionLimits | undefined;
  post(message: FromQueryThread): void;
  /** Sends at once, in the middle of a query; `transfer` moves. */
  postNow(message: FromQueryThread, transfer: readonly Transferable[]): void;
  /** Resolves when messages that have arrived were heard. */
  nextTurn(): Promise<void>;
}

/** Work of one query thread since its start. */
export interface QueryServiceStats {
  readonly queries: number;
  readonly documentsScanned: number;
  readonly postingsTouched: number;
  readonly vectorsScored: number;
  readonly clustersProbed: number;
  readonly codesScanned: number;
  readonly candidatesReranked: number;
  readonly candidatesSkipped: number;
  /** Plans that were offered to other threads in parts. */
  readonly divided: number;
  /** Parts of other threads' plans. */
  readonly helped: number;
  /** Queries that were ended before they were done, by how. */
  readonly cancelled: number;
  readonly timedOut: number;
  /** Milliseconds that queries have worked, and that they have waited, for whatever it was. */
  readonly workedMs: number;
  readonly waitedMs: number;
}

/** Bodies up to this long are read in less than a millisecond. */
const SHORT_BODY_BYTES = 16 * KIB;
/** Longer bodies are not sampled, which bounds what samples that wait take. */
const SAMPLED_BODY_BYTES_MAX = 64 * KIB;
/** How often running queries are looked at, whether they have taken too long; in milliseconds. */
const TIMEOUT_SWEEP_MS = 50;

/** All that one query thread does. */
export class QueryService {
  readonly #options: QueryServiceOptions;
  readonly #replicas = new Map<NamespaceInstance, NamespaceReplica>();
  readonly #turns: QueryTurns;
  readonly #pool: MemoryPool;
  /** Running queries by their calls. */
  readonly #lives = new Map<number, QueryLife>();
  #stopSweeping: (() => void) | undefined;
  readonly #admissions = new Map<number, (message: Admission) => void>();
  readonly #stats: { -readonly [K in keyof QueryServiceStats]: number } = {
    queries: 0,
    documentsScanned: 0,
    postingsTouched: 0,
    vectorsScored: 0,
    clustersProbed: 0,
    codesScanned: 0,
    candidatesReranked: 0,
    candidatesSkipped: 0,
    divided: 0,
    helped: 0,
    cancelled: 0,
    timedOut: 0,
    workedMs: 0,
    waitedMs: 0,
  };

  constructor(options: QueryServiceOptions) {
    this.#options = options;
    this.#turns = new QueryTurns(options);
    this.#pool = new MemoryPool(options.queryBytesMax);
  }

  /** Slices so far. */
  get turnStats(): Readonly<TurnStats> {
    return this.#turns.stats;
  }

  /** Work done so far. */
  get stats(): QueryServiceStats {
    return this.#stats;
  }

  /** Takes a message from the main thread. */
  onMessage(message: ToQueryThread): void {
    switch (message.kind) {
      case "arena":
        this.#options.kernels.attach(message.index, message.memory);
        return;
      case "update":
        this.#update(message.update);
        return;
      case "query":
        if (message.update !== undefined) this.#update(message.update);
        void this.#answer(message);
        return;
      case "help":
        if (message.update !== undefined) this.#update(message.update);
        void this.#help(message);
        return;
      case "measure":
        if (message.update !== undefined) this.#update(message.update);
        void this.#measure(message);
        return;
      case "cancel":
        this.#cancel(message);
        return;
      case "admitted":
      case "refused":
        this.#admissions.get(message.call)?.(message);
        return;
    }
  }

  #cancel({ call, code, message }: Extract<ToQueryThread, { kind: "cancel" }>): void {
    const life = this.#lives.get(call);
    if (life === undefined) return;
    this.#stats.cancelled++;
    life.end(new DatabaseError(code, message));
  }

  #update(update: NamespaceUpdate): void {
    const { instance, retired } = update.state;
    const replica = this.#replicas.get(instance);
    if (replica === undefined) this.#replicas.set(instance, this.#newReplica(update));
    else replica.apply(update);
    if (retired) this.#replicas.delete(instance);
  }

  #newReplica(first: NamespaceUpdate): NamespaceReplica {
    return new NamespaceReplica(first, {
      open: (added) => this.#open(added),
      applied: (instance, version) => this.#options.post({ kind: "applied", instance, version }),
    });
  }

  /** Takes parts of another thread's query. */
  async #help({ offer, port }: HelpMessage): Promise<void> {
    const { kernels, reads, scanBytesMax, nextTurn } = this.#options;
    const replica = this.#replicas.get(offer.instance);
    const snapshot = replica?.snapshotAt(offer.version, offer.segments);
    if (replica !== undefined && snapshot !== undefined) {
      const release = replica.retain();
      const options = { kernels, reads, nextTurn, loadBytesMax: scanBytesMax };
      this.#stats.helped += await takeParts(offer, port, snapshot, options).finally(release);
    }
    port.close();
  }

  /** Runs a query over the newest state of its namespace. */
  #run<T>(
    replica: NamespaceReplica,
    life: QueryLife,
    query: (snapshot: Snapshot, options: QueryOptions) => Steps<T>,
  ) {
    const source: QuerySource = {
      snapshot: () => {
        if (replica.state.retired) throw new NamespaceClosed();
        return replica.snapshot();
      },
      scanBytesMax: this.#options.scanBytesMax,
      retain: () => replica.retain(),
      take: (steps) => this.#turns.run(steps, life),
      memory: life.memory,
    };
    return runOnSnapshot(source, this.#options.reads, (snapshot, attempt) =>
      query(snapshot, this.#queryOptions(replica, life, attempt)),
    );
  }

  async #answer(message: QueryMessage): Promise<void> {
    const { call } = message;
    const { clock } = this.#options;
    const timeoutMs = message.isJob ? Number.POSITIVE_INFINITY : this.#options.timeoutMs;
    const waitedMs = message.waitedMs + Math.max(0, clock.nowMs() - message.sentAtMs);
    const memory = new QueryMemory(this.#pool);
    const life = new QueryLife(message.namespace, { clock, timeoutMs, waitedMs, memory });
    const unknown = new UnknownMembers(message);
    this.#begin(call, life);
    try {
      const answer = warnedAnswer(await life.until(this.#perform(message, life, unknown)), unknown);
      this.#options.post({ kind: "answer", call, answer: { ...answer, times: timesOf(life) } });
    } catch (error) {
      const answer = { ...warnedAnswer(errorAnswer(error), unknown), times: timesOf(life) };
      this.#fail(message, error, answer);
    } finally {
      this.#lives.delete(call);
      memory.release();
      const { workedMs, waitedMs: waited } = timesOf(life);
      this.#stats.workedMs += workedMs;
      this.#stats.waitedMs += waited;
    }
  }

  /** It may be cancelled from now on, and its time runs. */
  #begin(call: number, life: QueryLife): void {
    this.#lives.set(call, life);
    this.#stopSweeping ??= this.#options.clock.every(TIMEOUT_SWEEP_MS, () => this.#sweep());
  }

  /** Ends queries that have taken too long; stops by itself when none runs. */
  #sweep(): void {
    for (const life of this.#lives.values()) life.checkTime();
    if (this.#lives.size > 0) return;
    this.#stopSweeping?.();
    this.#stopSweeping = undefined;
  }

  #fail(message: QueryMessage, error: unknown, answer: HttpAnswer): void {
    const { call } = message;
    if (error instanceof NamespaceClosed) {
      this.#options.post({ kind: "closed", call, body: message.body });
      return;
    }
    if (!isDatabaseError(error)) this.#logBug(message.operation, message.namespace, error);
    if (isDatabaseError(error, "timed_out")) this.#stats.timedOut++;
    const isMissing = isDatabaseError(error, "corrupt") && error.cause instanceof SegmentMissing;
    if (isMissing) this.#options.post({ kind: "missing", call, body: message.body, answer });
    else this.#options.post({ kind: "answer", call, answer });
  }

  #logBug(operation: string, namespace: NamespaceName, error: unknown): void {
    const stack = error instanceof Error ? error.stack : String(error);
    const facts = { operation, namespace, stack };
    this.#options.post({ kind: "log", level: "error", message: "query failed by a bug", facts });
  }

  /** Measures the recall of a ranking, both searches over one snapshot: the newest one. */
  async #measure({ call, sample }: MeasureMessage): Promise<void> {
    const { clock, timeoutMs, random } = this.#options;
    const memory = new QueryMemory(this.#pool);
    const times = { clock, timeoutMs, waitedMs: 0 };
    const life = new QueryLife(sample.namespace, { ...times, memory, isBackground: true });
    const measuring = async (): Promise<RecallOutcome> => {
      const { result } = await this.#run(this.#replica(sample), life, (snapshot, options) =>
        measureRecall(snapshot, sample.request, options, random),
      );
      return { kind: "measured", recall: result.recall };
    };
    this.#begin(call, life);
    const outcome = await life
      .until(measuring())
      .catch((error: unknown) => this.#unmeasured(sample, error));
    this.#lives.delete(call);
    memory.release();
    this.#options.post({ kind: "measured", call, outcome });
  }

  /** Vectors and filters are the client's: what is logged names the namespace alone. */
  #unmeasured({ namespace }: RecallSample, error: unknown): RecallOutcome {
    // The namespace was deleted, or the attribute dropped.
    if (error instanceof NamespaceClosed || isDatabaseError(error, "invalid")) {
      return { kind: "skipped" };
    }
    if (!isDatabaseError(error)) this.#logBug("recall", namespace, error);
    return { kind: "failed" };
  }

  async #perform(
    message: QueryMessage,
    life: QueryLife,
    unknown: UnknownMembers,
  ): Promise<HttpAnswer> {
    switch (message.operation) {
      case "query":
        return this.#query(message, life, unknown);
      case "explain":
        return this.#explain(message, life, unknown);
      case "recall": {
        this.#mustBeFresh(message, 0);
        const request = parseRecallBody(message.body, unknown);
        const replica = this.#replica(message);
        // Every attempt draws the same samples, or none would ever find all of its bytes.
        const seed = Buffer.from(this.#options.random.bytes(4)).readUInt32LE();
        const { result } = await this.#run(replica, life, (snapshot, options) =>
          measureRecall(snapshot, request, options, seededRandom(seed)),
        );
        return jsonAnswer(200, encodeRecallAnswer(result));
      }
      case "export_documents": {
        this.#mustBeFresh(message, 0);
        const replica = this.#replica(message);
        const { cursor } = message.parameters;
        const { result } = await this.#run(replica, life, (snapshot, options) =>
          exportPage(snapshot, cursor, options),
        );
        return jsonAnswer(200, result);
      }
    }
  }

  async #query(
    message: QueryMessage,
    life: QueryLife,
    unknown: UnknownMembers,
  ): Promise<HttpAnswer> {
    const parsed = await this.#parsed(message, parseQueryBody(message.body, unknown), life);
    const prepared = await this.#prepared(message, parsed, life);
    const { request } = prepared;
    const { result, snapshot, performance } = await this.#execute(
      message,
      prepared,
      life,
      runRequest,
    );
    const { stats } = result;
    this.#sample(message, request);
    const results = await this.#reranked(result.results, request, life);
    life.enter(answerStep);
    const answer: QueryAnswer = {
      kind: request.kind,
      results,
      vectorEncoding: request.vectorEncoding,
      billing: {
        bytesQueried: billedQueryBytes(request.queries.length, snapshot.logicalBytes),
        bytesReturned: stats.bytesReturned,
      },
      performance,
    };
    const written = (bytes: number): void => life.memory.take(bytes, "the answer");
    const [body, ...more] = await this.#turns.run(encodeQueryAnswer(answer, written), life);
    return { ...jsonAnswer(200, body), ...(more.length > 0 && { more }) };
  }

  /** Draws rankings of a query that has run; by itself that costs the query nothing. */
  #sample({ namespace, instance, body }: QueryMessage, request: QueryRequest): void {
    const { recallSampleRate = 0, random, post } = this.#options;
    if (recallSampleRate === 0 || body.length > SAMPLED_BODY_BYTES_MAX) return;
    for (const drawn of drawSamples(request, recallSampleRate, random)) {
      post({ kind: "sampled", sample: { namespace, instance, request: drawn } });
    }
  }

  /** Plans a request, or runs it, too; models that rerank are not asked. */
  async #explain(
    message: QueryMessage,
    life: QueryLife,
    unknown: UnknownMembers,
  ): Promise<HttpAnswer> {
    const parsed = await this.#parsed(message, parseExplainBody(message.body, unknown), life);
    const prepared = await this.#prepared(message, parsed.request, life);
    if (!parsed.analyze) {
      const { result } = await this.#run(this.#replica(message), life, (snapshot, options) =>
        explainRequest(snapshot, prepared.request, options),
      );
      return jsonAnswer(200, encodeExplainAnswer(result));
    }
    const executed = await this.#execute(message, prepared, life, analyzeRequest);
    const { planText, works } = executed.result;
    const { reads } = executed;
    const performance = executed.performance();
    const text = `${planText}\n${explainReads(reads)}`;
    return jsonAnswer(200, encodeExplainAnswer(text, { works, reads, performance }));
  }

  /** Runs a request that waits for nothing but its slots, its turns and bytes. */
  async #execute<T extends RequestOutcome>(
    message: QueryMessage,
    { request, embeddingStats }: PreparedQuery,
    life: QueryLife,
    run: (snapshot: Snapshot, request: QueryRequest, options: QueryOptions) => Steps<T>,
  ) {
    const weight = querySlots(request);
    if (weight > 1) await this.#admission(message.call, weight, life);
    const replica = this.#replica(message);
    if (request.consistency === "strong") this.#refuseUnindexed(replica);
    const { result, snapshot, stats } = await this.#run(replica, life, (newest, options) =>
      run(newest, request, options),
    );
    this.#count(result.stats);
    if (stats.isRoomy) this.#options.readAhead?.add(replica);
    const performance = (): QueryPerformance => ({
      cacheHitRatio: hitRatio(stats),
      cacheTemperature: temperature(stats),
      serverTotalMs: life.totalMs,
      executionMs: life.workedMs,
      exhaustiveCount: result.stats.exhaustiveCount,
      namespaceDocumentCount: replica.state.documentCount,
      lastIncludedWriteAtMs: replica.state.lastWriteAtMs,
      embedding: embeddingStats,
    });
    return { result, snapshot, reads: stats, performance };
  }

  /** Reads the body: a short one at once, so that it waits for one turn alone. */
  #parsed<T>({ body }: QueryMessage, steps: Steps<T>, life: QueryLife): T | Promise<T> {
    if (body.length > SHORT_BODY_BYTES) return this.#turns.run(steps, life);
    return life.work(() => runSteps(steps));
  }

  /** Says how new what the request sees must be, and puts vectors in the place of texts. */
  #prepared(message: QueryMessage, parsed: QueryRequest, life: QueryLife): Promise<PreparedQuery> {
    this.#mustBeFresh(message, parsed.stalenessMsMax ?? 0);
    return this.#embedded(message, parsed, life);
  }

  /** Where it is not known already, the store is asked for newer entries while the query runs. */
  #mustBeFresh({ call, isShared }: QueryMessage, stalenessMsMax: number): void {
    if (isShared) this.#options.post({ kind: "fresh", call, stalenessMsMax });
  }

  /** Puts vectors in the place of texts, after it has checked what else depends on a service. */
  async #embedded(
    message: QueryMessage,
    request: QueryRequest,
    life: QueryLife,
  ): Promise<PreparedQuery> {
    const { schema } = this.#replica(message).state;
    const { reranking } = this.#options;
    if (request.rerank !== undefined) checkRerank(request.rerank, schema, reranking.models);
    const texts = embedTexts(request, schema);
    if (texts.length === 0) return { request, embeddingStats: undefined };
    const { clock, embedding } = this.#options;
    life.enter(embedStep);
    const startedMs = clock.monotonicMs();
    let tokens = 0;
    const vectors: Float32Array[] = [];
    for (const { text, model, dimensions } of texts) {
      const embedded = await embedding.embed({ model, texts: [text], dimensions }, life.signal);
      vectors.push(...embedded.vectors);
      tokens += embedded.tokens;
    }
    const embeddingStats = { tokens, ms: clock.monotonicMs() - startedMs };
    return { request: withEmbeddings(request, vectors, schema), embeddingStats };
  }

  /** Has a model rank what was found, if the request asks for that. Results own their values. */
  async #reranked(
    results: readonly QueryResult[],
    { rerank }: QueryRequest,
    life: QueryLife,
  ): Promise<readonly QueryResult[]> {
    if (rerank === undefined) return results;
    life.enter(rerankStep);
    const candidates = await this.#turns.run(rerankCandidates(results, rerank), life);
    const { model, query } = rerank;
    const asked = { model, query, documents: candidates.texts };
    const { reranking } = this.#options;
    const scores = asked.documents.length === 0 ? [] : await reranking.rerank(asked, life.signal);
    return [rerankedResult(candidates, scores, rerank)];
  }

  /** Waits until the main thread grants the slots. */
  async #admission(call: number, weight: number, life: QueryLife): Promise<void> {
    const said = new Promise<Admission>((resolve) => {
      this.#admissions.set(call, resolve);
      this.#options.post({ kind: "weight", call, weight });
    });
    // To a query that has ended nothing may be said any more.
    const message = await life.until(said).finally(() => this.#admissions.delete(call));
    if (message.kind === "admitted") return;
    const { retryAfterMs } = message;
    throw new DatabaseError("overloaded", message.message, { retryAfterMs });
  }

  #open({ id, at }: AddedSegment): OpenSegment {
    const { kernels, reads } = this.#options;
    if (at.kind === "memory") return openSegment(id, kernels.bytes(at.place), at.place);
    return openStoredSegment(id, at.head, (bytes) => reads.sourceOf(at.object, bytes));
  }

  #replica({ instance }: Pick<QueryMessage, "instance">): NamespaceReplica {
    const replica = this.#replicas.get(instance);
    if (replica === undefined) throw new NamespaceClosed();
    return replica;
  }

  #queryOptions(
    replica: NamespaceReplica,
    life: QueryLife,
    { progress, kept, isFirst }: QueryAttempt,
  ): QueryOptions {
    const { builds, buildsSinceMs } = replica.state;
    const { kernels, probing, clock } = this.#options;
    const division = isFirst ? this.#division(replica, life) : undefined;
    const enter = (step: () => string): void => life.enter(step);
    const { memory } = life;
    const options = { kernels, probing, progress, kept, division, enter, memory };
    if (buildsSinceMs === undefined) return options;
    return { ...options, indexState: indexState(builds, clock.nowMs() - buildsSinceMs) };
  }

  /** Of a query over the replica as it is now. */
  #division({ state: { instance }, version }: NamespaceReplica, life: QueryLife): QueryDivision {
    const { loads, clock, reads, divisionLimits: limits, postNow } = this.#options;
    return new QueryDivision(
      { instance, version },
      {
        limits,
        idleCount: () => loads.idleCount,
        monotonicMs: () => clock.monotonicMs(),
        workedMs: () => life.workedMs,
        offer: (offer, ports) => {
          this.#stats.divided++;
          postNow({ kind: "offer", offer, ports }, ports);
        },
        ran: ({ touches }) => reads.addTouches(touches),
      },
    );
  }

  /** A strong query would have to search all of it. */
  #refuseUnindexed({ state: { unindexedBytes } }: NamespaceReplica): void {
    const { unindexedBytesMax } = this.#options.thresholds;
    if (unindexedBytes <= unindexedBytesMax) return;
    throw new DatabaseError(
      "overloaded",
      `💔 too much unindexed data for a strongly consistent query: ${unindexedBytes} bytes, at ` +
        `most ${unindexedBytesMax}; retry later, or set consistency.level to eventual`,
      { retryAfterMs: UNINDEXED_RETRY_MS },
    );
  }

  #count(stats: QueryStats): void {
    this.#stats.queries++;
    this.#stats.documentsScanned += stats.documentsScanned;
    this.#stats.postingsTouched += stats.postingsTouched;
    this.#stats.vectorsScored += stats.vectorsScored;
    this.#stats.clustersProbed += stats.clustersProbed;
    this.#stats.codesScanned += stats.codesScanned;
    this.#stats.candidatesReranked += stats.candidatesReranked;
    this.#stats.candidatesSkipped += stats.candidatesSkipped;
  }
}

const embedStep = (): string => "embedding its texts";
const rerankStep = (): string => "reranking what it found";
const answerStep = (): string => "writing the answer";

function timesOf({ totalMs, workedMs }: QueryLife): AnswerTimes {
  return { workedMs, waitedMs: Math.max(0, totalMs - workedMs) };
}

/** The share of what the query looked at first that was in memory. */
function hitRatio({ touchedCount, residentCount }: RunStats): number {
  return touchedCount === 0 ? 1 : residentCount / touchedCount;
}

/** All from memory: hot; some from a disk that keeps copies: warm; some from the store: cold. */
function temperature({ origin }: RunStats): "hot" | "warm" | "cold" {
  return ({ memory: "hot", disk: "warm", store: "cold" } as const)[origin];
}
