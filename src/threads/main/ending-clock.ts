import type { Clock } from "../../base/clock.ts";

/** Another clock whose recurring actions all end with what they are for. */
export class EndingClock implements Clock {
  readonly #clock: Clock;
  readonly #stops = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  nowMs(): number {
    return this.#clock.nowMs();
  }

  monotonicMs(): number {
    return this.#clock.monotonicMs();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#clock.sleep(ms, signal);
  }

  every(ms: number, action: () => void): () => void {
    const stop = this.#clock.every(ms, action);
    this.#stops.add(stop);
    return () => {
      this.#stops.delete(stop);
      stop();
    };
  }

  /** Ends all that recurs, so that nothing holds on to it. */
  end(): void {
    for (const stop of this.#stops) stop();
    this.#stops.clear();
  }
}
