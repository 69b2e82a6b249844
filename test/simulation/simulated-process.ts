/** A process of a simulated cluster: it ends, or stands still, without noticing that. */

import type { Scheduler } from "./scheduler.ts";
import { SimulatedClock } from "./simulated-clock.ts";

/** Turns of an event loop come at most so much later than they were asked for. */
const TURN_MS_MAX = 0.5;

/** A life of a server or an indexer. */
export class SimulatedProcess {
  readonly name: string;
  readonly clock: SimulatedClock;
  /** Resolves when the process ends, in whichever way. */
  readonly end: Promise<void>;
  readonly #scheduler: Scheduler;
  #ended = false;
  #pausedUntilMs = 0;
  #resolveEnd: () => void = () => {};

  constructor(name: string, scheduler: Scheduler) {
    this.name = name;
    this.#scheduler = scheduler;
    this.clock = new SimulatedClock(this, scheduler);
    this.end = new Promise((resolve) => {
      this.#resolveEnd = resolve;
    });
  }

  get hasEnded(): boolean {
    return this.#ended;
  }

  /** True time before which it does nothing. */
  get pausedUntilMs(): number {
    return this.#pausedUntilMs;
  }

  /** It stands still for a while, and goes on as if nothing had been. */
  pause(ms: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.#scheduler.nowMs + ms);
    this.#scheduler.note(`${this.name} is paused for ${ms} ms`);
  }

  /** It goes on at once. */
  resume(): void {
    this.#pausedUntilMs = 0;
  }

  /** It is gone from one event to the next. */
  kill(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#scheduler.note(`${this.name} ends`);
    this.#resolveEnd();
  }

  /** A turn of its event loop. */
  readonly turn = (action: () => void): void => {
    const delayMs = this.#scheduler.random.next() * TURN_MS_MAX;
    this.#scheduler.after(delayMs, "turn", action, this);
  };
}
