/**
 * The main thread's side of the talk with the query threads: picks a thread for a query, brings it
 * up to date, and hands what it says about the query to its `QueryCall`.
 */

import type { EngineMetric, HttpAnswer } from "../../api/engine.ts";
import { KIB } from "../../base/byte-sizes.ts";
import type { Clock } from "../../base/clock.ts";
import { DatabaseError, isDatabaseError } from "../../base/errors.ts";
import type { NamespaceName } from "../../base/ids.ts";
import type { StructuredLog } from "../../base/structured-log.ts";
import { NumberMap } from "../../base/tables/number-map.ts";
import type { ArenaMessage } from "../../kernel/arena.ts";
import { QUERY_SLOT_WAIT_MS_MAX } from "../../model/contract-limits.ts";
import { type ClockReading, longestSince, readClocks } from "../../namespace/clock-reading.ts";
import type {
  NamespaceInstance,
  NamespaceState,
  PublishedDelta,
  VerifiedState,
} from "../../namespace/published-state.ts";
import type {
  FromQueryThread,
  RecallOutcome,
  RecallSample,
  ToQueryThread,
} from "../thread-messages.ts";
import type { ThreadPort } from "../thread-port.ts";
import { BESIDE_COUNT_MAX, type OwnQueries, type OwnRoom } from "./own-queries.ts";
import type { QueryAdmission } from "./query-admission.ts";
import {
  type ArrivedQuery,
  type DispatchedQuery,
  type DispatchOutcome,
  QueryCall,
  type QueryRun,
  type Verification,
} from "./query-call.ts";
import type { QueryDeadlines } from "./query-deadlines.ts";
import { SnapshotDirectory } from "./snapshots/snapshot-directory.ts";
import type { ThreadLoads } from "./thread-loads.ts";

const CLIENT_LEFT = "the client has left before its query was done";
const STOPPING = "this server is shutting down; send the query to another one, or retry later";
/** A query with so large a body counts as one more when a thread is picked: it takes long to read. */
const LOAD_BODY_BYTES = 64 * KIB;

/** Milliseconds after which a thread that still runs a query counts as busy. */
const HELD_MS_MIN = 5;

/** What the dispatcher is made of. */
export interface DispatcherOptions {
  readonly clock: Clock;
  readonly log: StructuredLog;
  readonly deadlines: QueryDeadlines;
  readonly threads: readonly ThreadPort<ToQueryThread, FromQueryThread>[];
  readonly admission: Pick<QueryAdmission, "slot">;
  /** Of these threads; the dispatcher alone counts. */
  readonly loads: ThreadLoads;
  /** Queries that this thread answers itself. Absent: none. */
  readonly own?: OwnQueries | undefined;
  /** Hears of rankings that query threads have drawn. */
  sampled?(sample: RecallSample): void;
  /** No query thread reads what this instance dropped up to `version`. */
  release(instance: NamespaceInstance, version: number): void;
  /**
   * Brings what is published of an instance up to all that was committed `stalenessMsMax` ago;
   * absent if no other server writes to the store.
   */
  verify?(
    namespace: NamespaceName,
    instance: NamespaceInstance,
    stalenessMsMax: number,
  ): Promise<Verification>;
}

type MessageOf<Kind extends FromQueryThread["kind"]> = Extract<FromQueryThread, { kind: Kind }>;
/** After these a thread has nothing more to do for a query. */
type LeavingMessage = MessageOf<"answer" | "closed" | "missing" | "handed_over">;

/** A verified state with the time of its verification. */
interface KnownState extends VerifiedState {
  readonly at: ClockReading;
}

/** All query threads. */
export class QueryDispatcher {
  readonly #options: DispatcherOptions;
  /** The query threads, and then this one where it answers queries itself. */
  readonly #ports: readonly ThreadPort<ToQueryThread, FromQueryThread>[];
  readonly #directory: SnapshotDirectory;
  /** Queries that threads have. */
  readonly #running = new NumberMap<QueryCall>();
  /** What to do with the outcomes of measurements that run, by their calls. */
  readonly #measuring = new Map<number, (outcome: RecallOutcome) => void>();
  readonly #metrics: (readonly EngineMetric[])[] = [];
  readonly #known = new Map<NamespaceInstance, KnownState>();
  #nextCall = 1;
  #isStopping = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    const { threads, own } = options;
    this.#ports = own === undefined ? threads : [...threads, own.port];
    this.#directory = new SnapshotDirectory({
      update: (thread, update) => this.#ports[thread].post({ kind: "update", update }),
      release: (instance, version) => options.release(instance, version),
    });
    this.#ports.forEach((port, thread) => {
      port.listen((message) => this.#onMessage(thread, message));
    });
  }

  /** The newest stats of all threads. */
  metrics(): readonly EngineMetric[] {
    const running = this.#running.values();
    const gauge = (name: string, help: string, value: number): EngineMetric => {
      return { name, help, kind: "gauge", value };
    };
    return [
      ...this.#metrics.flat(),
      gauge("trawl_queries_running", "queries that threads have", running.length),
      gauge(
        "trawl_queries_unwanted",
        "queries that still run although their clients have left",
        running.filter(({ isCancelled }) => isCancelled).length,
      ),
    ];
  }

  /** Ends all queries that run, and refuses new ones: the server is about to stop. */
  stop(): void {
    this.#isStopping = true;
    for (const call of this.#running.values()) this.#cancel(call, STOPPING);
  }

  /** The newest published state; undefined if the namespace is not open. */
  state(namespace: NamespaceName): NamespaceState | undefined {
    return this.#directory.state(namespace);
  }

  /** Takes what the write thread published; queries that start from now on see it. */
  publish(
    namespace: NamespaceName,
    deltas: readonly PublishedDelta[],
    state: NamespaceState,
  ): void {
    if (state.retired) this.#known.delete(state.instance);
    this.#directory.publish(namespace, deltas, state);
  }

  /** Makes a shared memory known to all threads. */
  addArena(message: ArenaMessage): void {
    for (const port of this.#ports) port.post(message);
  }

  /** Runs one query over the newest published state of a namespace. Throws `overloaded`. */
  async run(query: DispatchedQuery): Promise<DispatchOutcome> {
    const { namespace, signal } = query;
    this.#refuseWhereStopping();
    if (signal?.aborted === true) throw new DatabaseError("unavailable", CLIENT_LEFT);
    const { admission, clock, deadlines } = this.#options;
    const arrivedMs = query.arrivedMs ?? clock.monotonicMs();
    const slots = await admission.slot(namespace, signal);
    const call = new QueryCall({ ...query, arrivedMs }, slots, deadlines);
    const cancel = () => this.#cancel(call, CLIENT_LEFT);
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      const isShort = await this.#isOwn(query);
      this.#refuseWhereStopping();
      // Others may have come in between.
      this.#begin(call, isShort && this.#ownRoom() !== undefined);
      return await call.outcome;
    } finally {
      signal?.removeEventListener("abort", cancel);
      slots.release();
    }
  }

  #refuseWhereStopping(): void {
    if (this.#isStopping) throw new DatabaseError("unavailable", STOPPING);
  }

  /**
   * Measures a sample on the newest state that a thread has by then. It takes no slots and counts
   * as no load: its thread works at it while no query is there.
   */
  measure(sample: RecallSample, signal: AbortSignal): Promise<RecallOutcome> {
    const { namespace, instance } = sample;
    const isGone = this.#directory.state(namespace)?.instance !== instance;
    if (isGone || signal.aborted) return Promise.resolve({ kind: "skipped" });
    const { loads, threads } = this.#options;
    // Queries go to the first of the threads that idle.
    const thread = loads.idle.at(-1) ?? loads.least;
    const call = this.#nextCall++;
    const cancel = () => {
      threads[thread].post({ kind: "cancel", call, code: "unavailable", message: STOPPING });
    };
    return new Promise((resolve) => {
      this.#measuring.set(call, (outcome) => {
        this.#measuring.delete(call);
        signal.removeEventListener("abort", cancel);
        resolve(outcome);
      });
      signal.addEventListener("abort", cancel, { once: true });
      const update = this.#directory.updateFor(thread, instance);
      threads[thread].post({ kind: "measure", call, sample, update });
    });
  }

  /** Whether this thread is to answer a query itself. */
  #isOwn({ operation, namespace, body, isJob }: DispatchedQuery): Promise<boolean> | false {
    if (operation !== "query" || isJob) return false;
    const room = this.#ownRoom();
    if (room === undefined) return false;
    return this.#options.own?.admits({ namespace, bodyBytes: body.length }, room) ?? false;
  }

  /** Undefined if a query thread will be free soon, and is the better place for short queries. */
  #ownRoom(): OwnRoom | undefined {
    if (this.#running.size === 0) return "alone";
    const { clock, threads } = this.#options;
    const heldMs = clock.monotonicMs() - HELD_MS_MIN;
    const held = new Set<number>();
    let ownCount = 0;
    for (const { run } of this.#running.values()) {
      if (run === undefined) continue;
      if (run.thread === threads.length) ownCount++;
      else if (run.sentMs <= heldMs) held.add(run.thread);
    }
    return held.size === threads.length && ownCount < BESIDE_COUNT_MAX ? "beside" : undefined;
  }

  /** Hands a query to a thread: this one where `isOwn`, else the one with the least to do. */
  #begin(call: QueryCall, isOwn: boolean): void {
    const { namespace, signal, mayTrust } = call.query;
    const { clock, loads, threads, verify } = this.#options;
    const seen = this.#directory.state(namespace);
    if (seen === undefined) {
      call.close();
      return;
    }
    const thread = isOwn ? threads.length : loads.least;
    const load = 1 + Math.floor(call.bodyBytes / LOAD_BODY_BYTES);
    if (!isOwn) loads.begin(thread, load);
    const isShared = verify !== undefined && !mayTrust;
    const sentMs = clock.monotonicMs();
    const run = { call: this.#nextCall++, thread, load, sentMs, seen, isShared };
    call.begin(run);
    this.#running.set(run.call, call);
    this.#post(call.query, run);
    // The client may have left, or the server stopped, since the query asked for its slot.
    if (signal?.aborted === true) this.#cancel(call, CLIENT_LEFT);
    else if (this.#isStopping) this.#cancel(call, STOPPING);
  }

  /** Sends a query to its thread, with what that has not seen of the namespace. */
  #post(query: ArrivedQuery, { thread, call, seen: { instance }, isShared }: QueryRun): void {
    const { operation, namespace, parameters, isStrict, body, arrivedMs, isJob = false } = query;
    const { detailsMs, forcedFilter, key = "", tracedAtMs } = query;
    const { clock } = this.#options;
    this.#ports[thread].post(
      {
        kind: "query",
        call,
        operation,
        namespace,
        instance,
        parameters,
        forcedFilter,
        key,
        isStrict,
        isJob,
        body,
        waitedMs: clock.monotonicMs() - arrivedMs,
        sentAtMs: clock.nowMs(),
        detailsMs,
        tracedAtMs,
        isShared,
        update: this.#directory.updateFor(thread, instance),
      },
      [body.buffer],
    );
  }

  #cancel(call: QueryCall, message: string): void {
    if (call.run === undefined || !call.cancel()) return;
    const port = this.#ports[call.run.thread];
    port.post({ kind: "cancel", call: call.run.call, code: "unavailable", message });
  }

  #onMessage(thread: number, message: FromQueryThread) {
    switch (message.kind) {
      case "log":
        return this.#options.log(message.level, message.message, message.facts);
      case "metrics":
        this.#metrics[thread] = message.metrics;
        return;
      case "applied":
        return this.#directory.applied(thread, message.instance, message.version);
      case "offer":
        return this.#handOut(message);
      case "weight":
        void this.#reweigh(message);
        return;
      case "fresh":
        return this.#verify(message);
      case "answer":
      case "closed":
      case "handed_over":
      case "missing":
        return this.#leave(message);
      case "sampled":
        return this.#options.sampled?.(message.sample);
      case "measured":
        return this.#measuring.get(message.call)?.(message.outcome);
    }
  }

  /** A thread has nothing more to do for a query. */
  #leave(message: LeavingMessage): void {
    const call = this.#running.get(message.call);
    if (call?.run === undefined) return;
    const { loads, threads } = this.#options;
    const { thread, load } = call.run;
    this.#running.delete(message.call);
    if (thread < threads.length) loads.end(thread, load);
    switch (message.kind) {
      case "answer":
        this.#learn(call, call.run, message.answer);
        call.answer(message.answer);
        break;
      case "closed":
        call.closedWith(message.body);
        break;
      case "missing":
        call.miss(message.body, message.answer);
        break;
      case "handed_over":
        call.handOver(message.body);
        this.#begin(call, false);
    }
  }

  /** Notes what a query took, to know which ones are short. */
  #learn({ query, bodyBytes }: QueryCall, run: QueryRun, answer: HttpAnswer): void {
    const { operation, namespace } = query;
    const { clock, threads, own } = this.#options;
    const workedMs = answer.times?.workedMs;
    if (operation !== "query" || workedMs === undefined) return;
    // What it has waited for here it may have found at once on another thread.
    const tookMs = run.thread < threads.length ? workedMs : clock.monotonicMs() - run.sentMs;
    own?.note({ namespace, bodyBytes }, tookMs);
  }

  /** A query must see all that was committed so long ago: asks the store while it runs. */
  #verify({ call: id, stalenessMsMax }: MessageOf<"fresh">): void {
    const call = this.#running.get(id);
    if (call?.run === undefined) return;
    call.verify(this.#verification(call.query.namespace, call.run.seen, stalenessMsMax));
  }

  /** Asks whether a state is new enough; undefined: that is known already. */
  #verification(
    namespace: NamespaceName,
    state: NamespaceState,
    stalenessMsMax: number,
  ): Promise<Verification> | undefined {
    const { instance, sequence } = state;
    const known = this.#known.get(instance);
    if (known !== undefined && sequence >= known.sequence) {
      const ageMs = longestSince(this.#options.clock, known.at) + known.knownMs;
      if (ageMs < stalenessMsMax) return undefined;
    }
    const at = readClocks(this.#options.clock);
    return this.#options.verify?.(namespace, instance, stalenessMsMax).then((seen) => {
      const isOpen = this.#directory.state(namespace)?.instance === instance;
      if (seen.kind === "verified" && isOpen) this.#known.set(instance, { at, ...seen.state });
      return seen;
    });
  }

  /** Hands parts of a query to threads that idle and can see just what the query sees. */
  #handOut({ offer, ports }: MessageOf<"offer">): void {
    const { instance, version } = offer;
    const waiting = [...ports];
    for (const thread of this.#options.loads.idle) {
      if (waiting.length === 0) return;
      const seen = this.#directory.updateTo(thread, instance, version);
      if (seen === undefined) continue;
      const [port] = waiting.splice(0, 1);
      const { update } = seen;
      this.#options.threads[thread].post({ kind: "help", offer, port, update }, [port]);
    }
    for (const port of waiting) port.close();
  }

  /** Exchanges a query's one slot for as many as it weighs. */
  async #reweigh({ call: id, weight }: MessageOf<"weight">): Promise<void> {
    const call = this.#running.get(id);
    if (call?.run === undefined) return;
    const port = this.#ports[call.run.thread];
    try {
      await call.slots.exchange(weight);
      port.post({ kind: "admitted", call: id });
    } catch (error) {
      if (!isDatabaseError(error, "overloaded")) throw error;
      const retryAfterMs = error.retryAfterMs ?? QUERY_SLOT_WAIT_MS_MAX;
      port.post({ kind: "refused", call: id, message: error.message, retryAfterMs });
    }
  }
}
