/**
 * The main thread's side of the talk with the query threads: picks a thread, brings it up to date,
 * holds the namespace's slots while the query runs.
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
  QueryOperation,
  RecallOutcome,
  RecallSample,
  ToQueryThread,
} from "../thread-messages.ts";
import type { ThreadPort } from "../thread-port.ts";
import { BESIDE_COUNT_MAX, type OwnQueries, type OwnRoom } from "./own-queries.ts";
import type { QueryDeadlines } from "./query-deadlines.ts";
import { SnapshotDirectory } from "./snapshots/snapshot-directory.ts";
import type { ThreadLoads } from "./thread-loads.ts";
import { querySlotsOf } from "./turns/query-slots.ts";
import type { WeightedSlots } from "./turns/weighted-slots.ts";

/** A query as it is handed to a thread. */
export interface DispatchedQuery {
  readonly operation: QueryOperation;
  readonly namespace: NamespaceName;
  readonly parameters: Readonly<Record<string, string>>;
  /** See `RequestScope`. */
  readonly forcedFilter?: string | undefined;
  /** Id of the key that it came with; absent: none. */
  readonly key?: string | undefined;
  /** Unknown members of the body are refused. */
  readonly isStrict: boolean;
  /** Moves to the query thread. */
  readonly body: Uint8Array<ArrayBuffer>;
  /**
   * Since it arrived what is published of the namespace was brought up to all that it must see: the
   * store need not be asked again.
   */
  readonly mayTrust?: boolean;
  /** A segment was missing since it arrived, and the namespace was brought up to date. */
  readonly wasRefreshed?: boolean;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal;
  /** Its answer is fetched later: `--query-timeout` does not end it. */
  readonly isJob?: boolean;
  /** When its first byte came, by the monotonic clock. Absent: now. */
  readonly arrivedMs?: number;
  /** From how many milliseconds on its answer has details. Absent: never. */
  readonly detailsMs?: number | undefined;
  /** It is traced; see `EngineRequest`. */
  readonly tracedAtMs?: number | undefined;
}

/** What became of a query. */
export type DispatchOutcome =
  | { readonly kind: "answered"; readonly answer: HttpAnswer }
  /** The namespace was deleted or closed before it ran; open it and dispatch `query` once more. */
  | { readonly kind: "closed"; readonly query: DispatchedQuery }
  /** It ran on an older state than it must see; dispatch `query` once more. */
  | { readonly kind: "outdated"; readonly query: DispatchedQuery }
  /**
   * A stored segment is missing: bring the namespace up to date and dispatch `query` once more. If
   * it is missing then, too, `answer` says so.
   */
  | { readonly kind: "missing"; readonly query: DispatchedQuery; readonly answer: HttpAnswer };

/** A query whose time of arrival is known. */
export type ArrivedQuery = DispatchedQuery & { readonly arrivedMs: number };

/** Where a query is sent, and what it sees. */
interface PostedQuery {
  readonly thread: number;
  readonly call: number;
  readonly instance: NamespaceInstance;
  readonly isShared: boolean;
}

/** A query that this thread has no time for. */
interface HandedOverQuery {
  readonly kind: "handed_over";
  readonly body: Uint8Array<ArrayBuffer>;
}

const STORE_WORD = "the object store to tell whether other servers have written";
const CLIENT_LEFT = "the client has left before its query was done";
const STOPPING = "this server is shutting down; send the query to another one, or retry later";
/** A query with so large a body counts as one more when a thread is picked: it takes long to read. */
const LOAD_BODY_BYTES = 64 * KIB;

/** Milliseconds for which a thread has had a query when it counts as held by it. */
const HELD_MS_MIN = 5;

/** What the dispatcher is made of. */
export interface DispatcherOptions {
  readonly clock: Clock;
  readonly log: StructuredLog;
  readonly deadlines: QueryDeadlines;
  readonly threads: readonly ThreadPort<ToQueryThread, FromQueryThread>[];
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

/** The result of asking the store about an instance. */
export type Verification =
  | { readonly kind: "verified"; readonly state: VerifiedState }
  /** The instance is closed. */
  | { readonly kind: "closed" }
  /** The store could not be read; `answer` has the reason. */
  | { readonly kind: "failed"; readonly answer: HttpAnswer };

interface RunningQuery {
  readonly thread: number;
  /** When it was sent there, by the monotonic clock. */
  readonly sentMs: number;
  /** Its thread was told to end it. */
  isCancelled: boolean;
  /** The query must see all that was committed so long ago: asks for that while it runs. */
  readonly verify: (stalenessMsMax: number) => void;
  readonly ended: (outcome: HttpAnswer | Uint8Array<ArrayBuffer>) => void;
  readonly missing: (body: Uint8Array<ArrayBuffer>, answer: HttpAnswer) => void;
  readonly handedOver: (body: Uint8Array<ArrayBuffer>) => void;
  readonly slots: WeightedSlots;
  weight: number;
  /** How long it waited for its first slot. */
  readonly waitedMs: number;
}

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
  readonly #slots = new Map<NamespaceName, WeightedSlots>();
  readonly #running = new NumberMap<RunningQuery>();
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
    for (const [call, running] of this.#running.entries()) this.#cancel(call, running, STOPPING);
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
    if (this.#isStopping) throw new DatabaseError("unavailable", STOPPING);
    if (signal?.aborted === true) throw new DatabaseError("unavailable", CLIENT_LEFT);
    let slots = this.#slots.get(namespace);
    if (slots === undefined) {
      slots = querySlotsOf(this.#options.clock);
      this.#slots.set(namespace, slots);
    }
    const { clock } = this.#options;
    const startMs = clock.monotonicMs();
    const arrivedMs = query.arrivedMs ?? startMs;
    await slots.acquire(1, signal);
    const running = { slots, weight: 1, waitedMs: clock.monotonicMs() - startMs };
    try {
      let sent = { ...query, arrivedMs };
      let isOwn = await this.#isOwn(query);
      // Others may have come in between.
      isOwn &&= this.#ownRoom() !== undefined;
      for (; ; isOwn = false) {
        if (this.#isStopping) throw new DatabaseError("unavailable", STOPPING);
        const outcome = await this.#send(sent, running, isOwn);
        if (outcome.kind !== "handed_over") return outcome;
        sent = { ...sent, body: outcome.body };
      }
    } finally {
      slots.release(running.weight);
      if (slots.idle) this.#slots.delete(namespace);
    }
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

  /** Undefined where short queries are better off on a query thread, which is soon free. */
  #ownRoom(): OwnRoom | undefined {
    if (this.#running.size === 0) return "alone";
    const { clock, threads } = this.#options;
    const heldMs = clock.monotonicMs() - HELD_MS_MIN;
    const held = new Set<number>();
    let ownCount = 0;
    for (const { thread, sentMs } of this.#running.values()) {
      if (thread === threads.length) ownCount++;
      else if (sentMs <= heldMs) held.add(thread);
    }
    return held.size === threads.length && ownCount < BESIDE_COUNT_MAX ? "beside" : undefined;
  }

  #send(
    query: ArrivedQuery,
    holding: Pick<RunningQuery, "slots" | "weight" | "waitedMs">,
    isOwn: boolean,
  ): Promise<DispatchOutcome | HandedOverQuery> {
    const { operation, namespace, body, signal } = query;
    const { clock, deadlines, loads, threads, own } = this.#options;
    const sentMs = clock.monotonicMs();
    const state = this.#directory.state(namespace);
    if (state === undefined) return Promise.resolve({ kind: "closed", query });
    const thread = isOwn ? threads.length : loads.least;
    const call = this.#nextCall++;
    const bodyBytes = body.length;
    const load = 1 + Math.floor(bodyBytes / LOAD_BODY_BYTES);
    if (!isOwn) loads.begin(thread, load);
    const isShared = this.#options.verify !== undefined && !query.mayTrust;
    // The body moves to the thread; where the query may have to run again, a copy stays.
    const kept = isShared ? body.slice() : undefined;
    return new Promise((resolve, reject) => {
      let verification: Promise<Verification> | undefined;
      const verify = (stalenessMsMax: number) => {
        verification = this.#verify(namespace, state, stalenessMsMax);
      };
      const cancel = () => this.#cancel(call, running, CLIENT_LEFT);
      const leave = () => {
        if (!isOwn) loads.end(thread, load);
        this.#running.delete(call);
        signal?.removeEventListener("abort", cancel);
      };
      const ended = (outcome: HttpAnswer | Uint8Array<ArrayBuffer>) => {
        leave();
        const workedMs = "times" in outcome ? outcome.times?.workedMs : undefined;
        if (operation === "query" && workedMs !== undefined) {
          // What it has waited for here it may have found at once on another thread.
          const tookMs = isOwn ? clock.monotonicMs() - sentMs : workedMs;
          own?.note({ namespace, bodyBytes }, tookMs);
        }
        if (outcome instanceof Uint8Array) {
          resolve({ kind: "closed", query: { ...query, body: outcome, mayTrust: true } });
        } else if (verification === undefined || kept === undefined) {
          resolve({ kind: "answered", answer: outcome });
        } else {
          const again = { ...query, body: kept, mayTrust: true };
          const seen = deadlines.during(query, verification, STORE_WORD);
          seen.then((word) => resolve(outcomeOf(word, { answer: outcome, state, again })), reject);
        }
      };
      const missing = (returned: Uint8Array<ArrayBuffer>, answer: HttpAnswer) => {
        if (query.wasRefreshed) return ended(answer);
        leave();
        const again = { ...query, body: returned, wasRefreshed: true };
        resolve({ kind: "missing", query: again, answer });
      };
      const handedOver = (returned: Uint8Array<ArrayBuffer>) => {
        leave();
        resolve({ kind: "handed_over", body: returned });
      };
      const facts = { thread, sentMs, isCancelled: false, ended, missing, handedOver, verify };
      const running: RunningQuery = Object.assign(holding, facts);
      this.#running.set(call, running);
      signal?.addEventListener("abort", cancel, { once: true });
      this.#post(query, { thread, call, instance: state.instance, isShared });
      // The client may have left while a slot was waited for.
      if (signal?.aborted === true) cancel();
    });
  }

  /** Sends a query to its thread, with what that has not seen of the namespace. */
  #post(query: ArrivedQuery, { thread, call, instance, isShared }: PostedQuery): void {
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

  #cancel(call: number, running: RunningQuery, message: string): void {
    running.isCancelled = true;
    const port = this.#ports[running.thread];
    port.post({ kind: "cancel", call, code: "unavailable", message });
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
      case "fresh":
        return this.#running.get(message.call)?.verify(message.stalenessMsMax);
      case "answer":
        return this.#running.get(message.call)?.ended(message.answer);
      case "closed":
        return this.#running.get(message.call)?.ended(message.body);
      case "handed_over":
        return this.#running.get(message.call)?.handedOver(message.body);
      case "missing":
        return this.#running.get(message.call)?.missing(message.body, message.answer);
      case "sampled":
        return this.#options.sampled?.(message.sample);
      case "measured":
        return this.#measuring.get(message.call)?.(message.outcome);
      case "weight":
        void this.#reweigh(thread, message.call, message.weight);
        return;
    }
  }

  /** Asks whether a state is new enough; undefined: that is known already. */
  #verify(
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
  #handOut({ offer, ports }: Extract<FromQueryThread, { kind: "offer" }>): void {
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

  /**
   * Exchanges a query's one slot for `weight` slots. It gives its slot back first: if it kept it,
   * sixteen heavy queries could wait for each other.
   */
  async #reweigh(thread: number, call: number, weight: number): Promise<void> {
    const running = this.#running.get(call);
    if (running === undefined) return;
    const port = this.#ports[thread];
    running.slots.release(running.weight);
    running.weight = 0;
    try {
      await running.slots.acquire(weight, undefined, running.waitedMs);
      // It may have ended meanwhile.
      if (!this.#running.has(call)) return running.slots.release(weight);
      running.weight = weight;
      port.post({ kind: "admitted", call });
    } catch (error) {
      if (!isDatabaseError(error, "overloaded")) throw error;
      const retryAfterMs = error.retryAfterMs ?? QUERY_SLOT_WAIT_MS_MAX;
      port.post({ kind: "refused", call, message: error.message, retryAfterMs });
    }
  }
}

/** Decides about a query that ran on `state`, by the result of its verification. */
function outcomeOf(
  seen: Verification,
  ran: {
    readonly answer: HttpAnswer;
    readonly state: Pick<NamespaceState, "sequence">;
    readonly again: DispatchedQuery;
  },
): DispatchOutcome {
  switch (seen.kind) {
    case "closed":
      return { kind: "closed", query: ran.again };
    case "failed":
      return { kind: "answered", answer: seen.answer };
    case "verified": {
      const isOutdated = ran.state.sequence < seen.state.sequence;
      if (isOutdated) return { kind: "outdated", query: ran.again };
      return { kind: "answered", answer: ran.answer };
    }
  }
}
