/**
 * The main thread's side of the talk with the query threads: picks a thread, brings it up to date,
 * holds the namespace's slots while the query runs.
 */

import type { EngineLog } from "../../api/config.ts";
import type { EngineAnswer, EngineMetric } from "../../api/engine.ts";
import type { Clock } from "../../base/clock.ts";
import { isDatabaseError } from "../../base/errors.ts";
import type { NamespaceName } from "../../base/ids.ts";
import { QUERY_SLOT_WAIT_MS_MAX } from "../../base/limits.ts";
import type {
  NamespaceInstance,
  NamespaceState,
  PublishedDelta,
} from "../../namespace/published-state.ts";
import type {
  ArenaMessage,
  FromQueryThread,
  QueryOperation,
  ToQueryThread,
} from "../thread-messages.ts";
import type { ThreadPort } from "../thread-port.ts";
import { QuerySlots } from "./query-slots.ts";
import { SnapshotDirectory } from "./snapshot-directory.ts";

/** A query as it is handed to a thread. */
export interface DispatchedQuery {
  readonly operation: QueryOperation;
  readonly namespace: NamespaceName;
  readonly parameters: Readonly<Record<string, string>>;
  /** Moves to the query thread. */
  readonly body: Uint8Array<ArrayBuffer>;
  /**
   * The instance that it ran on was closed since it arrived. The next one was opened after that,
   * and so has seen all that it must see.
   */
  readonly wasClosed?: boolean;
  /** A segment was missing since it arrived, and the namespace was brought up to date. */
  readonly wasRefreshed?: boolean;
}

/** What became of a query. */
export type DispatchOutcome =
  | { readonly kind: "answered"; readonly answer: EngineAnswer }
  /** The namespace was deleted or closed before it ran; open it and dispatch `query` once more. */
  | { readonly kind: "closed"; readonly query: DispatchedQuery }
  /**
   * A stored segment is missing: bring the namespace up to date and dispatch `query` once more. If
   * it is missing then, too, `answer` says so.
   */
  | { readonly kind: "missing"; readonly query: DispatchedQuery; readonly answer: EngineAnswer };

/** What the dispatcher is made of. */
export interface DispatcherParts {
  readonly clock: Clock;
  readonly log: EngineLog;
  readonly threads: readonly ThreadPort<ToQueryThread, FromQueryThread>[];
  /** No query thread reads what this instance dropped up to `version`. */
  release(instance: NamespaceInstance, version: number): void;
  /**
   * Asks whether an instance has seen all that is committed; absent where nobody else writes to the
   * store. Gives the error answer where that could not be found out.
   */
  verify?(namespace: NamespaceName, instance: NamespaceInstance): Promise<Verification>;
}

/** Whether an instance has seen all that is committed. */
export type Verification =
  | { readonly kind: "current" }
  | { readonly kind: "behind" }
  | { readonly kind: "failed"; readonly answer: EngineAnswer };

interface RunningQuery {
  /** The query must see all that is committed: asks for that while it runs. */
  readonly verify: () => void;
  readonly ended: (outcome: EngineAnswer | Uint8Array<ArrayBuffer>) => void;
  readonly missing: (body: Uint8Array<ArrayBuffer>, answer: EngineAnswer) => void;
  readonly slots: QuerySlots;
  weight: number;
}

/** All query threads. */
export class QueryDispatcher {
  readonly #parts: DispatcherParts;
  readonly #directory: SnapshotDirectory;
  readonly #slots = new Map<NamespaceName, QuerySlots>();
  readonly #running = new Map<number, RunningQuery>();
  readonly #load: number[];
  readonly #metrics: (readonly EngineMetric[])[] = [];
  #nextCall = 1;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    this.#load = parts.threads.map(() => 0);
    this.#directory = new SnapshotDirectory({
      update: (thread, update) => parts.threads[thread].post({ kind: "update", update }),
      release: (instance, version) => parts.release(instance, version),
    });
    parts.threads.forEach((port, thread) => {
      port.listen((message) => this.#hear(thread, message));
    });
  }

  /** The newest figures of all threads. */
  metrics(): readonly EngineMetric[] {
    return this.#metrics.flat();
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
    this.#directory.publish(namespace, deltas, state);
  }

  /** Makes a shared memory known to all threads. */
  addArena(message: ArenaMessage): void {
    for (const thread of this.#parts.threads) thread.post(message);
  }

  /** Runs one query over the newest published state of a namespace. Throws `overloaded`. */
  async run(query: DispatchedQuery): Promise<DispatchOutcome> {
    const { namespace } = query;
    let slots = this.#slots.get(namespace);
    if (slots === undefined) {
      slots = new QuerySlots(this.#parts.clock);
      this.#slots.set(namespace, slots);
    }
    const arrivedMs = this.#parts.clock.monotonicMs();
    await slots.acquire(1);
    const running = { slots, weight: 1 };
    try {
      const waitedMs = this.#parts.clock.monotonicMs() - arrivedMs;
      return await this.#send(query, running, waitedMs);
    } finally {
      slots.release(running.weight);
      if (slots.idle) this.#slots.delete(namespace);
    }
  }

  #send(
    query: DispatchedQuery,
    running: { slots: QuerySlots; weight: number },
    waitedMs: number,
  ): Promise<DispatchOutcome> {
    const { operation, namespace, parameters, body } = query;
    const state = this.#directory.state(namespace);
    if (state === undefined) return Promise.resolve({ kind: "closed", query });
    const thread = this.#load.indexOf(Math.min(...this.#load));
    const call = this.#nextCall++;
    this.#load[thread]++;
    const isShared = this.#parts.verify !== undefined && !query.wasClosed;
    // The body moves to the thread; where the query may have to run again, a copy stays.
    const kept = isShared ? body.slice() : undefined;
    return new Promise<DispatchOutcome>((resolve) => {
      let verification: Promise<Verification> | undefined;
      const verify = () => {
        verification = this.#parts.verify?.(namespace, state.instance);
      };
      const ended = (outcome: EngineAnswer | Uint8Array<ArrayBuffer>) => {
        this.#load[thread]--;
        this.#running.delete(call);
        if (outcome instanceof Uint8Array) {
          resolve({ kind: "closed", query: { ...query, body: outcome, wasClosed: true } });
        } else if (verification === undefined || kept === undefined) {
          resolve({ kind: "answered", answer: outcome });
        } else {
          const again = { ...query, body: kept, wasClosed: true };
          void verification.then((seen) => resolve(outcomeOf(seen, outcome, again)));
        }
      };
      const missing = (returned: Uint8Array<ArrayBuffer>, answer: EngineAnswer) => {
        if (query.wasRefreshed) return ended(answer);
        this.#load[thread]--;
        this.#running.delete(call);
        const again = { ...query, body: returned, wasRefreshed: true };
        resolve({ kind: "missing", query: again, answer });
      };
      this.#running.set(call, Object.assign(running, { ended, missing, verify }));
      const update = this.#directory.updateFor(thread, state.instance);
      this.#parts.threads[thread].post(
        {
          kind: "query",
          call,
          operation,
          namespace,
          instance: state.instance,
          parameters,
          body,
          waitedMs,
          isShared,
          update,
        },
        [body.buffer],
      );
    });
  }

  #hear(thread: number, message: FromQueryThread) {
    switch (message.kind) {
      case "log":
        return this.#parts.log(message.level, message.message, message.facts);
      case "metrics":
        this.#metrics[thread] = message.metrics;
        return;
      case "applied":
        return this.#directory.applied(thread, message.instance, message.version);
      case "strong":
        return this.#running.get(message.call)?.verify();
      case "answer":
        return this.#running.get(message.call)?.ended(message.answer);
      case "closed":
        return this.#running.get(message.call)?.ended(message.body);
      case "missing":
        return this.#running.get(message.call)?.missing(message.body, message.answer);
      case "weight":
        void this.#reweigh(thread, message.call, message.weight);
        return;
    }
  }

  /**
   * Exchanges a query's one slot for `weight` slots. It gives its slot back first: if it kept it,
   * sixteen heavy queries could wait for each other.
   */
  async #reweigh(thread: number, call: number, weight: number): Promise<void> {
    const running = this.#running.get(call);
    if (running === undefined) return;
    const port = this.#parts.threads[thread];
    running.slots.release(running.weight);
    running.weight = 0;
    try {
      await running.slots.acquire(weight);
      running.weight = weight;
      port.post({ kind: "admitted", call });
    } catch (error) {
      if (!isDatabaseError(error, "overloaded")) throw error;
      const retryAfterMs = error.retryAfterMs ?? QUERY_SLOT_WAIT_MS_MAX;
      port.post({ kind: "refused", call, message: error.message, retryAfterMs });
    }
  }
}

function outcomeOf(
  seen: Verification,
  answer: EngineAnswer,
  query: DispatchedQuery,
): DispatchOutcome {
  if (seen.kind === "behind") return { kind: "closed", query };
  return { kind: "answered", answer: seen.kind === "failed" ? seen.answer : answer };
}
