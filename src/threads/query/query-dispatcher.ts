/**
 * The main thread's side of the talk with the query threads: picks a thread, brings it up to date,
 * holds the namespace's slots while the query runs.
 */

import type { EngineMetric, HttpAnswer } from "../../api/engine.ts";
import type { Clock } from "../../base/clock.ts";
import { isDatabaseError } from "../../base/errors.ts";
import type { NamespaceName } from "../../base/ids.ts";
import type { StructuredLog } from "../../base/structured-log.ts";
import type { ArenaMessage } from "../../kernel/arena.ts";
import { QUERY_SLOT_WAIT_MS_MAX } from "../../model/contract-limits.ts";
import type {
  NamespaceInstance,
  NamespaceState,
  PublishedDelta,
} from "../../namespace/published-state.ts";
import type { FromQueryThread, QueryOperation, ToQueryThread } from "../thread-messages.ts";
import type { ThreadPort } from "../thread-port.ts";
import { QuerySlots } from "./query-slots.ts";
import { SnapshotDirectory } from "./snapshot-directory.ts";
import type { ThreadLoads } from "./thread-loads.ts";

/** A query as it is handed to a thread. */
export interface DispatchedQuery {
  readonly operation: QueryOperation;
  readonly namespace: NamespaceName;
  readonly parameters: Readonly<Record<string, string>>;
  /** Moves to the query thread. */
  readonly body: Uint8Array<ArrayBuffer>;
  /**
   * Since it arrived what is published of the namespace was brought up to all that it must see: the
   * store need not be asked again.
   */
  readonly mayTrust?: boolean;
  /** A segment was missing since it arrived, and the namespace was brought up to date. */
  readonly wasRefreshed?: boolean;
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

/** What the dispatcher is made of. */
export interface DispatcherOptions {
  readonly clock: Clock;
  readonly log: StructuredLog;
  readonly threads: readonly ThreadPort<ToQueryThread, FromQueryThread>[];
  /** Of these threads; the dispatcher alone counts. */
  readonly loads: ThreadLoads;
  /** No query thread reads what this instance dropped up to `version`. */
  release(instance: NamespaceInstance, version: number): void;
  /**
   * Asks whether a published state has all that is committed by now; absent where nobody else
   * writes to the store. Gives the error answer where that could not be found out.
   */
  verify?(
    namespace: NamespaceName,
    state: Pick<NamespaceState, "instance" | "sequence">,
  ): Promise<Verification>;
}

/** Whether a published state has all that is committed. */
export type Verification =
  | { readonly kind: "current" }
  /** It has not; what is published of the instance now has. */
  | { readonly kind: "outdated" }
  /** The instance is closed. */
  | { readonly kind: "closed" }
  | { readonly kind: "failed"; readonly answer: HttpAnswer };

interface RunningQuery {
  /** The query must see all that is committed: asks for that while it runs. */
  readonly verify: () => void;
  readonly ended: (outcome: HttpAnswer | Uint8Array<ArrayBuffer>) => void;
  readonly missing: (body: Uint8Array<ArrayBuffer>, answer: HttpAnswer) => void;
  readonly slots: QuerySlots;
  weight: number;
}

/** All query threads. */
export class QueryDispatcher {
  readonly #options: DispatcherOptions;
  readonly #directory: SnapshotDirectory;
  readonly #slots = new Map<NamespaceName, QuerySlots>();
  readonly #running = new Map<number, RunningQuery>();
  readonly #metrics: (readonly EngineMetric[])[] = [];
  #nextCall = 1;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#directory = new SnapshotDirectory({
      update: (thread, update) => options.threads[thread].post({ kind: "update", update }),
      release: (instance, version) => options.release(instance, version),
    });
    options.threads.forEach((port, thread) => {
      port.listen((message) => this.#onMessage(thread, message));
    });
  }

  /** The newest stats of all threads. */
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
    for (const thread of this.#options.threads) thread.post(message);
  }

  /** Runs one query over the newest published state of a namespace. Throws `overloaded`. */
  async run(query: DispatchedQuery): Promise<DispatchOutcome> {
    const { namespace } = query;
    let slots = this.#slots.get(namespace);
    if (slots === undefined) {
      slots = new QuerySlots(this.#options.clock);
      this.#slots.set(namespace, slots);
    }
    const arrivedMs = this.#options.clock.monotonicMs();
    await slots.acquire(1);
    const running = { slots, weight: 1 };
    try {
      const waitedMs = this.#options.clock.monotonicMs() - arrivedMs;
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
    const { loads } = this.#options;
    const thread = loads.least;
    const call = this.#nextCall++;
    loads.begin(thread);
    const isShared = this.#options.verify !== undefined && !query.mayTrust;
    // The body moves to the thread; where the query may have to run again, a copy stays.
    const kept = isShared ? body.slice() : undefined;
    return new Promise<DispatchOutcome>((resolve) => {
      let verification: Promise<Verification> | undefined;
      const verify = () => {
        verification = this.#options.verify?.(namespace, state);
      };
      const ended = (outcome: HttpAnswer | Uint8Array<ArrayBuffer>) => {
        loads.end(thread);
        this.#running.delete(call);
        if (outcome instanceof Uint8Array) {
          resolve({ kind: "closed", query: { ...query, body: outcome, mayTrust: true } });
        } else if (verification === undefined || kept === undefined) {
          resolve({ kind: "answered", answer: outcome });
        } else {
          const again = { ...query, body: kept, mayTrust: true };
          void verification.then((seen) => resolve(outcomeOf(seen, outcome, again)));
        }
      };
      const missing = (returned: Uint8Array<ArrayBuffer>, answer: HttpAnswer) => {
        if (query.wasRefreshed) return ended(answer);
        loads.end(thread);
        this.#running.delete(call);
        const again = { ...query, body: returned, wasRefreshed: true };
        resolve({ kind: "missing", query: again, answer });
      };
      this.#running.set(call, Object.assign(running, { ended, missing, verify }));
      const update = this.#directory.updateFor(thread, state.instance);
      this.#options.threads[thread].post(
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
    const port = this.#options.threads[thread];
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
  answer: HttpAnswer,
  query: DispatchedQuery,
): DispatchOutcome {
  if (seen.kind === "outdated" || seen.kind === "closed") return { kind: seen.kind, query };
  return { kind: "answered", answer: seen.kind === "failed" ? seen.answer : answer };
}
