/**
 * Numbers and typed arrays in one block, read back as views without copying. All little-endian:
 *
 * | offset      | size | meaning                                            |
 * |-------------|------|----------------------------------------------------|
 * | 0           | 4    | count W of words                                   |
 * | 4           | 4·W  | words; an array takes two: its place, its bytes    |
 * | align16     | …    | arrays, each padded with zeros to 16 bytes         |
 *
 * An array's place counts units of 16 bytes from the start of the arrays, so that 32 bits reach 64
 * GiB. What the words mean is the business of the format that uses this one.
 */

import { assert } from "../base/assert.ts";
import { DatabaseError } from "../base/errors.ts";
import { copyInSteps, joinSmallPieces, PIECE_BYTES_MIN, STEP_COPY_BYTES } from "../base/pieces.ts";
import type { Steps } from "../base/steps.ts";

/** Names of attributes and types whose encoding is remembered; then all are forgotten. */
const ENCODED_NAMES_MAX = 4096;

/** Arrays that can be packed. */
export type PackedArray =
  | Uint8Array
  | Int8Array
  | Int32Array
  | Uint16Array
  | Uint32Array
  | Float32Array
  | Float64Array
  | BigInt64Array
  | BigUint64Array;

/** Arrays begin at multiples of this, and so may any loop over them that loads 128 bits. */
export const ARRAY_ALIGNMENT = 16;

const WORD_MAX = 0xffff_ffff;
const textEncoder = new TextEncoder();
const encodedNames = new Map<string, Uint8Array>();

assert(new Uint8Array(Uint16Array.of(1).buffer)[0] === 1, "this machine is not little-endian");

/** Rounds up to the next multiple of a power of two. */
export function alignUp(value: number, alignment: number): number {
  return Math.ceil(value / alignment) * alignment;
}

/** The bytes of any typed array. */
export function bytesOf(array: PackedArray): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/** The error for stored bytes that contradict themselves; callers add which object they are of. */
export function corrupt(what: string, reason: string): DatabaseError {
  return new DatabaseError("corrupt", `cannot decode ${what}: ${reason}`);
}

/**
 * Encodes a name, of which there are few in a process (attributes, types): single documents are
 * packed in microseconds, most of which this would take. The bytes are shared; nobody changes them.
 */
export function encodeName(name: string): Uint8Array {
  let bytes = encodedNames.get(name);
  if (bytes === undefined) {
    if (encodedNames.size >= ENCODED_NAMES_MAX) encodedNames.clear();
    bytes = textEncoder.encode(name);
    encodedNames.set(name, bytes);
  }
  return bytes;
}

/** Collects words and arrays, then writes them once, straight to where they stay. */
export class ArrayPacker {
  readonly #words: number[] = [];
  readonly #arrays: PackedArray[] = [];
  #arrayBytes = 0;

  /** Adds an integer from 0 to 2^32 − 1. */
  word(value: number): void {
    assert(value >= 0 && value <= WORD_MAX && Number.isInteger(value), `bad word ${value}`);
    this.#words.push(value);
  }

  /** Adds an array, which must not change until `writeTo` has run. */
  array(array: PackedArray): void {
    this.word(this.#arrayBytes / ARRAY_ALIGNMENT);
    this.word(array.byteLength);
    this.#arrays.push(array);
    this.#arrayBytes += alignUp(array.byteLength, ARRAY_ALIGNMENT);
  }

  /** Adds a name; see `encodeName`. */
  text(text: string): void {
    this.array(encodeName(text));
  }

  /** Bytes that `writeTo` writes; a multiple of 16. */
  get bytes(): number {
    return alignUp(4 + 4 * this.#words.length, ARRAY_ALIGNMENT) + this.#arrayBytes;
  }

  /** The bytes in pieces: large arrays are views, which must not change until they are read. */
  *pieces(): Steps<Uint8Array[]> {
    const words = new Uint32Array(alignUp(4 + 4 * this.#words.length, ARRAY_ALIGNMENT) / 4);
    words[0] = this.#words.length;
    words.set(this.#words, 1);
    const pieces = [bytesOf(words)];
    for (const array of this.#arrays) {
      const padding = alignUp(array.byteLength, ARRAY_ALIGNMENT) - array.byteLength;
      pieces.push(bytesOf(array));
      if (padding > 0) pieces.push(new Uint8Array(padding));
    }
    return yield* joinSmallPieces(pieces, PIECE_BYTES_MIN);
  }

  /** Writes to the first `bytes` bytes of `target`, whose start is a multiple of 4, in steps. */
  *writeTo(target: Uint8Array): Steps<void> {
    const words = new Uint32Array(target.buffer, target.byteOffset, this.#words.length + 1);
    words[0] = this.#words.length;
    words.set(this.#words, 1);
    let at = alignUp(words.byteLength, ARRAY_ALIGNMENT);
    target.fill(0, words.byteLength, at);
    for (const array of this.#arrays) {
      if (array.byteLength <= STEP_COPY_BYTES) target.set(bytesOf(array), at);
      else yield* copyInSteps(bytesOf(array), target.subarray(at));
      const next = at + alignUp(array.byteLength, ARRAY_ALIGNMENT);
      target.fill(0, at + array.byteLength, next);
      at = next;
    }
  }
}

/** Reads what `ArrayPacker` wrote, in the same order. The arrays are views on the block. */
export class ArrayUnpacker {
  readonly #block: Uint8Array;
  readonly #what: string;
  readonly #words: Uint32Array;
  readonly #arraysAt: number;
  #next = 0;

  /** `block` starts at a multiple of 8 in its buffer; `what` names it in errors. */
  constructor(block: Uint8Array, what: string) {
    assert(block.byteOffset % 8 === 0, "packed arrays must lie at a multiple of 8 bytes");
    this.#block = block;
    this.#what = what;
    if (block.length < 4) throw corrupt(what, `it has only ${block.length} bytes`);
    const count = new Uint32Array(block.buffer, block.byteOffset, 1)[0];
    this.#arraysAt = alignUp(4 + 4 * count, ARRAY_ALIGNMENT);
    if (this.#arraysAt > block.length) throw corrupt(what, `${count} words do not fit in it`);
    this.#words = new Uint32Array(block.buffer, block.byteOffset + 4, count);
  }

  /** True when all words were read. */
  get done(): boolean {
    return this.#next === this.#words.length;
  }

  word(): number {
    if (this.done) throw corrupt(this.#what, "it ends early");
    return this.#words[this.#next++];
  }

  u8(): Uint8Array {
    const [at, bytes] = this.#place(1);
    return new Uint8Array(this.#block.buffer, at, bytes);
  }

  i8(): Int8Array {
    const [at, bytes] = this.#place(1);
    return new Int8Array(this.#block.buffer, at, bytes);
  }

  u16(): Uint16Array {
    const [at, bytes] = this.#place(2);
    return new Uint16Array(this.#block.buffer, at, bytes / 2);
  }

  u32(): Uint32Array {
    const [at, bytes] = this.#place(4);
    return new Uint32Array(this.#block.buffer, at, bytes / 4);
  }

  f32(): Float32Array {
    const [at, bytes] = this.#place(4);
    return new Float32Array(this.#block.buffer, at, bytes / 4);
  }

  f64(): Float64Array {
    const [at, bytes] = this.#place(8);
    return new Float64Array(this.#block.buffer, at, bytes / 8);
  }

  i64(): BigInt64Array {
    const [at, bytes] = this.#place(8);
    return new BigInt64Array(this.#block.buffer, at, bytes / 8);
  }

  u64(): BigUint64Array {
    const [at, bytes] = this.#place(8);
    return new BigUint64Array(this.#block.buffer, at, bytes / 8);
  }

  text(): string {
    return utf8Slice(this.u8(), 0);
  }

  #place(elementBytes: number): [at: number, bytes: number] {
    const start = this.#arraysAt + this.word() * ARRAY_ALIGNMENT;
    const bytes = this.word();
    if (start + bytes > this.#block.length) {
      throw corrupt(this.#what, `an array ends at ${start + bytes} of ${this.#block.length} bytes`);
    }
    if (bytes % elementBytes !== 0) {
      throw corrupt(this.#what, `an array of ${bytes} bytes has elements of ${elementBytes}`);
    }
    return [this.#block.byteOffset + start, bytes];
  }
}

/** Decodes UTF-8 bytes from `start` to `end`; the bytes may lie in shared memory. */
export function utf8Slice(bytes: Uint8Array, start: number, end = bytes.length): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.toString("utf8", start, end);
}
