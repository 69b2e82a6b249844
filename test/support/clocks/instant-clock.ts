import type { Clock } from "../../../src/base/clock.ts";

/** A clock on which sleeping takes no time: it jumps to the end of each sleep. */
export class InstantClock implements Clock {
  #nowMs: number;
  readonly #repeated = new Set<() => void>();

  constructor(startMs = 1_767_225_600_000) {
    this.#nowMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.#nowMs += ms;
    await new Promise((resolve) => setImmediate(resolve)); // Others get their turn.
  }

  every(_ms: number, action: () => void): () => void {
    this.#repeated.add(action);
    return () => this.#repeated.delete(action);
  }

  /** Runs what was asked for with `every` once. */
  tick(): void {
    for (const action of this.#repeated) action();
  }
}
