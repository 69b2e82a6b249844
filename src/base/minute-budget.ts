import type { Clock } from "./clock.ts";

const MINUTE_MS = 60_000;

/** Allows something so many times a minute, by minutes that begin with a first time. */
export class MinuteBudget {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #max: number;
  #beganMs = Number.NEGATIVE_INFINITY;
  #taken = 0;

  constructor(clock: Pick<Clock, "monotonicMs">, max: number) {
    this.#clock = clock;
    this.#max = max;
  }

  /** Whether `take` would allow it now. */
  get hasRoom(): boolean {
    if (this.#taken < this.#max) return true;
    return this.#max > 0 && this.#clock.monotonicMs() - this.#beganMs >= MINUTE_MS;
  }

  /** Allows it, and counts it, or does not. */
  take(): boolean {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#beganMs >= MINUTE_MS) {
      this.#beganMs = nowMs;
      this.#taken = 0;
    }
    if (this.#taken >= this.#max) return false;
    this.#taken++;
    return true;
  }
}
