/**
 * A weighted semaphore: who holds slots takes as many as it weighs, and one that does not fit waits
 * in the order of arrival, for at most QUERY_SLOT_WAIT_MS_MAX, and is then refused.
 */

import type { Clock } from "../../../base/clock.ts";
import { DatabaseError } from "../../../base/errors.ts";
import { QUERY_SLOT_WAIT_MS_MAX } from "../../../model/contract-limits.ts";

/** What slots need besides their number. */
export interface SlotOptions {
  readonly clock: Pick<Clock, "sleep">;
  /** What is said to one of a weight that has waited for too long, while `used` slots are taken. */
  refusal(weight: number, used: number): string;
}

interface Waiting {
  readonly weight: number;
  readonly grant: () => void;
}

/** Why a wait ends; with a reason of its own `abort` need not make an error with a stack. */
const GRANTED = "granted";
const LEFT = "left";

/** See the file's head. */
export class WeightedSlots {
  readonly #options: SlotOptions;
  readonly #count: number;
  #free: number;
  readonly #waiting: Waiting[] = [];

  constructor(count: number, options: SlotOptions) {
    this.#count = count;
    this.#free = count;
    this.#options = options;
  }

  /** Nobody holds slots or waits, so that they can be forgotten. */
  get idle(): boolean {
    return this.#free === this.#count && this.#waiting.length === 0;
  }

  /**
   * Takes `weight` slots, at most all there are, or throws `overloaded` after the longest wait, of
   * which `waitedMs` have been waited already. Stops waiting, and throws `unavailable`, when the
   * signal is aborted.
   */
  async acquire(weight: number, signal?: AbortSignal, waitedMs = 0): Promise<void> {
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
    const expired = this.#options.clock
      .sleep(Math.max(0, QUERY_SLOT_WAIT_MS_MAX - waitedMs), timeout.signal)
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
    throw new DatabaseError("overloaded", this.#options.refusal(weight, this.#count - this.#free), {
      retryAfterMs: QUERY_SLOT_WAIT_MS_MAX,
    });
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
