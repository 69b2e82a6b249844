import type { Clock } from "../../../src/base/clock.ts";

interface Sleeper {
  readonly untilMs: number;
  readonly wake: () => void;
}

/** A clock that stands still until the test moves it. */
export class ManualClock implements Clock {
  #nowMs = 0;
  #sleeping: Sleeper[] = [];
  readonly #repeated = new Set<() => void>();

  nowMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#sleeping.push({ untilMs: this.#nowMs + ms, wake: resolve });
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
  }

  every(_ms: number, action: () => void): () => void {
    this.#repeated.add(action);
    return () => this.#repeated.delete(action);
  }

  /** Runs once what was asked for with `every`; moving the clock does not. */
  tick(): void {
    for (const action of this.#repeated) action();
  }

  /** Moves on, and lets those who wake up act. */
  async advance(ms: number): Promise<void> {
    this.#nowMs += ms;
    const due = this.#sleeping.filter(({ untilMs }) => untilMs <= this.#nowMs);
    this.#sleeping = this.#sleeping.filter(({ untilMs }) => untilMs > this.#nowMs);
    for (const { wake } of due) wake();
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
}
