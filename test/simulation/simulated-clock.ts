/** A process's view of time, which need not be the true one. */

import type { Clock } from "../../src/base/clock.ts";
import type { Scheduler } from "./scheduler.ts";
import type { SimulatedProcess } from "./simulated-process.ts";

/** 2026-01-01, when every run begins. */
const START_MS = 1_767_225_600_000;

/**
 * The wall clock may be wrong and jump either way; the monotonic one may stand still, as while a
 * machine is suspended, but never at the same time as the wall clock is set back: one of the two
 * tells that time has passed (docs/consistency.md).
 */
export class SimulatedClock implements Clock {
  readonly #process: SimulatedProcess;
  readonly #scheduler: Scheduler;
  #wallOffsetMs = 0;
  /** Time that the monotonic clock has missed. */
  #missedMs = 0;
  #frozenSinceMs: number | undefined;
  #frozenUntilMs = 0;

  constructor(process: SimulatedProcess, scheduler: Scheduler) {
    this.#process = process;
    this.#scheduler = scheduler;
  }

  nowMs(): number {
    return START_MS + Math.floor(this.#scheduler.nowMs + this.#wallOffsetMs);
  }

  monotonicMs(): number {
    this.#thaw();
    const nowMs = this.#frozenSinceMs ?? this.#scheduler.nowMs;
    return nowMs - this.#missedMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
      this.#scheduler.after(ms, "wakes", resolve, this.#process);
    });
  }

  every(ms: number, action: () => void): () => void {
    let isOver = false;
    const next = () => {
      if (isOver) return;
      action();
      this.#scheduler.after(ms, "ticks", next, this.#process);
    };
    this.#scheduler.after(ms, "ticks", next, this.#process);
    return () => {
      isOver = true;
    };
  }

  /** Sets the wall clock forward, or back if the monotonic one runs; tells whether it did. */
  jump(ms: number): boolean {
    this.#thaw();
    if (ms < 0 && this.#frozenSinceMs !== undefined) return false;
    this.#wallOffsetMs += ms;
    return true;
  }

  /** Stops the monotonic clock for a while. */
  freeze(ms: number): void {
    this.#thaw();
    this.#frozenSinceMs ??= this.#scheduler.nowMs;
    this.#frozenUntilMs = this.#scheduler.nowMs + ms;
  }

  #thaw(): void {
    if (this.#frozenSinceMs === undefined || this.#scheduler.nowMs < this.#frozenUntilMs) return;
    this.#missedMs += this.#frozenUntilMs - this.#frozenSinceMs;
    this.#frozenSinceMs = undefined;
  }
}
