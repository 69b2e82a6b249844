/**
 * Which parts of a divided query are free, taken and done, in memory that threads share: whoever
 * has time takes the next part without asking anybody, also while the other threads compute.
 */

/** Word that rises with each part that is done or given back; threads sleep on it. */
const CHANGES = 0;
/** Word of the first part's state. */
const STATES = 1;

const FREE = 0;
const TAKEN = 1;
const DONE = 2;

/** The parts of one query; each thread makes its own of the same buffer. */
export class PartBoard {
  readonly buffer: SharedArrayBuffer;
  readonly #words: Int32Array;

  constructor(buffer: SharedArrayBuffer) {
    this.buffer = buffer;
    this.#words = new Int32Array(buffer);
  }

  /** A board of `count` parts, all of them free. */
  static of(count: number): PartBoard {
    return new PartBoard(new SharedArrayBuffer((STATES + count) * Int32Array.BYTES_PER_ELEMENT));
  }

  /** How often something changed; for `waitForChange`. */
  get changes(): number {
    return Atomics.load(this.#words, CHANGES);
  }

  /** The first part that is not done; undefined if all are. */
  get firstUndone(): number | undefined {
    for (let word = STATES; word < this.#words.length; word++) {
      if (Atomics.load(this.#words, word) !== DONE) return word - STATES;
    }
    return undefined;
  }

  /** Takes the first free part; undefined if none is free. */
  take(): number | undefined {
    for (let word = STATES; word < this.#words.length; word++) {
      if (Atomics.compareExchange(this.#words, word, FREE, TAKEN) === FREE) return word - STATES;
    }
    return undefined;
  }

  /** Whether a part that was taken is still to be run: its query may have done it, or have ended. */
  isWanted(part: number): boolean {
    return Atomics.load(this.#words, STATES + part) !== DONE;
  }

  /** The part's result is where its query finds it. */
  finish(part: number): void {
    Atomics.store(this.#words, STATES + part, DONE);
    this.#changed();
  }

  /** Somebody else may take the part, unless somebody else has done it. */
  giveBack(part: number): void {
    Atomics.compareExchange(this.#words, STATES + part, TAKEN, FREE);
    this.#changed();
  }

  /** No part is wanted any more: nobody begins another one, nor one that is given back. */
  close(): void {
    for (let word = STATES; word < this.#words.length; word++) {
      Atomics.store(this.#words, word, DONE);
    }
  }

  /**
   * Blocks this thread until something has changed since `changes` was `seen`; tells whether that
   * was within `msMax`.
   */
  waitForChange(seen: number, msMax: number): boolean {
    return Atomics.wait(this.#words, CHANGES, seen, msMax) !== "timed-out";
  }

  #changed(): void {
    Atomics.add(this.#words, CHANGES, 1);
    Atomics.notify(this.#words, CHANGES);
  }
}
