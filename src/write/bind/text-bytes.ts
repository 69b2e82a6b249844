/** Text turned into UTF-8, end to end in one growing block. */

import { MIB } from "../../base/byte-sizes.ts";

const encoder = new TextEncoder();

/** Up to this many UTF-16 units a loop beats a call of the encoder (Node 24: even at 16 to 24). */
const LOOP_UNITS_MAX = 16;

/** Bytes that are taken before there is text for them. */
const EXPECTED_MAX = 16 * MIB;

/** Collects strings as UTF-8. */
export class TextBytes {
  #bytes: Uint8Array<ArrayBuffer>;
  #length = 0;

  /** Less than expected is what hostile texts have: what is more than `EXPECTED_MAX` must come. */
  constructor(expectedBytes: number) {
    this.#bytes = new Uint8Array(Math.min(Math.max(64, expectedBytes), EXPECTED_MAX));
  }

  /** Bytes so far. */
  get length(): number {
    return this.#length;
  }

  /** Appends a string; returns its bytes. */
  append(text: string): number {
    const start = this.#length;
    // A UTF-16 unit takes three bytes at most.
    this.#reserve(text.length * 3);
    if (text.length > LOOP_UNITS_MAX || !this.#appendAscii(text)) {
      this.#length = start + encoder.encodeInto(text, this.#bytes.subarray(start)).written;
    }
    return this.#length - start;
  }

  /** Appends bytes as they are. */
  appendBytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** A view of all bytes; nothing more may be appended. */
  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
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
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}
