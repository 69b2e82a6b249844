/**
 * Bounds the heap that the documents of writes take between their JSON and their commit, all bodies
 * of the write thread together. What a body of some bytes is built to may be many times as much:
 * documents that each have another attribute take a place in the list of every one.
 */

import { KIB } from "../base/byte-sizes.ts";
import { DatabaseError, MEMORY_RETRY_MS } from "../base/errors.ts";
import type { MemoryPool } from "../base/memory-pool.ts";
import type { BuiltMemory } from "../wire/write/built-bytes.ts";

/** What each write may take uncounted, so that small ones find room beside any others. */
export const UNCOUNTED_BYTES = 64 * KIB;

/** What one write takes. `release` must follow, whatever happens. */
export class WriteMemory implements BuiltMemory {
  readonly #pool: MemoryPool;
  #bytes = 0;

  constructor(pool: MemoryPool) {
    this.#pool = pool;
  }

  /** Throws `too_large` if the write alone takes too much, `overloaded` if others have it. */
  hold(bytes: number): void {
    const { bytesMax, bytesUsed } = this.#pool;
    const more = Math.max(bytes - UNCOUNTED_BYTES, 0) - this.#bytes;
    if (more <= 0) return;
    if (this.#bytes + more > bytesMax) {
      throw new DatabaseError(
        "too_large",
        `💔 the documents of this write take over ${bytesMax} bytes of memory more than their ` +
          "JSON, counting the attributes that a document leaves out; send them in several " +
          "writes, or start the server with a larger --memory-limit",
      );
    }
    if (bytesUsed + more > bytesMax) {
      throw new DatabaseError(
        "overloaded",
        `💔 documents of writes that are read take too much memory for this one: ${bytesUsed} of ` +
          `${bytesMax} bytes, and it needs ${this.#bytes + more}; retry later`,
        { retryAfterMs: MEMORY_RETRY_MS },
      );
    }
    this.#bytes += more;
    this.#pool.add(more);
  }

  /** Gives all back: the write is over. */
  release(): void {
    this.#pool.add(-this.#bytes);
    this.#bytes = 0;
  }
}
