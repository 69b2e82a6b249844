/**
 * What a query thread does for a request, over its replica of the namespace: runs or explains
 * queries, measures recall, exports pages. A query sees one snapshot (docs/consistency.md, promise
 * 5), also where others have their turn (`query-turns.ts`) or it waits for bytes of stored segments
 * in between (`query/executor/run-on-snapshot.ts`).
 */

import type { Transferable } from "node:worker_threads";
import { type HttpAnswer, jsonAnswer } from "../../api/engine.ts";
import { KIB } from "../../base/byte-sizes.ts";
import type { Clock } from "../../base/clock.ts";
import { DatabaseError } from "../../base/errors.ts";
import { type Random, seededRandom } from "../../base/random.ts";
import { runSteps, type Steps } from "../../base/steps.ts";
import type { ResidentRanges, RunStats } from "../../cache/resident-ranges.ts";
import type { EmbeddingProvider } from "../../embed/embedding-provider.ts";
import type { RerankProvider } from "../../embed/rerank-provider.ts";
import type { ArenaKernels } from "../../kernel/arena-kernels.ts";
import type { QueryRequest } from "../../model/query.ts";
import type { QueryPerformance } from "../../model/request-stats.ts";
import type { NamespaceInstance } from "../../namespace/published-state.ts";
import type { Thresholds } from "../../namespace/thresholds.ts";
import { UNINDEXED_RETRY_MS } from "../../namespace/thresholds.ts";
import { measureRecall } from "../../query/executor/measure-recall.ts";
import { type QuerySource, runOnSnapshot } from "../../query/executor/run-on-snapshot.ts";
import {
  analyzeRequest,
  explainRequest,
  type RequestOutcome,
  runRequest,
} from "../../query/executor/run-request.ts";
import type { CountedPlan } from "../../query/operator/counted-plan.ts";
import type { DivisionLimits } from "../../query/operator/division.ts";
import { indexState } from "../../query/operator/index-state.ts";
import type { Probing, QueryOptions } from "../../query/operator/query-options.ts";
import type { ScanProgress } from "../../query/operator/scan-progress.ts";
import type { Snapshot } from "../../query/operator/snapshot.ts";
import { addWorkStats, newWorkStats, type QueryStats } from "../../query/operator/work-stats.ts";
import { explainReads } from "../../query/planner/explain-work.ts";
import { querySlots } from "../../query/planner/query-weight.ts";
import type { ReadingSteps } from "../../segment/format/reading-steps.ts";
import { encodeQueryAnswer, type QueryAnswer } from "../../wire/answers/query-answer.ts";
import { encodeExplainAnswer, encodeRecallAnswer } from "../../wire/answers/service-answers.ts";
import type { UnknownMembers } from "../../wire/json/unknown-members.ts";
import { forceFilter } from "../../wire/query/force-filter.ts";
import { parseExplainBody, parseQueryBody } from "../../wire/query/parse-query.ts";
import { parseRecallBody } from "../../wire/query/parse-recall.ts";
import { billedQueryBytes } from "../../write/resolve/write-billing.ts";
import type { FromQueryThread, RecallSample, ToQueryThread } from "../thread-messages.ts";
import { drawSamples } from "./draw-samples.ts";
import { exportPage } from "./export-page.ts";
import { QueryDivision } from "./query-division.ts";
import { embedRequest, type PreparedQuery, rerankFound } from "./query-models.ts";
import type { ReadAhead } from "./read-ahead.ts";
import type { NamespaceReplica, ReplicaMoment } from "./snapshots/namespace-replica.ts";
import type { ThreadLoads } from "./thread-loads.ts";
import type { QueryLife } from "./turns/query-life.ts";
import type { QueryTurns } from "./turns/query-turns.ts";

/** The instance was retired while the query waited for its texts, its slots, or bytes. */
export class NamespaceClosed extends Error {}

/** The message that asks for a query. */
export type QueryMessage = Extract<ToQueryThread, { kind: "query" }>;

/** What operations work with. */
export interface QueryOperationsOptions {
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
}

/** What operations need of their thread. */
export interface OperationsThread {
  readonly turns: QueryTurns;
  /** Throws `NamespaceClosed`. */
  replica(of: { readonly instance: NamespaceInstance }): NamespaceReplica;
  /** Resolves when a query has so many slots. Throws `overloaded`, or why the query has ended. */
  admit(call: number, weight: number, life: QueryLife): Promise<void>;
}

/** Work of a thread's operations since its start. */
export interface OperationsWork extends QueryStats {
  readonly queries: number;
  /** Plans that were offered to other threads in parts. */
  readonly divided: number;
}

/** Bodies up to this long are read in less than a millisecond. */
const SHORT_BODY_BYTES = 16 * KIB;
/** Longer bodies are not sampled, which bounds what samples that wait take. */
const SAMPLED_BODY_BYTES_MAX = 64 * KIB;

/** See the file's head. */
export class QueryOperations {
  readonly #options: QueryOperationsOptions;
  readonly #thread: OperationsThread;
  readonly #work = { ...newWorkStats(), queries: 0, divided: 0 };

  constructor(options: QueryOperationsOptions, thread: OperationsThread) {
    this.#options = options;
    this.#thread = thread;
  }

  /** Work done so far. */
  get work(): OperationsWork {
    return this.#work;
  }

  /** The answer to a request. Throws what is wrong with it, and `NamespaceClosed`. */
  async perform(
    message: QueryMessage,
    life: QueryLife,
    unknown: UnknownMembers,
  ): Promise<HttpAnswer> {
    // A filter that is forced on queries would be passed over by the others.
    const isForced = message.forcedFilter !== undefined;
    if (isForced && message.operation !== "query") {
      throw new DatabaseError("forbidden", `${message.operation} takes no forced filter`);
    }
    switch (message.operation) {
      case "query":
        return this.#query(message, life, unknown);
      case "explain":
        return this.#explain(message, life, unknown);
      case "recall": {
        this.#mustBeFresh(message, 0);
        const request = await this.#parsed(message, parseRecallBody(message.body, unknown), life);
        const replica = this.#thread.replica(message);
        // Every attempt draws the same samples, or none would ever find all of its bytes.
        const seed = Buffer.from(this.#options.random.bytes(4)).readUInt32LE();
        const { result } = await this.#run(replica, life, (snapshot, options) =>
          measureRecall(snapshot, request, options, seededRandom(seed)),
        );
        return jsonAnswer(200, encodeRecallAnswer(result));
      }
      case "export_documents": {
        this.#mustBeFresh(message, 0);
        const replica = this.#thread.replica(message);
        const { cursor } = message.parameters;
        const { result } = await this.#run(replica, life, (snapshot, options) =>
          exportPage(snapshot, cursor, options),
        );
        return jsonAnswer(200, result);
      }
    }
  }

  /** The recall of a ranking, both searches over one snapshot: the newest one. */
  async recallOf(sample: RecallSample, life: QueryLife): Promise<number> {
    const { random } = this.#options;
    const replica = this.#thread.replica(sample);
    const { result } = await this.#run(replica, life, (snapshot, options) =>
      measureRecall(snapshot, sample.request, options, random),
    );
    return result.recall;
  }

  async #query(
    message: QueryMessage,
    life: QueryLife,
    unknown: UnknownMembers,
  ): Promise<HttpAnswer> {
    const asked = await this.#parsed(message, parseQueryBody(message.body, unknown), life);
    const { forcedFilter } = message;
    const parsed = forcedFilter === undefined ? asked : forceFilter(asked, forcedFilter);
    const prepared = await this.#prepared(message, parsed, life);
    const { request } = prepared;
    const { turns } = this.#thread;
    const { result, snapshot, performance } = await this.#execute(
      message,
      prepared,
      life,
      runRequest,
    );
    const { stats, results: found } = result;
    const results = await rerankFound(
      found,
      request,
      { reranking: this.#options.reranking, turns },
      life,
    );
    life.enter(answerStep);
    life.times.begin("serialize");
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
    const [body, ...more] = await turns.run(encodeQueryAnswer(answer, written), life);
    this.#count(stats);
    this.#sample(message, request);
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
      const { result } = await this.#run(this.#thread.replica(message), life, (snapshot, options) =>
        explainRequest(snapshot, prepared.request, options),
      );
      return jsonAnswer(200, encodeExplainAnswer(result));
    }
    life.timeSteps();
    const executed = await this.#execute(message, prepared, life, analyzeRequest);
    const { planText, works, stats } = executed.result;
    const { reads } = executed;
    const { phases, steps } = life;
    const analysis = { works, reads, performance: executed.performance(), phases, steps };
    this.#count(stats);
    return jsonAnswer(200, encodeExplainAnswer(`${planText}\n${explainReads(reads)}`, analysis));
  }

  /** Runs a request that waits for nothing but its slots, its turns and bytes. */
  async #execute<T extends RequestOutcome>(
    message: QueryMessage,
    { request, embeddingStats }: PreparedQuery,
    life: QueryLife,
    run: (snapshot: Snapshot, request: QueryRequest, options: QueryOptions) => ReadingSteps<T>,
  ) {
    const weight = querySlots(request);
    if (weight > 1) await this.#thread.admit(message.call, weight, life);
    const replica = this.#thread.replica(message);
    if (request.consistency === "strong") this.#refuseUnindexed(replica);
    const { result, snapshot, stats } = await this.#run(replica, life, (newest, options) => {
      life.times.begin("plan");
      const planned = (plans: readonly CountedPlan[]): void => {
        life.notes.planned(plans, newest);
        life.times.begin("search");
      };
      return run(newest, request, { ...options, planned });
    });
    life.notes.ran(stats);
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
    if (body.length > SHORT_BODY_BYTES) return this.#thread.turns.run(steps, life);
    return life.work(() => runSteps(steps));
  }

  /** Says how new what the request sees must be, and puts vectors in the place of texts. */
  async #prepared(
    message: QueryMessage,
    parsed: QueryRequest,
    life: QueryLife,
  ): Promise<PreparedQuery> {
    this.#mustBeFresh(message, parsed.stalenessMsMax ?? 0);
    const { schema } = this.#thread.replica(message).state;
    life.notes.parsed(parsed, schema);
    return embedRequest(parsed, schema, { ...this.#options, turns: this.#thread.turns }, life);
  }

  /** Where it is not known already, the store is asked for newer entries while the query runs. */
  #mustBeFresh({ call, isShared }: QueryMessage, stalenessMsMax: number): void {
    if (isShared) this.#options.post({ kind: "fresh", call, stalenessMsMax });
  }

  /** Runs a query over the newest state of its namespace. */
  #run<T>(
    replica: NamespaceReplica,
    life: QueryLife,
    query: (snapshot: Snapshot, options: QueryOptions) => ReadingSteps<T>,
  ) {
    // Attempts begin when their turn comes: the replica may have gone on by then.
    let seen = replica.now;
    const source: QuerySource = {
      snapshot: () => {
        seen = replica.now;
        if (seen.state.retired) throw new NamespaceClosed();
        return replica.snapshot();
      },
      scanBytesMax: this.#options.scanBytesMax,
      retain: () => replica.retain(),
      take: (steps) => {
        life.times.endWait();
        life.times.beginTurn();
        return this.#thread.turns.run(steps, life);
      },
      waits: () => life.times.beginWait("read"),
      memory: life.memory,
    };
    return runOnSnapshot(source, this.#options.reads, (snapshot, progress) => {
      life.times.begin("search");
      return query(snapshot, this.#queryOptions(seen, life, progress));
    });
  }

  /** Of a query over a snapshot of the replica as it was then. */
  #queryOptions(seen: ReplicaMoment, life: QueryLife, progress: ScanProgress): QueryOptions {
    const { builds, buildsSinceMs } = seen.state;
    const { kernels, probing, clock } = this.#options;
    const division = this.#division(seen, life);
    const enter = (step: () => string, operator: string): void => life.enter(step, operator);
    const { memory } = life;
    const options = { kernels, probing, progress, division, enter, memory };
    if (buildsSinceMs === undefined) return options;
    return { ...options, indexState: indexState(builds, clock.nowMs() - buildsSinceMs) };
  }

  #division({ state: { instance }, version }: ReplicaMoment, life: QueryLife): QueryDivision {
    const { loads, clock, reads, divisionLimits: limits, postNow } = this.#options;
    return new QueryDivision(
      { instance, version },
      {
        limits,
        idleCount: () => loads.idleCount,
        monotonicMs: () => clock.monotonicMs(),
        workedMs: () => life.workedMs,
        offer: (offer, ports) => {
          this.#work.divided++;
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
    this.#work.queries++;
    addWorkStats(this.#work, stats);
  }
}

const answerStep = (): string => "writing the answer";

/** The share of what the query looked at first that was in memory. */
function hitRatio({ touchedCount, residentCount }: RunStats): number {
  return touchedCount === 0 ? 1 : residentCount / touchedCount;
}

/** All from memory: hot; some from a disk that keeps copies: warm; some from the store: cold. */
function temperature({ origin }: RunStats): "hot" | "warm" | "cold" {
  return ({ memory: "hot", disk: "warm", store: "cold" } as const)[origin];
}
