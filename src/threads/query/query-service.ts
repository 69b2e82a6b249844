/**
 * A query thread's side of the talk with the main thread: keeps a replica of each namespace that it
 * was asked about, begins queries (`query-operations.ts`), ends those that nobody waits for or that
 * take too long, and tells their answers.
 */

import type { AnswerTimes, HttpAnswer } from "../../api/engine.ts";
import { errorAnswer } from "../../api/error-answer.ts";
import { warnedAnswer } from "../../api/warned-answer.ts";
import { DatabaseError, isDatabaseError } from "../../base/errors.ts";
import type { NamespaceName } from "../../base/ids.ts";
import { MemoryPool } from "../../base/memory-pool.ts";
import { NumberMap } from "../../base/tables/number-map.ts";
import { addPhases, noPhases, type QueryPhases } from "../../model/request-stats.ts";
import type { NamespaceInstance } from "../../namespace/published-state.ts";
import { QueryMemory } from "../../query/operator/query-memory.ts";
import { SegmentMissing } from "../../segment/format/segment-missing.ts";
import type { AddedSegment } from "../../segment/memtable/memtable-delta.ts";
import { type OpenSegment, openSegment } from "../../segment/segment-reader.ts";
import { openStoredSegment } from "../../segment/stored-segment-reader.ts";
import { UnknownMembers } from "../../wire/json/unknown-members.ts";
import type {
  NamespaceUpdate,
  RecallOutcome,
  RecallSample,
  ToQueryThread,
} from "../thread-messages.ts";
import {
  NamespaceClosed,
  type OperationsWork,
  type QueryMessage,
  QueryOperations,
  type QueryOperationsOptions,
} from "./query-operations.ts";
import { NamespaceReplica } from "./snapshots/namespace-replica.ts";
import { takeParts } from "./take-parts.ts";
import { QueryLife } from "./turns/query-life.ts";
import { HandedOver, QueryTurns, type TurnStats } from "./turns/query-turns.ts";

type MeasureMessage = Extract<ToQueryThread, { kind: "measure" }>;
type HelpMessage = Extract<ToQueryThread, { kind: "help" }>;
type Admission = Extract<ToQueryThread, { kind: "admitted" | "refused" }>;

/** What a query thread is made of. */
export interface QueryServiceOptions extends QueryOperationsOptions {
  /** Heap that all queries of the thread may take for what they find. */
  readonly queryBytesMax: number;
  /** After so many milliseconds a query is ended, waiting included. */
  readonly timeoutMs: number;
  /** Resolves when messages that have arrived were heard. */
  nextTurn(): Promise<void>;
  /** Queries that are not done after their first slice are given back. Absent: they are not. */
  readonly handsOver?: boolean | undefined;
}

/** Work of one query thread since its start. */
export interface QueryServiceStats extends OperationsWork {
  /** Parts of other threads' plans. */
  readonly helped: number;
  /** Queries that were ended before they were done, by how. */
  readonly cancelled: number;
  readonly timedOut: number;
  /** Milliseconds that queries have worked, and that they have waited, for whatever it was. */
  readonly workedMs: number;
  readonly waitedMs: number;
  /** The same by phase. */
  readonly phases: QueryPhases;
}

/** How often running queries are looked at, whether they have taken too long; in milliseconds. */
const TIMEOUT_SWEEP_MS = 50;

/** All that one query thread does. */
export class QueryService {
  readonly #options: QueryServiceOptions;
  readonly #replicas = new Map<NamespaceInstance, NamespaceReplica>();
  readonly #turns: QueryTurns;
  readonly #pool: MemoryPool;
  /** Running queries by their calls. */
  readonly #lives = new NumberMap<QueryLife>();
  #stopSweeping: (() => void) | undefined;
  readonly #admissions = new Map<number, (message: Admission) => void>();
  readonly #operations: QueryOperations;
  readonly #stats = { helped: 0, cancelled: 0, timedOut: 0, workedMs: 0, waitedMs: 0 };
  readonly #phases = noPhases();

  constructor(options: QueryServiceOptions) {
    this.#options = options;
    this.#turns = new QueryTurns(options);
    this.#pool = new MemoryPool(options.queryBytesMax);
    this.#operations = new QueryOperations(options, {
      turns: this.#turns,
      replica: (of) => this.#replica(of),
      admit: (call, weight, life) => this.#admit(call, weight, life),
    });
  }

  /** Slices so far. */
  get turnStats(): Readonly<TurnStats> {
    return this.#turns.stats;
  }

  /** Work done so far. */
  get stats(): QueryServiceStats {
    return { ...this.#operations.work, ...this.#stats, phases: this.#phases };
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
    const { kernels, reads, scanBytesMax, nextTurn, clock } = this.#options;
    const replica = this.#replicas.get(offer.instance);
    const snapshot = replica?.snapshotAt(offer.version, offer.segments);
    if (replica !== undefined && snapshot !== undefined) {
      const release = replica.retain();
      const monotonicMs = () => clock.monotonicMs();
      const options = { kernels, reads, nextTurn, monotonicMs, loadBytesMax: scanBytesMax };
      this.#stats.helped += await takeParts(offer, port, snapshot, options).finally(release);
    }
    port.close();
  }

  async #answer(message: QueryMessage): Promise<void> {
    const { call } = message;
    const { clock } = this.#options;
    const timeoutMs = message.isJob ? Number.POSITIVE_INFINITY : this.#options.timeoutMs;
    const waitedMs = message.waitedMs + Math.max(0, clock.nowMs() - message.sentAtMs);
    const memory = new QueryMemory(this.#pool);
    const isTraced = message.tracedAtMs !== undefined;
    const life = new QueryLife(message, { clock, timeoutMs, waitedMs, memory, isTraced });
    const unknown = new UnknownMembers(message);
    this.#begin(call, life);
    try {
      const answer = warnedAnswer(
        await life.until(this.#operations.perform(message, life, unknown)),
        unknown,
      );
      const report = reportOf(life, message);
      this.#options.post({ kind: "answer", call, answer: { ...answer, ...report } });
    } catch (error) {
      const report = reportOf(life, message);
      const answer = { ...warnedAnswer(errorAnswer(error), unknown), ...report };
      this.#fail(message, error, answer);
    } finally {
      this.#lives.delete(call);
      memory.release();
      const { workedMs, waitedMs: waited } = timesOf(life);
      this.#stats.workedMs += workedMs;
      this.#stats.waitedMs += waited;
      addPhases(this.#phases, life.phases);
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
    if (error instanceof HandedOver) {
      this.#options.post({ kind: "handed_over", call, body: message.body });
      return;
    }
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

  /** Measures the recall of a ranking behind all queries. */
  async #measure({ call, sample }: MeasureMessage): Promise<void> {
    const { clock, timeoutMs } = this.#options;
    const memory = new QueryMemory(this.#pool);
    const times = { clock, timeoutMs, waitedMs: 0 };
    const life = new QueryLife(
      { key: "", namespace: sample.namespace },
      { ...times, memory, isBackground: true },
    );
    const measuring = async (): Promise<RecallOutcome> => {
      return { kind: "measured", recall: await this.#operations.recallOf(sample, life) };
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

  /** Waits until the main thread grants the slots. */
  async #admit(call: number, weight: number, life: QueryLife): Promise<void> {
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
}

function timesOf({ totalMs, workedMs }: QueryLife): Pick<AnswerTimes, "workedMs" | "waitedMs"> {
  return { workedMs, waitedMs: Math.max(0, totalMs - workedMs) };
}

/** With details where somebody wants them of a query that took so long. */
function reportOf(
  life: QueryLife,
  { detailsMs }: Pick<QueryMessage, "detailsMs">,
): Pick<HttpAnswer, "times" | "spans"> {
  const { notes } = life;
  const isSlow = detailsMs !== undefined && life.totalMs >= detailsMs;
  const details = isSlow ? { phases: life.phases, ...notes.describe() } : undefined;
  const times = { ...timesOf(life), kind: notes.kind, details };
  if (life.spans === undefined) return { times };
  return { times: { ...times, operatorsUs: life.operators }, spans: life.spans.end() };
}
