/**
 * Decides how often an indexer polls the store. It polls often while it finds work, and less often
 * the longer it finds none, down to the budget of an idle process. A server that started the
 * indexer wakes it for its own hints, so only hints of other servers wait.
 */

import type { Clock } from "../base/clock.ts";

/** Interval between polls for namespaces with a long log, while there is work. */
export const INDEX_POLL_MS = 500;
/** Longest rest of an indexer that no server wakes: 10 listings a minute. */
export const INDEX_POLL_MS_MAX = 6_000;
/** Longest rest of an indexer that a server wakes: one listing a minute. */
const WOKEN_INDEX_POLL_MS_MAX = 60_000;
/** A rest is this part of the time without work, so a hint waits for so much of it at most. */
const REST_SHARE = 4;
/** Interval between sweeps of all namespaces, since hints may be lost. */
const INDEX_SWEEP_MS = 600_000;
/** Longest interval between two sweeps; it doubles with each sweep without work since. */
const INDEX_SWEEP_MS_MAX = 3_600_000;

/** See the file's head. */
export class IdlePace {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #pollMsMax: number;
  #workedAtMs: number;
  #sweepAtMs = Number.NEGATIVE_INFINITY;
  #sweepMs = 0;

  constructor(clock: Pick<Clock, "monotonicMs">, { isWoken }: { readonly isWoken: boolean }) {
    this.#clock = clock;
    this.#pollMsMax = isWoken ? WOKEN_INDEX_POLL_MS_MAX : INDEX_POLL_MS_MAX;
    this.#workedAtMs = clock.monotonicMs();
  }

  /** Records that there was work. */
  noteWork(): void {
    this.#workedAtMs = this.#clock.monotonicMs();
    this.#sweepMs = 0;
    this.#sweepAtMs = Math.min(this.#sweepAtMs, this.#workedAtMs + INDEX_SWEEP_MS);
  }

  /** True if a sweep of all namespaces is due. */
  get isSweepDue(): boolean {
    return this.#clock.monotonicMs() >= this.#sweepAtMs;
  }

  /** Records that a sweep begins; it is due again after `retryMs` unless it ends. */
  beginSweep(retryMs: number): void {
    this.#sweepAtMs = this.#clock.monotonicMs() + retryMs;
  }

  /** Records that a sweep has ended. */
  endSweep(): void {
    this.#sweepMs = Math.min(Math.max(2 * this.#sweepMs, INDEX_SWEEP_MS), INDEX_SWEEP_MS_MAX);
    this.#sweepAtMs = this.#clock.monotonicMs() + this.#sweepMs;
  }

  /** Returns the time to rest; `dueAtMs` is when known work is due, by the monotonic clock. */
  restMs(dueAtMs: number): number {
    const nowMs = this.#clock.monotonicMs();
    const pollMs = Math.min((nowMs - this.#workedAtMs) / REST_SHARE, this.#pollMsMax);
    return Math.max(INDEX_POLL_MS, Math.min(pollMs, dueAtMs - nowMs, this.#sweepAtMs - nowMs));
  }
}
