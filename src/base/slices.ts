/** Work in steps, cut into slices of a fraction of a millisecond. */

import type { Clock } from "./clock.ts";
import type { Steps } from "./steps.ts";

/**
 * Longest time that one piece of work keeps a thread before others have their turn. A small write
 * needs some ten turns, one after each call of the file system, and waits for a slice before each.
 * While large bodies are parsed, its median latency is 14 ms with slices of 1 ms and 6 ms with
 * these (ADR 23).
 */
const SLICE_MS_MAX = 0.2;

/** Work that a slice has done. */
export interface SliceUse {
  /**
   * The flow that the work belongs to: a namespace's name. If undefined, the work belongs to no
   * namespace.
   */
  readonly flow: string | undefined;
  /** Duration of the work in milliseconds. */
  readonly ms: number;
}

/** What slices need of their thread. */
export interface SliceOptions {
  readonly clock: Pick<Clock, "monotonicMs">;
  /** The flow that the work belongs to; flows get equal shares of the thread. */
  readonly flow?: string | undefined;
  /**
   * Lets messages that have arrived be handled; with `use`, also lets other sliced work run, the
   * flow with the least use first.
   */
  yield(use?: SliceUse): Promise<void>;
  /** Says whether a slice is over, in place of the clock: simulations decide. */
  endsSlice?(): boolean;
  /** Throws where the work is of no use any more; asked after each pause. */
  check?(): void;
}

/** Runs the work of one request in slices, between which others have their turn. */
export class Slices {
  readonly #options: SliceOptions;
  /** When the slice began. */
  #startMs: number;
  /** Milliseconds of it that are not of the work that runs. */
  #idleMs = 0;
  /** When the last piece of work ended. */
  #endMs: number;

  constructor(options: SliceOptions) {
    this.#options = options;
    this.#startMs = options.clock.monotonicMs();
    this.#endMs = this.#startMs;
  }

  /**
   * Does the work; what it throws is thrown, at the end of its slice. Where `check` throws, the
   * work is ended, and that is thrown.
   */
  async run<T>(steps: Steps<T>): Promise<T> {
    this.#idleMs += this.#nowMs - this.#endMs;
    for (;;) {
      const { done, value } = steps.next();
      if (done) {
        this.#endMs = this.#nowMs;
        return value;
      }
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
    const ms = this.#nowMs - this.#startMs - this.#idleMs;
    await this.#options.yield({ flow: this.#options.flow, ms });
    this.#startMs = this.#nowMs;
    this.#idleMs = 0;
  }

  get #nowMs(): number {
    return this.#options.clock.monotonicMs();
  }

  get #isOver(): boolean {
    return this.#options.endsSlice?.() ?? this.#nowMs - this.#startMs >= SLICE_MS_MAX;
  }
}
