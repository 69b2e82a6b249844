/**
 * Requests that are answered asynchronously: the client gets a token at once and polls for the
 * result, which is kept for OPERATION_RESULT_MS after it is there.
 */

import type { Clock } from "../base/clock.ts";
import type { NamespaceName } from "../base/ids.ts";
import type { Random } from "../base/random.ts";
import { OPERATION_RESULT_MS } from "../model/contract-limits.ts";
import type { HttpAnswer } from "./engine.ts";

/** Asynchronous operations remembered at once, running or finished; our choice. */
export const OPERATIONS_MAX = 10_000;

/** Where one operation stands. */
export type OperationState =
  | {
      readonly kind: "running";
      /** Times are milliseconds since the epoch. */
      readonly startedAtMs: number;
      readonly progress: string | undefined;
    }
  | {
      readonly kind: "finished";
      readonly startedAtMs: number;
      readonly finishedAtMs: number;
      readonly answer: HttpAnswer;
    };

interface Operation {
  readonly namespace: NamespaceName;
  state: OperationState;
  expiresAtMs: number;
}

/** All asynchronous operations of this process; they do not outlive it. */
export class OperationRegistry {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #operations = new Map<string, Operation>();

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  /** No more operations can be started now. */
  get isFull(): boolean {
    this.#forgetExpired();
    return this.#operations.size >= OPERATIONS_MAX;
  }

  /** Follows `answer` under a new token; undefined when too many operations are remembered. */
  start(namespace: NamespaceName, answer: Promise<HttpAnswer>): string | undefined {
    if (this.isFull) return undefined;
    const startedAtMs = Math.round(this.#clock.nowMs());
    const token = Buffer.from(this.#random.bytes(16)).toString("hex");
    const operation: Operation = {
      namespace,
      state: { kind: "running", startedAtMs, progress: undefined },
      expiresAtMs: Number.POSITIVE_INFINITY,
    };
    this.#operations.set(token, operation);
    void answer.then((finished) => {
      // Clocks may be set back meanwhile.
      const finishedAtMs = Math.max(startedAtMs, Math.round(this.#clock.nowMs()));
      operation.state = { kind: "finished", startedAtMs, finishedAtMs, answer: finished };
      operation.expiresAtMs = this.#clock.monotonicMs() + OPERATION_RESULT_MS;
    });
    return token;
  }

  /** Notes how far an operation is, for the next poll. */
  progress(token: string, text: string): void {
    const operation = this.#operations.get(token);
    if (operation?.state.kind !== "running") return;
    operation.state = { ...operation.state, progress: text };
  }

  /** The state of an operation of this namespace; undefined if there is none, or no more. */
  state(namespace: NamespaceName, token: string): OperationState | undefined {
    this.#forgetExpired();
    const operation = this.#operations.get(token);
    return operation?.namespace === namespace ? operation.state : undefined;
  }

  #forgetExpired(): void {
    const now = this.#clock.monotonicMs();
    for (const [token, operation] of this.#operations) {
      if (operation.expiresAtMs <= now) this.#operations.delete(token);
    }
  }
}
