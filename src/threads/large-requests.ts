/**
 * How many large requests have ended, in memory that all threads see. The main thread counts; each
 * thread collects what they left on it (`idle-collection.ts`).
 */

import { MIB } from "../base/byte-sizes.ts";

/**
 * Bytes of body and response from which a request leaves more garbage than queries do: tens of
 * megabytes on each thread that handles it. Our choice.
 */
const LARGE_REQUEST_BYTES = 4 * MIB;

/** The count, over one buffer for all threads. */
export class LargeRequests {
  readonly buffer: SharedArrayBuffer;
  readonly #counts: Int32Array;

  constructor(buffer = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer;
    this.#counts = new Int32Array(buffer);
  }

  /** Large requests so far; wraps around after 2³². */
  get count(): number {
    return Atomics.load(this.#counts, 0);
  }

  /** Counts a request that has ended, if its body and its response together are large. */
  note(bytes: number): void {
    if (bytes >= LARGE_REQUEST_BYTES) Atomics.add(this.#counts, 0, 1);
  }
}
