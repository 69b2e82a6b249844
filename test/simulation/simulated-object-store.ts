/**
 * The store of a simulated cluster. Every call is two events: its effect, and its answer. Faults
 * come in between, as the fault profile has it; what takes effect is recorded, for the judges.
 */

import { DatabaseError } from "../../src/base/errors.ts";
import { joinPieces } from "../../src/base/pieces.ts";
import {
  type ListPage,
  type ListRequest,
  type ObjectBody,
  type ObjectKey,
  type ObjectStore,
  type PutCondition,
  type PutOutcome,
  piecesOf,
} from "../../src/storage/object-store.ts";
import { MemoryObjectStore } from "../support/stores/memory-object-store.ts";
import { damaged, drawFault, type Fault, type FaultProfile } from "./fault-profile.ts";
import type { Scheduler } from "./scheduler.ts";
import type { SimulatedProcess } from "./simulated-process.ts";

/** A change that took effect. */
export interface Effect {
  /** Number of the event. */
  readonly event: number;
  /** True time. */
  readonly atMs: number;
  readonly kind: "put" | "delete";
  readonly key: ObjectKey;
  /** What was put. */
  readonly body: Uint8Array | undefined;
  /** Whose call it was. */
  readonly by: string;
}

/** All objects, and everything that ever happened to them. */
export class SimulatedObjectStore {
  readonly effects: Effect[] = [];
  faultProfile: FaultProfile;
  /** Answers that were damaged on their way. */
  damages = 0;
  readonly #scheduler: Scheduler;
  readonly #inner = new MemoryObjectStore();
  readonly #keys = new Map<ObjectKey, Uint8Array>();
  #pending = 0;

  constructor(scheduler: Scheduler, faultProfile: FaultProfile) {
    this.#scheduler = scheduler;
    this.faultProfile = faultProfile;
  }

  /** The objects as they are now, without faults and without time. */
  get objects(): ReadonlyMap<ObjectKey, Uint8Array> {
    return this.#keys;
  }

  /** Effects that are still to come. */
  get pendingCount(): number {
    return this.#pending;
  }

  /** The store as one process reaches it. */
  connect(process: SimulatedProcess): ObjectStore {
    const call = <T>(what: string, key: ObjectKey | "", effect: () => Promise<T>) =>
      this.#call(process, { what, key, effect });
    return {
      get: (key) => call("get", key, () => this.#inner.get(key)),
      getRange: (key, start, end) =>
        call("get range", key, () => this.#inner.getRange(key, start, end)),
      put: (key, body, condition) =>
        call<PutOutcome>("put", key, () => this.#put(process, key, { body, condition })),
      list: (request: ListRequest) => call<ListPage>("list", "", () => this.#inner.list(request)),
      delete: (key) =>
        call("delete", key, async () => {
          await this.#inner.delete(key);
          this.#keys.delete(key);
          this.#record("delete", key, { by: process.name });
        }),
    };
  }

  #put(
    process: SimulatedProcess,
    key: ObjectKey,
    { body, condition }: { body: ObjectBody; condition: PutCondition },
  ): Promise<PutOutcome> {
    // Of one thread, so that nothing comes between the test and the put.
    if (condition.kind === "absent" && this.#keys.has(key)) {
      return Promise.resolve({ kind: "conflict" });
    }
    const bytes = Uint8Array.from(joinPieces(piecesOf(body)));
    this.#keys.set(key, bytes);
    this.#record("put", key, { by: process.name, body: bytes });
    return this.#inner.put(key, bytes, { kind: "always" });
  }

  #record(kind: Effect["kind"], key: ObjectKey, of: { by: string; body?: Uint8Array }): void {
    const { eventCount: event, nowMs: atMs } = this.#scheduler;
    this.effects.push({ event, atMs, kind, key, body: of.body, by: of.by });
  }

  /** A call leaves the process at once: it takes effect whatever becomes of the process. */
  #call<T>(
    process: SimulatedProcess,
    of: { what: string; key: ObjectKey | ""; effect: () => Promise<T> },
  ): Promise<T> {
    const { what, key, effect } = of;
    const scheduler = this.#scheduler;
    const fault = drawFault(scheduler.random, this.faultProfile, what);
    const label = `${what} ${key} ${fault.kind}`;
    return new Promise<T>((resolve, reject) => {
      const fail = () => {
        const code = fault.kind === "overloaded" ? "overloaded" : "unavailable";
        reject(new DatabaseError(code, `simulated trouble: ${label}`));
      };
      const answer = (action: () => void) =>
        scheduler.after(fault.answerMs, `answer of ${label}`, action, process);
      if (fault.kind === "before" || fault.kind === "overloaded") return answer(fail);
      if (fault.kind === "late") answer(fail);
      this.#pending++;
      scheduler.after(fault.effectMs, `${label} by ${process.name}`, () => {
        this.#pending--;
        // A process that has ended may have done so before the call had left it.
        if (process.hasEnded && scheduler.random.below(2) === 0) return;
        void effect().then((result) => {
          if (fault.kind === "late") return;
          answer(fault.kind === "lost" ? fail : () => resolve(this.#bent(result, fault)));
        });
      });
    });
  }

  /** The result as it arrives. */
  #bent<T>(result: T, fault: Fault): T {
    if (fault.kind === "repeated" && isOutcome(result)) return { kind: "conflict" } as T;
    if (fault.kind !== "damaged" || !(result instanceof Uint8Array)) return result;
    this.damages++;
    const others = [...this.#keys.values()];
    return damaged(result, others, this.#scheduler.random) as T;
  }
}

function isOutcome(result: unknown): result is PutOutcome {
  return typeof result === "object" && result !== null && "kind" in result;
}
