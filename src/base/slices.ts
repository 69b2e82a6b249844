/** Work in steps, cut into slices of a fraction of a millisecond. */

import type { Clock } from "./clock.ts";
import type { Steps } from "./steps.ts";

/**
 * How long one piece of work keeps a thread before others have their turn. A small write needs some
 * ten turns, one after each call of the file system, and waits for a slice before each: beside
 * large bodies its median is 14 ms with slices of 1 ms and 6 with these (ADR 23).
 */
const SLICE_MS_MAX = 0.2;

/** What slices need of their thread. */
export interface SliceOptions {
  readonly clock: Pick<Clock, "monotonicMs">;
  /** Lets messages that have arrived be handled. */
  yield(): Promise<void>;
  /** Says whether a slice is over, in place of the clock: simulations decide. */
  endsSlice?(): boolean;
  /** Throws where the work is of no use any more; asked after each pause. */
  check?(): void;
}

/** Runs the work of one request in slices, between which others have their turn. */
export class Slices {
  readonly #options: SliceOptions;
  #startMs: number;

  constructor(options: SliceOptions) {
    this.#options = options;
    this.#startMs = options.clock.monotonicMs();
  }

  /**
   * Does the work; what it throws is thrown, at the end of its slice. Where `check` throws, the
   * work is ended, and that is thrown.
   */
  async run<T>(steps: Steps<T>): Promise<T> {
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
      if (!this.#isOver) continue;
      await this.#pause();
      try {
        this.#options.check?.();
      } catch (error) {
        steps.return(undefined as T);
        throw error;
      }
    }
  }

  async #pause(): Promise<void> {
    await this.#options.yield();
    this.#startMs = this.#options.clock.monotonicMs();
  }

  get #isOver(): boolean {
    const { clock } = this.#options;
    return this.#options.endsSlice?.() ?? clock.monotonicMs() - this.#startMs >= SLICE_MS_MAX;
  }
}
