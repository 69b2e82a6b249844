/** Text turned into UTF-8, end to end. */

import { MIB } from "../base/byte-sizes.ts";
import { joinInSteps } from "../base/pieces.ts";
import type { Steps } from "../base/steps.ts";

const encoder = new TextEncoder();

/** Up to this many UTF-16 units a loop beats a call of the encoder (Node 24: even at 16 to 24). */
const LOOP_UNITS_MAX = 16;
/** Up to this many bytes a loop beats `set` with its view. */
const LOOP_BYTES_MAX = 48;

/**
 * Bytes of a part. More text goes to the next one, as larger blocks take long to move; and less
 * than expected is what hostile texts have: what is more must come.
 */
const PART_BYTES = 4 * MIB;

/** Collects strings as UTF-8. */
export class TextBytes {
  /** Those that are full, each as long as what is in it. */
  readonly #parts: Uint8Array[] = [];
  #partsBytes = 0;
  #bytes: Uint8Array<ArrayBuffer>;
  /** In the last part. */
  #length = 0;

  constructor(expectedBytes: number) {
    this.#bytes = new Uint8Array(Math.min(Math.max(64, expectedBytes), PART_BYTES));
  }

  /** Bytes so far. */
  get length(): number {
    return this.#partsBytes + this.#length;
  }

  /** Appends a string; returns its bytes. */
  append(text: string): number {
    // A UTF-16 unit takes three bytes at most; no such room is taken for large texts.
    const bytesMax = text.length * 3;
    this.#reserve(bytesMax > PART_BYTES ? Buffer.byteLength(text) : bytesMax);
    const start = this.#length;
    if (text.length > LOOP_UNITS_MAX || !this.#appendAscii(text)) {
      this.#length = start + encoder.encodeInto(text, this.#bytes.subarray(start)).written;
    }
    return this.#length - start;
  }

  /** Appends the bytes from `start` to before `end` as they are. */
  appendBytes(bytes: Uint8Array, start = 0, end = bytes.length): void {
    const count = end - start;
    if (this.#length + count > this.#bytes.length) this.#reserve(count);
    const target = this.#bytes;
    const at = this.#length;
    if (count > LOOP_BYTES_MAX) target.set(bytes.subarray(start, end), at);
    else for (let i = 0; i < count; i++) target[at + i] = bytes[start + i];
    this.#length = at + count;
  }

  /** All bytes, in steps; nothing more may be appended. */
  *finish(): Steps<Uint8Array> {
    const last = this.#bytes.subarray(0, this.#length);
    return yield* joinInSteps([...this.#parts.splice(0), last]);
  }

  #appendAscii(text: string): boolean {
    const bytes = this.#bytes;
    let at = this.#length;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit >= 0x80) return false;
      bytes[at++] = unit;
    }
    this.#length = at;
    return true;
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#bytes.length) return;
    if (needed > PART_BYTES && this.#length > 0) {
      this.#parts.push(this.#bytes.subarray(0, this.#length));
      this.#partsBytes += this.#length;
      this.#length = 0;
      this.#bytes = new Uint8Array(Math.max(bytes, PART_BYTES));
      return;
    }
    const grown = new Uint8Array(Math.max(needed, Math.min(this.#bytes.length * 2, PART_BYTES)));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}
