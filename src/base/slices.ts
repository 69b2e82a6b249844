/** Work in steps, cut into slices of a few milliseconds. */

import type { Clock } from "./clock.ts";
import type { Steps } from "./steps.ts";

/** How long one piece of work keeps a thread before others have their turn. */
const SLICE_MS_MAX = 3;

/** What slices need of their thread. */
export interface SliceOptions {
  readonly clock: Pick<Clock, "monotonicMs">;
  /** Lets messages that have arrived be handled. */
  yield(): Promise<void>;
}

/** Runs the work of one request in slices, between which others have their turn. */
export class Slices {
  readonly #options: SliceOptions;
  #startMs: number;

  constructor(options: SliceOptions) {
    this.#options = options;
    this.#startMs = options.clock.monotonicMs();
  }

  /** Does the work; what it throws is thrown, at the end of its slice. */
  async run<T>(steps: Steps<T>): Promise<T> {
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
      if (this.#isOver) await this.pause();
    }
  }

  /** Lets others have their turn, if this slice has lasted long enough. */
  async pause(): Promise<void> {
    if (!this.#isOver) return;
    await this.#options.yield();
    this.#startMs = this.#options.clock.monotonicMs();
  }

  get #isOver(): boolean {
    return this.#options.clock.monotonicMs() - this.#startMs >= SLICE_MS_MAX;
  }
}
