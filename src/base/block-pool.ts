/**
 * Large blocks of memory that are used again and again. The collector of a thread does not count
 * shared memory: allocated as usual, each ten megabytes make it look through the whole heap.
 */

import { MIB } from "./byte-sizes.ts";

/**
 * Smaller blocks are none of the pool's: they cost little as they are. Blocks are multiples of
 * this, so that those of similar writes fit each other.
 */
export const BLOCK_BYTES_MIN = MIB;
/** All blocks that are in use. */
const USED_BYTES_MAX = 256 * MIB;
/** Blocks that wait for use, all together. */
const SPARE_BYTES_MAX = 32 * MIB;

/** The blocks of one thread. Whoever takes one gives it back, whatever happens. */
export class BlockPool {
  readonly #bytesMin: number;
  readonly #spare: SharedArrayBuffer[] = [];
  #usedBytes = 0;
  #spareBytes = 0;
  #isUsed = false;

  constructor(bytesMin = BLOCK_BYTES_MIN) {
    this.#bytesMin = bytesMin;
  }

  /** Bytes of the blocks that are in use, and of those that wait. */
  get bytes(): { readonly used: number; readonly spare: number } {
    return { used: this.#usedBytes, spare: this.#spareBytes };
  }

  /** A block of at least so many bytes, of any content; undefined if it is small or too much. */
  take(bytes: number): SharedArrayBuffer | undefined {
    if (bytes < this.#bytesMin || this.#usedBytes + bytes > USED_BYTES_MAX) return undefined;
    this.#isUsed = true;
    const fits = this.#spare.findIndex(({ byteLength }) => {
      return byteLength >= bytes && byteLength <= 2 * bytes;
    });
    const [spare] = fits < 0 ? [] : this.#spare.splice(fits, 1);
    if (spare !== undefined) this.#spareBytes -= spare.byteLength;
    const rounded = Math.ceil(bytes / this.#bytesMin) * this.#bytesMin;
    const block = spare ?? new SharedArrayBuffer(rounded);
    this.#usedBytes += block.byteLength;
    return block;
  }

  /** Nobody reads the block any more. */
  giveBack(block: SharedArrayBuffer): void {
    this.#usedBytes -= block.byteLength;
    if (this.#spareBytes + block.byteLength > SPARE_BYTES_MAX) return;
    this.#spareBytes += block.byteLength;
    this.#spare.push(block);
  }

  /** To be called from time to time: lets go of what was not used since the last time. */
  sweep(): void {
    if (!this.#isUsed) {
      this.#spare.length = 0;
      this.#spareBytes = 0;
    }
    this.#isUsed = false;
  }
}
