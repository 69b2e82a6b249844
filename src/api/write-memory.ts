/**
 * Bounds the heap that the documents of writes take between their JSON and their commit, all bodies
 * of the write thread together. What a body of some bytes is built to may be many times as much:
 * documents that each have another attribute take a place in the list of every one.
 */

import type { BlockPool } from "../base/block-pool.ts";
import { KIB, MIB } from "../base/byte-sizes.ts";
import { DatabaseError, MEMORY_RETRY_MS } from "../base/errors.ts";
import type { MemoryPool } from "../base/memory-pool.ts";
import type { BuiltMemory } from "../wire/write/built-bytes.ts";

/** What each write may take uncounted, so that small ones find room beside any others. */
export const UNCOUNTED_BYTES = 64 * KIB;

/** Vectors of one write that lie in blocks of the pool; more grow by parts in the heap. */
const POOLED_BYTES_MAX = 64 * MIB;

/** What one write takes. `release` must follow, whatever happens. */
export class WriteMemory implements BuiltMemory {
  readonly #pool: MemoryPool;
  readonly #blocks: BlockPool | undefined;
  readonly #taken: SharedArrayBuffer[] = [];
  #bytes = 0;

  /**
   * `blocks` only where every put has ended when the write has: over a directory, not over a
   * bucket, where a request that was given up may still be on its way.
   */
  constructor(pool: MemoryPool, blocks?: BlockPool) {
    this.#pool = pool;
    this.#blocks = blocks;
  }

  /** Throws `too_large` if the write alone takes too much, `out_of_memory` if others have it. */
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
        "out_of_memory",
        `💔 documents of writes that are read take too much memory for this one: ${bytesUsed} of ` +
          `${bytesMax} bytes, and it needs ${this.#bytes + more}; retry later`,
        { retryAfterMs: MEMORY_RETRY_MS },
      );
    }
    this.#bytes += more;
    this.#pool.add(more);
  }

  vectors(count: number): Float32Array | undefined {
    const bytes = count * Float32Array.BYTES_PER_ELEMENT;
    const taken = this.#taken.reduce((sum, { byteLength }) => sum + byteLength, 0);
    const block = taken + bytes > POOLED_BYTES_MAX ? undefined : this.#blocks?.take(bytes);
    if (block === undefined) return undefined;
    this.#taken.push(block);
    return new Float32Array(block, 0, count);
  }

  /** Gives all back: the write is over. */
  release(): void {
    for (const block of this.#taken.splice(0)) this.#blocks?.giveBack(block);
    this.#pool.add(-this.#bytes);
    this.#bytes = 0;
  }
}
