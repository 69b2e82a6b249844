/** Runs tasks in the order in which they come, so many at a time. */

/** A bounded number of tasks runs; others wait. */
export class TurnQueue {
  readonly #runningMax: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(runningMax: number) {
    this.#runningMax = runningMax;
  }

  /** Runs a task in its turn and returns its result. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#runningMax) {
      await new Promise<void>((turn) => this.#waiting.push(turn));
    } else {
      this.#running++;
    }
    try {
      return await task();
    } finally {
      // The place goes to the next one that waits, if any.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
