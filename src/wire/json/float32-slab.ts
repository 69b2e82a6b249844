import { MIB } from "../../base/byte-sizes.ts";

/** Bytes of one buffer that the vectors of a write's body share; our choice. */
const FLOAT32_SLAB_BYTES = 1 * MIB;
const SLAB_FLOATS = FLOAT32_SLAB_BYTES / 4;

/**
 * Hands out float32 arrays that share large buffers: many small buffers would cost more than what
 * they hold. A buffer is freed when none of its arrays is in use any more.
 */
export class Float32Slab {
  #floats = new Float32Array(0);
  #used = 0;
  /** The part of `#used` that `rewind` leaves alone. */
  #kept = 0;

  /** An array of `length` elements of unspecified values. */
  take(length: number): Float32Array {
    if (length > SLAB_FLOATS / 4) return new Float32Array(length);
    if (this.#used + length > this.#floats.length) {
      this.#floats = new Float32Array(SLAB_FLOATS);
      this.#used = 0;
      this.#kept = 0;
    }
    this.#used += length;
    return this.#floats.subarray(this.#used - length, this.#used);
  }

  /** Makes sure that what was taken so far is never handed out again. */
  keep(): void {
    this.#kept = this.#used;
  }

  /** Takes back what was handed out since the last `keep`, as far as it is at hand. */
  rewind(): void {
    this.#used = this.#kept;
  }
}
