/**
 * A query thread's work: keeps a replica of each namespace that it was asked about, and answers
 * queries over it. A query sees one snapshot (docs/consistency.md, promise 5), also where it waits
 * for bytes of stored segments in between (`query-runs.ts`).
 */

import type { EngineAnswer } from "../../api/engine.ts";
import { errorAnswer } from "../../api/error-answer.ts";
import type { Clock } from "../../base/clock.ts";
import { DatabaseError, isDatabaseError } from "../../base/errors.ts";
import { BILLED_QUERY_BYTES_MIN, UNINDEXED_RETRY_MS } from "../../base/limits.ts";
import { type Random, seededRandom } from "../../base/random.ts";
import { type RunFigures, SegmentMissing } from "../../cache/resident-ranges.ts";
import type { SegmentReads } from "../../cache/segment-reads.ts";
import type { EmbeddingProvider } from "../../embed/embedding-provider.ts";
import type { ArenaKernels } from "../../kernel/arena-kernels.ts";
import type { QueryRequest } from "../../model/query.ts";
import type { EmbeddingFigures } from "../../model/request-stats.ts";
import type { NamespaceInstance, NamespaceState } from "../../namespace/published-state.ts";
import type { Thresholds } from "../../namespace/thresholds.ts";
import { embedTexts, withEmbeddings } from "../../query/bind/embed-query.ts";
import { measureRecall } from "../../query/executor/measure-recall.ts";
import {
  type CountedReads,
  type QuerySource,
  runOnSnapshot,
} from "../../query/executor/run-on-snapshot.ts";
import type { ScanProgress } from "../../query/executor/scan-progress.ts";
import { indexState } from "../../query/index-state.ts";
import { querySlots } from "../../query/plan/query-weight.ts";
import type { Probing, QueryContext } from "../../query/query-options.ts";
import { explainRequest, runRequest } from "../../query/run-request.ts";
import type { Snapshot } from "../../query/snapshot.ts";
import type { AddedSegment } from "../../segment/memtable/memtable-delta.ts";
import { SnapshotReplica } from "../../segment/memtable/snapshot-replica.ts";
import { type OpenSegment, openSegment } from "../../segment/segment-reader.ts";
import { openStoredSegment } from "../../segment/stored-segment-reader.ts";
import { encodeQueryAnswer } from "../../wire/answers/query-answer.ts";
import { encodeExplainAnswer, encodeRecallAnswer } from "../../wire/answers/service-answers.ts";
import { parseQueryBody } from "../../wire/query/parse-query.ts";
import { parseRecallBody } from "../../wire/query/parse-recall.ts";
import type { FromQueryThread, NamespaceUpdate, ToQueryThread } from "../thread-messages.ts";
import { exportPage } from "./export-page.ts";

/** The instance was retired while the query waited for its texts, its slots, or bytes. */
class NamespaceClosed extends Error {}

/** The message that asks for a query. */
type QueryMessage = Extract<ToQueryThread, { kind: "query" }>;
type Admission = Extract<ToQueryThread, { kind: "admitted" | "refused" }>;

interface Replica {
  readonly segments: SnapshotReplica;
  state: NamespaceState;
  /** Of the last update. */
  version: number;
  /** The version at which each query that holds on to segments began. */
  readonly held: Set<{ readonly version: number }>;
}

/** What a query thread is made of. */
export interface QueryServiceParts {
  readonly kernels: ArenaKernels;
  /** How far ANN searches walk; for tests. */
  readonly probing?: Probing | undefined;
  readonly embedding: EmbeddingProvider;
  readonly clock: Clock;
  readonly random: Random;
  readonly reads: CountedReads & Pick<SegmentReads, "sourceOf">;
  /** Bytes of vectors that an exact scan may ask for at a time. */
  readonly scanBytesMax: number;
  readonly thresholds: Pick<Thresholds, "unindexedBytesMax">;
  post(message: FromQueryThread): void;
}

/** Work of one query thread since its start. */
export interface QueryTotals {
  readonly queries: number;
  readonly documentsScanned: number;
  readonly postingsTouched: number;
  readonly vectorsScored: number;
  readonly clustersProbed: number;
}

/** All that one query thread does. */
export class QueryService {
  readonly #parts: QueryServiceParts;
  readonly #replicas = new Map<NamespaceInstance, Replica>();
  readonly #admissions = new Map<number, (message: Admission) => void>();
  readonly #totals: { -readonly [K in keyof QueryTotals]: number } = {
    queries: 0,
    documentsScanned: 0,
    postingsTouched: 0,
    vectorsScored: 0,
    clustersProbed: 0,
  };

  constructor(parts: QueryServiceParts) {
    this.#parts = parts;
  }

  /** Work done so far. */
  get totals(): QueryTotals {
    return this.#totals;
  }

  /** Takes a message from the main thread. */
  hear(message: ToQueryThread): void {
    switch (message.kind) {
      case "arena":
        this.#parts.kernels.attach(message.index, message.memory);
        return;
      case "update":
        this.#update(message.update);
        return;
      case "query":
        if (message.update !== undefined) this.#update(message.update);
        void this.#answer(message);
        return;
      case "admitted":
      case "refused":
        this.#admissions.get(message.call)?.(message);
        return;
    }
  }

  #update({ deltas, state, version }: NamespaceUpdate): void {
    const { instance } = state;
    let replica = this.#replicas.get(instance);
    if (replica === undefined) {
      const segments = new SnapshotReplica((added) => this.#open(added));
      replica = { segments, state, version, held: new Set() };
      this.#replicas.set(instance, replica);
    }
    for (const { change } of deltas) replica.segments.apply(change);
    replica.state = state;
    replica.version = version;
    if (state.retired) this.#replicas.delete(instance);
    this.#tellApplied(replica);
  }

  /** Segments that were dropped since the oldest held query began are still being read. */
  #tellApplied({ state, version, held }: Replica): void {
    const oldest = Math.min(version, ...[...held].map((query) => query.version));
    this.#parts.post({ kind: "applied", instance: state.instance, version: oldest });
  }

  /** A replica as the source of one query's snapshots. */
  #source(replica: Replica): QuerySource {
    return {
      snapshot: () => {
        if (replica.state.retired) throw new NamespaceClosed();
        return snapshotOf(replica);
      },
      scanBytesMax: this.#parts.scanBytesMax,
      hold: () => {
        const held = { version: replica.version };
        replica.held.add(held);
        return () => {
          replica.held.delete(held);
          this.#tellApplied(replica);
        };
      },
    };
  }

  /** Runs a query over the newest state of its namespace. */
  #run<T>(replica: Replica, query: (snapshot: Snapshot, context: QueryContext) => T) {
    return runOnSnapshot(this.#source(replica), this.#parts.reads, (snapshot, progress) =>
      query(snapshot, this.#context(replica, progress)),
    );
  }

  async #answer(message: QueryMessage): Promise<void> {
    const { call } = message;
    try {
      const answer = await this.#perform(message);
      this.#parts.post({ kind: "answer", call, answer });
    } catch (error) {
      if (error instanceof NamespaceClosed) {
        this.#parts.post({ kind: "closed", call, body: message.body });
        return;
      }
      if (!isDatabaseError(error)) {
        const stack = error instanceof Error ? error.stack : String(error);
        const facts = { operation: message.operation, namespace: message.namespace, stack };
        this.#parts.post({ kind: "log", level: "error", message: "query failed by a bug", facts });
      }
      const answer = errorAnswer(error);
      const isMissing = isDatabaseError(error, "corrupt") && error.cause instanceof SegmentMissing;
      if (isMissing) this.#parts.post({ kind: "missing", call, body: message.body, answer });
      else this.#parts.post({ kind: "answer", call, answer });
    }
  }

  async #perform(message: QueryMessage): Promise<EngineAnswer> {
    if (message.operation !== "query") this.#mustSeeAll(message);
    switch (message.operation) {
      case "query":
        return this.#query(message);
      case "explain": {
        const request = await this.#embedded(message, parseQueryBody(message.body));
        const replica = this.#replica(message);
        const { result } = await this.#run(replica, (snapshot, context) =>
          explainRequest(snapshot, request.request, context),
        );
        return json(encodeExplainAnswer(result));
      }
      case "recall": {
        const request = parseRecallBody(message.body);
        const replica = this.#replica(message);
        // Every attempt draws the same samples, or none would ever find all of its bytes.
        const seed = Buffer.from(this.#parts.random.bytes(4)).readUInt32LE();
        const { result } = await this.#run(replica, (snapshot, context) =>
          measureRecall(snapshot, request, context, seededRandom(seed)),
        );
        return json(encodeRecallAnswer(result));
      }
      case "export_documents": {
        const replica = this.#replica(message);
        const { cursor } = message.parameters;
        const { result } = await this.#run(replica, (snapshot, context) =>
          exportPage(snapshot, cursor, context),
        );
        return json(result);
      }
    }
  }

  async #query(message: QueryMessage): Promise<EngineAnswer> {
    const { clock } = this.#parts;
    const startedMs = clock.monotonicMs();
    const parsed = parseQueryBody(message.body);
    if (parsed.consistency === "strong") this.#mustSeeAll(message);
    const { request, figures } = await this.#embedded(message, parsed);
    const admittedMs = clock.monotonicMs();
    const weight = querySlots(request);
    if (weight > 1) await this.#admission(message.call, weight);
    const waitedMs = message.waitedMs + clock.monotonicMs() - admittedMs;
    const replica = this.#replica(message);
    if (request.consistency === "strong") this.#refuseUnindexed(replica);
    const {
      result,
      snapshot,
      figures: cost,
    } = await this.#run(replica, (newest, context) => runRequest(newest, request, context));
    const { results, counters } = result;
    this.#count(counters);
    const body = encodeQueryAnswer({
      kind: request.kind,
      results,
      vectorEncoding: request.vectorEncoding,
      billing: {
        bytesQueried: request.queries.length * billedBytes(snapshot),
        bytesReturned: counters.bytesReturned,
      },
      performance: () => {
        const totalMs = clock.monotonicMs() - startedMs + message.waitedMs;
        return {
          cacheHitRatio: hitRatio(cost),
          cacheTemperature: temperature(cost),
          serverTotalMs: totalMs,
          executionMs: totalMs - waitedMs,
          exhaustiveCount: counters.exhaustiveCount,
          namespaceDocumentCount: replica.state.documentCount,
          lastIncludedWriteAtMs: replica.state.lastWriteAtMs,
          embedding: figures,
        };
      },
    });
    return json(body);
  }

  /** The store is asked for newer entries while the query runs. */
  #mustSeeAll({ call, isShared }: QueryMessage): void {
    if (isShared) this.#parts.post({ kind: "strong", call });
  }

  /** Puts vectors in the place of texts. */
  async #embedded(
    message: QueryMessage,
    request: QueryRequest,
  ): Promise<{ request: QueryRequest; figures: EmbeddingFigures | undefined }> {
    const { schema } = this.#replica(message).state;
    const texts = embedTexts(request, schema);
    if (texts.length === 0) return { request, figures: undefined };
    const { clock, embedding } = this.#parts;
    const startedMs = clock.monotonicMs();
    let tokens = 0;
    const vectors: Float32Array[] = [];
    for (const { text, model, dimensions } of texts) {
      const embedded = await embedding.embed({ model, texts: [text], dimensions });
      vectors.push(...embedded.vectors);
      tokens += embedded.tokens;
    }
    const figures = { tokens, ms: clock.monotonicMs() - startedMs };
    return { request: withEmbeddings(request, vectors, schema), figures };
  }

  /** Waits until the main thread grants the slots. */
  async #admission(call: number, weight: number): Promise<void> {
    const message = await new Promise<Admission>((resolve) => {
      this.#admissions.set(call, resolve);
      this.#parts.post({ kind: "weight", call, weight });
    });
    this.#admissions.delete(call);
    if (message.kind === "admitted") return;
    const { retryAfterMs } = message;
    throw new DatabaseError("overloaded", message.message, { retryAfterMs });
  }

  #open({ id, at }: AddedSegment): OpenSegment {
    const { kernels, reads } = this.#parts;
    if (at.kind === "memory") return openSegment(id, kernels.bytes(at.place), at.place);
    return openStoredSegment(id, at.head, (bytes) => reads.sourceOf(at.object, bytes));
  }

  #replica({ instance }: QueryMessage): Replica {
    const replica = this.#replicas.get(instance);
    if (replica === undefined) throw new NamespaceClosed();
    return replica;
  }

  #context(replica: Replica, progress: ScanProgress): QueryContext {
    const { builds } = replica.state;
    const { kernels, probing } = this.#parts;
    const context = { kernels, probing, progress };
    return builds.length === 0 ? context : { ...context, indexState: indexState(builds) };
  }

  /** A strong query would have to search all of it. */
  #refuseUnindexed({ state: { unindexedBytes } }: Replica): void {
    const { unindexedBytesMax } = this.#parts.thresholds;
    if (unindexedBytes <= unindexedBytesMax) return;
    throw new DatabaseError(
      "overloaded",
      `💔 too much unindexed data for a strongly consistent query: ${unindexedBytes} bytes, at ` +
        `most ${unindexedBytesMax}; retry later, or set consistency.level to eventual`,
      { retryAfterMs: UNINDEXED_RETRY_MS },
    );
  }

  #count(counters: ReturnType<typeof runRequest>["counters"]): void {
    this.#totals.queries++;
    this.#totals.documentsScanned += counters.documentsScanned;
    this.#totals.postingsTouched += counters.postingsTouched;
    this.#totals.vectorsScored += counters.vectorsScored;
    this.#totals.clustersProbed += counters.clustersProbed;
  }
}

function snapshotOf({ segments, state }: Replica): Snapshot {
  const { sequence, schema, unindexedCount, logicalBytes } = state;
  return { sequence, schema, segments: segments.segments, unindexedCount, logicalBytes };
}

/** The share of what the query looked at first that was in memory. */
function hitRatio({ touchedCount, residentCount }: RunFigures): number {
  return touchedCount === 0 ? 1 : residentCount / touchedCount;
}

/** All from memory: hot; some from a disk that keeps copies: warm; some from the store: cold. */
function temperature({ origin }: RunFigures): "hot" | "warm" | "cold" {
  return ({ memory: "hot", disk: "warm", store: "cold" } as const)[origin];
}

/** A query is billed the namespace's bytes, and no less than the smallest query. */
function billedBytes({ logicalBytes }: Snapshot): number {
  return Math.max(BILLED_QUERY_BYTES_MIN, logicalBytes);
}

function json(body: Uint8Array): EngineAnswer {
  return { status: 200, headers: { "content-type": "application/json" }, body };
}
