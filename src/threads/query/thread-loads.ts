/**
 * How many queries each query thread has, in memory that all of them see: the main thread counts,
 * and a query looks whether a thread idles before it offers to be divided.
 */

/** Loads by thread, from 0. */
export class ThreadLoads {
  readonly buffer: SharedArrayBuffer;
  readonly #loads: Int32Array;

  constructor(buffer: SharedArrayBuffer) {
    this.buffer = buffer;
    this.#loads = new Int32Array(buffer);
  }

  /** Of so many threads, all of which idle. */
  static of(threads: number): ThreadLoads {
    return new ThreadLoads(new SharedArrayBuffer(threads * Int32Array.BYTES_PER_ELEMENT));
  }

  /** The thread with the fewest queries, the first of several. */
  get least(): number {
    let least = 0;
    for (let thread = 1; thread < this.#loads.length; thread++) {
      if (this.#loads[thread] < this.#loads[least]) least = thread;
    }
    return least;
  }

  /** Threads without a query. */
  get idle(): number[] {
    return [...this.#loads.keys()].filter((thread) => Atomics.load(this.#loads, thread) === 0);
  }

  /** How many these are; every query asks for it. */
  get idleCount(): number {
    let count = 0;
    for (let thread = 0; thread < this.#loads.length; thread++) {
      if (Atomics.load(this.#loads, thread) === 0) count++;
    }
    return count;
  }

  /** A thread has one more query, that counts as `load` of them. */
  begin(thread: number, load = 1): void {
    Atomics.add(this.#loads, thread, load);
  }

  /** A thread has answered a query that began with the same `load`. */
  end(thread: number, load = 1): void {
    Atomics.sub(this.#loads, thread, load);
  }
}
