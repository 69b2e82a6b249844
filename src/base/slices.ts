/** Work in steps, cut into slices of a fraction of a millisecond: all sliced work runs here. */

import type { Clock } from "./clock.ts";
import type { Steps } from "./steps.ts";

/**
 * Microseconds that one piece of work keeps its thread before others have their turn; it ends at
 * the next step. A small write needs some ten turns, one after each call of the file system, and
 * waits for a slice before each: while large bodies are parsed, its median latency is 14 ms with
 * slices of 1 ms and 6 ms with these (ADR 23). A short query needs one turn, and slices of 200 µs
 * cost long ones 4 % more processor time (ADR 18).
 */
export const SLICE_US = { query: 1000, other: 200 } as const;

/** Runs steps until their end, or until `isOver` after a step: then undefined. */
export function runSlice<T>(
  steps: Steps<T>,
  isOver: () => boolean,
): { readonly value: T } | undefined {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return { value };
    if (isOver()) return undefined;
  }
}

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
  readonly #isOver: () => boolean;
  /** When the slice began. */
  #startMs: number;
  /** Milliseconds of it that are not of the work that runs. */
  #idleMs = 0;
  /** When the last piece of work ended. */
  #endMs: number;

  constructor(options: SliceOptions) {
    this.#options = options;
    const isLate = () => this.#nowMs - this.#startMs >= SLICE_US.other / 1000;
    this.#isOver = options.endsSlice?.bind(options) ?? isLate;
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
      const ended = runSlice(steps, this.#isOver);
      if (ended !== undefined) {
        this.#endMs = this.#nowMs;
        return ended.value;
      }
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
}
