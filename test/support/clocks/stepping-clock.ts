import type { Clock } from "../../../src/base/clock.ts";

interface Timer {
  atMs: number;
  /** Undefined: it goes off once. */
  readonly everyMs: number | undefined;
  readonly act: () => void;
}

/** Turns of the event loop between two timers, for the code that the first one wakes. */
const TURNS = 12;

/** A clock that a test moves, which runs all timers on the way, in their order. */
export class SteppingClock implements Clock {
  #nowMs = 1_767_225_600_000;
  readonly #timers = new Set<Timer>();

  nowMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const timer: Timer = { atMs: this.#nowMs + ms, everyMs: undefined, act: resolve };
      this.#timers.add(timer);
      const abort = () => {
        this.#timers.delete(timer);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", abort, { once: true });
    });
  }

  every(ms: number, action: () => void): () => void {
    const timer: Timer = { atMs: this.#nowMs + ms, everyMs: ms, act: action };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Moves on, and lets those who wake up act. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    await this.#settle();
    for (;;) {
      const atMs = Math.min(...[...this.#timers].map((timer) => timer.atMs));
      if (atMs > endMs) break;
      this.#nowMs = Math.max(this.#nowMs, atMs);
      for (const timer of [...this.#timers].filter((each) => each.atMs === atMs)) {
        if (timer.everyMs === undefined) this.#timers.delete(timer);
        else timer.atMs += timer.everyMs;
        timer.act();
      }
      await this.#settle();
    }
    this.#nowMs = endMs;
  }

  async #settle(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
}
