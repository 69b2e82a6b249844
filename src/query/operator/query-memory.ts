/**
 * Bounds the heap that queries of one thread take for what grows with their answers: groups,
 * rankings, scores, values, and the answers themselves. Bytes are counted before they are taken, by
 * what V8 needs for them at about.
 */

import { DatabaseError, invalid, MEMORY_RETRY_MS } from "../../base/errors.ts";
import type { MemoryPool } from "../../base/memory-pool.ts";

/** What one query takes of its thread's memory. */
export class QueryMemory {
  readonly #pool: MemoryPool;
  #bytes = 0;

  constructor(pool: MemoryPool) {
    this.#pool = pool;
  }

  /** Bytes that it has now. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Takes bytes for `what`. Throws `invalid` if the query alone would need more than there is, and
   * `out_of_memory` if others have it.
   */
  take(bytes: number, what: string): void {
    const { bytesMax, bytesUsed } = this.#pool;
    const needed = this.#bytes + bytes;
    if (needed > bytesMax) {
      throw invalid(
        `💔 the query needs more memory than a query may take: over ${bytesMax} bytes, at last ` +
          `for ${what}; lower its limit, return fewer or smaller attributes, or start the server ` +
          "with a larger --memory-limit",
      );
    }
    if (bytesUsed + bytes > bytesMax) {
      throw new DatabaseError(
        "out_of_memory",
        `💔 queries that run take too much memory for this one: ${bytesUsed} of ${bytesMax} ` +
          `bytes, and it needs ${needed}, at last for ${what}; retry later`,
        { retryAfterMs: MEMORY_RETRY_MS },
      );
    }
    this.#bytes = needed;
    this.#pool.add(bytes);
  }

  /** Gives back some of it. */
  give(bytes: number): void {
    this.#bytes -= bytes;
    this.#pool.add(-bytes);
  }

  /** Gives back what it has taken since it had `bytes`, if it was not released meanwhile. */
  giveBackTo(bytes: number): void {
    this.give(Math.max(0, this.#bytes - bytes));
  }

  /** Gives all back: the query is over. */
  release(): void {
    this.give(this.#bytes);
  }
}
