/**
 * How often an indexer asks the store for work. It asks often while it finds some, and less often
 * the longer it finds none, down to a rate that is the budget of an idle process. A server that
 * started the indexer wakes it for its own hints, so only those of other servers wait.
 */

import type { Clock } from "../base/clock.ts";

/** How often an indexer looks for namespaces whose log is long, while it finds some. */
export const INDEX_POLL_MS = 500;
/** Longest rest of an indexer that nobody wakes: 10 listings a minute. */
export const INDEX_POLL_MS_MAX = 6_000;
/** Longest rest of an indexer that a server wakes: one listing a minute. */
const WOKEN_INDEX_POLL_MS_MAX = 60_000;
/** A rest is this part of the time without work, so a hint waits for so much of it at most. */
const REST_SHARE = 4;
/** How often an indexer looks at all namespaces, since hints may be lost. */
const INDEX_SWEEP_MS = 600_000;
/** Longest time between two such sweeps; it doubles with each one that is not due to work. */
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

  /** There was something to do. */
  noteWork(): void {
    this.#workedAtMs = this.#clock.monotonicMs();
    this.#sweepMs = 0;
    this.#sweepAtMs = Math.min(this.#sweepAtMs, this.#workedAtMs + INDEX_SWEEP_MS);
  }

  /** Whether all namespaces are to be looked at now. */
  get isSweepDue(): boolean {
    return this.#clock.monotonicMs() >= this.#sweepAtMs;
  }

  /** A sweep begins; it is due again after `retryMs` if it does not come to its end. */
  beginSweep(retryMs: number): void {
    this.#sweepAtMs = this.#clock.monotonicMs() + retryMs;
  }

  /** A sweep has come to its end. */
  endSweep(): void {
    this.#sweepMs = Math.min(Math.max(2 * this.#sweepMs, INDEX_SWEEP_MS), INDEX_SWEEP_MS_MAX);
    this.#sweepAtMs = this.#clock.monotonicMs() + this.#sweepMs;
  }

  /** How long to rest; `dueAtMs` is when something is known to be due, by the monotonic clock. */
  restMs(dueAtMs: number): number {
    const nowMs = this.#clock.monotonicMs();
    const pollMs = Math.min((nowMs - this.#workedAtMs) / REST_SHARE, this.#pollMsMax);
    return Math.max(INDEX_POLL_MS, Math.min(pollMs, dueAtMs - nowMs, this.#sweepAtMs - nowMs));
  }
}
