/**
 * Bounds how many queries of one namespace run at once. A query holds as many slots as it weighs
 * (contract: aggregations 4, kNN 2, others 1); one that does not fit waits in order of arrival, for
 * at most QUERY_SLOT_WAIT_MS_MAX, and is then refused.
 */

import type { Clock } from "../../base/clock.ts";
import { DatabaseError } from "../../base/errors.ts";
import { QUERY_SLOT_WAIT_MS_MAX, QUERY_SLOTS } from "../../model/contract-limits.ts";

interface Waiting {
  readonly weight: number;
  readonly grant: () => void;
}

/** Why a wait ends; with a reason of its own `abort` need not make an error with a stack. */
const GRANTED = "granted";
const LEFT = "left";

/** The slots of one namespace. */
export class QuerySlots {
  readonly #clock: Clock;
  #free = QUERY_SLOTS;
  readonly #waiting: Waiting[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** No query runs or waits, so that the namespace's slots can be forgotten. */
  get idle(): boolean {
    return this.#free === QUERY_SLOTS && this.#waiting.length === 0;
  }

  /**
   * Takes `weight` slots (at most QUERY_SLOTS), or throws `overloaded` after the longest wait.
   * Stops waiting, and throws `unavailable`, when the signal is aborted.
   */
  async acquire(weight: number, signal?: AbortSignal): Promise<void> {
    if (this.#waiting.length === 0 && this.#free >= weight) {
      this.#free -= weight;
      return;
    }
    const timeout = new AbortController();
    const granted = new Promise<typeof GRANTED>((resolve) => {
      const grant = () => {
        timeout.abort(GRANTED);
        resolve(GRANTED);
      };
      this.#waiting.push({ weight, grant });
    });
    const waiter = this.#waiting[this.#waiting.length - 1];
    const leave = (): void => timeout.abort(LEFT);
    signal?.addEventListener("abort", leave, { once: true });
    const expired = this.#clock
      .sleep(QUERY_SLOT_WAIT_MS_MAX, timeout.signal)
      .then(() => "expired" as const)
      .catch((reason: typeof GRANTED | typeof LEFT) => reason);
    const outcome = await Promise.race([granted, expired]);
    signal?.removeEventListener("abort", leave);
    if (outcome === GRANTED) return;
    const index = this.#waiting.indexOf(waiter);
    if (index < 0) return; // Granted at the last moment.
    this.#waiting.splice(index, 1);
    this.#grantWaiting();
    if (outcome === LEFT) {
      throw new DatabaseError("unavailable", "the client has left before its query began");
    }
    throw new DatabaseError(
      "overloaded",
      `💔 too many concurrent queries: this query needs ${weight} of the namespace's ` +
        `${QUERY_SLOTS} slots and waited ${QUERY_SLOT_WAIT_MS_MAX} ms for them; ` +
        "send fewer queries at once, or retry",
      { retryAfterMs: QUERY_SLOT_WAIT_MS_MAX },
    );
  }

  /** Gives `weight` slots back. */
  release(weight: number): void {
    this.#free += weight;
    this.#grantWaiting();
  }

  #grantWaiting(): void {
    while (this.#waiting.length > 0 && this.#waiting[0].weight <= this.#free) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#free -= next.weight;
      next.grant();
    }
  }
}
