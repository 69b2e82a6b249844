/**
 * Blocks of values of one kind, one per document: much smaller than lists, and quick to bind. They
 * grow by parts, which are joined once, since moving a large block takes long.
 */

import { KIB } from "../../base/byte-sizes.ts";
import type { Steps } from "../../base/steps.ts";

/** Values that the first block of a column has room for: most writes have few documents. */
const FIRST_NUMBERS = 4;
/** Bytes of a part that is full, but for vectors that are larger. */
const PART_BYTES = 512 * KIB;
/** One above the greatest half of 64 bits. */
const HALF = 2 ** 32;

type PartArray = Float32Array<ArrayBuffer> | Float64Array<ArrayBuffer> | Int32Array<ArrayBuffer>;

/** Elements in parts of one length; the first grows to that. */
class ElementParts<T extends PartArray> {
  readonly #make: (length: number) => T;
  /** Of a part that is full. */
  readonly #partLength: number;
  readonly #full: T[] = [];
  /** The last part, and its place among all elements. */
  last: T;
  start = 0;

  constructor(make: (length: number) => T, lengths: { first: number; part: number }) {
    this.#make = make;
    this.#partLength = lengths.part;
    this.last = make(lengths.first);
  }

  /** Makes room for an element at the end. */
  grow(): void {
    const { length } = this.last;
    if (length === this.#partLength) {
      this.#full.push(this.last);
      this.start += length;
      this.last = this.#make(length);
      return;
    }
    const grown = this.#make(Math.min(2 * length, this.#partLength));
    grown.set(this.last);
    this.last = grown;
  }

  /** The part that has an element before `start`. */
  partOf(index: number): T {
    return this.#full[Math.floor(index / this.#partLength)];
  }

  /** The first `length` elements, end to end; there are no parts afterwards. */
  *join(length: number): Steps<T> {
    const { last } = this;
    if (this.#full.length === 0) return last.subarray(0, length) as T;
    const joined = this.#make(length);
    let at = 0;
    for (const part of [...this.#full.splice(0), last]) {
      joined.set(part.subarray(0, length - at), at);
      at += part.length;
      part.buffer.transfer(0); // Frees it at once: large ones pile up otherwise.
      yield;
    }
    return joined;
  }
}

/** Numbers by document. */
export class NumberBlock {
  readonly #parts = new ElementParts((length) => new Float64Array(length), {
    first: FIRST_NUMBERS,
    part: PART_BYTES / Float64Array.BYTES_PER_ELEMENT,
  });
  count = 0;

  /** Sets a number; false if documents before this one have none. */
  set(document: number, value: number): boolean {
    if (document > this.count) return false;
    const parts = this.#parts;
    if (document === this.count) {
      this.count++;
      if (document === parts.start + parts.last.length) parts.grow();
    }
    if (document >= parts.start) parts.last[document - parts.start] = value;
    else setIn(parts.partOf(document), document, value);
    return true;
  }

  /** All numbers; the block is of no more use. */
  join(): Steps<Float64Array> {
    return this.#parts.join(this.count);
  }
}

/** Sets an element of a part that is full. */
function setIn(part: PartArray, index: number, value: number): void {
  part[index % part.length] = value;
}

/** Safe integers by document, as 64 bits each in two's complement. */
export class IntegerBlock {
  /** Halves, low first: whole elements would have to come and go as bigints. */
  readonly #parts = new ElementParts((length) => new Int32Array(length), {
    first: 2 * FIRST_NUMBERS,
    part: PART_BYTES / Int32Array.BYTES_PER_ELEMENT,
  });
  count = 0;

  /** Sets an integer; false if documents before this one have none. */
  set(document: number, value: number): boolean {
    if (document > this.count) return false;
    const parts = this.#parts;
    if (document === this.count) {
      this.count++;
      if (2 * document === parts.start + parts.last.length) parts.grow();
    }
    const at = 2 * document - parts.start;
    if (at >= 0) {
      parts.last[at] = value | 0;
      parts.last[at + 1] = Math.floor(value / HALF);
    } else {
      const part = parts.partOf(2 * document);
      setIn(part, 2 * document, value | 0);
      setIn(part, 2 * document + 1, Math.floor(value / HALF));
    }
    return true;
  }

  /** All integers; the block is of no more use. */
  *join(): Steps<BigInt64Array<ArrayBuffer>> {
    const { buffer } = yield* this.#parts.join(2 * this.count);
    return new BigInt64Array(buffer, 0, this.count);
  }
}

/** An element of a joined `IntegerBlock` as a number; `halves` is a view of it. */
export function plainInteger(halves: Int32Array, index: number): number {
  return halves[2 * index + 1] * HALF + (halves[2 * index] >>> 0);
}

/** Vectors of one length by document. */
export class VectorBlock {
  readonly dimensions: number;
  readonly #parts: ElementParts<Float32Array<ArrayBuffer>>;
  count = 0;

  /** `dimensions` is at least 1. */
  constructor(dimensions: number) {
    this.dimensions = dimensions;
    const vectors = Math.floor(PART_BYTES / Float32Array.BYTES_PER_ELEMENT / dimensions);
    this.#parts = new ElementParts((length) => new Float32Array(length), {
      first: dimensions,
      part: dimensions * Math.max(1, vectors),
    });
  }

  /**
   * Where the vector of a document may be written, until the next slot is asked for; undefined if
   * it has another length, or if documents before this one have none.
   */
  slot(document: number, length: number): Float32Array | undefined {
    if (length !== this.dimensions || document > this.count) return undefined;
    const parts = this.#parts;
    const start = document * length;
    if (start === parts.start + parts.last.length) parts.grow();
    const part = start >= parts.start ? parts.last : parts.partOf(start);
    const at = start >= parts.start ? start - parts.start : start % part.length;
    return part.subarray(at, at + length);
  }

  /** Counts the vector that was written to the slot of a document. */
  keep(document: number): void {
    this.count = Math.max(this.count, document + 1);
  }

  /** All vectors, end to end; the block is of no more use. */
  join(): Steps<Float32Array> {
    return this.#parts.join(this.count * this.dimensions);
  }
}

/** A view of each of the vectors that lie in `elements`. */
export function splitVectors(elements: Float32Array, dimensions: number): Float32Array[] {
  return Array.from({ length: elements.length / dimensions }, (_, i) => {
    return elements.subarray(i * dimensions, (i + 1) * dimensions);
  });
}
