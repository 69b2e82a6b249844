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

type PartArray = Float32Array | Float64Array<ArrayBuffer> | Int32Array<ArrayBuffer>;

/** Vectors of which nothing is known. */
const NO_ROOM: VectorRoom = { expected: 0, take: () => undefined };

/** Elements in parts of one length; the first grows to that. */
class ElementParts<T extends PartArray> {
  readonly #make: (length: number) => T;
  /** Makes room for all of them, at the end. */
  readonly #makeWhole: (length: number) => T;
  /** Of a part that is full. */
  readonly #partLength: number;
  readonly #full: T[] = [];
  /** The last part, and its place among all elements. */
  last: T;
  start = 0;

  constructor(
    first: T,
    partLength: number,
    { make, makeWhole = make }: { make: (length: number) => T; makeWhole?: (length: number) => T },
  ) {
    this.#make = make;
    this.#makeWhole = makeWhole;
    this.#partLength = partLength;
    this.last = first;
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
    const joined = this.#makeWhole(length);
    let at = 0;
    for (const part of [...this.#full.splice(0), last]) {
      joined.set(part.subarray(0, length - at), at);
      at += part.length;
      // Frees it at once: large ones pile up otherwise.
      if (part.buffer instanceof ArrayBuffer) part.buffer.transfer(0);
      yield;
    }
    return joined;
  }
}

/** Numbers by document. */
export class NumberBlock {
  readonly #parts = new ElementParts(
    new Float64Array(FIRST_NUMBERS),
    PART_BYTES / Float64Array.BYTES_PER_ELEMENT,
    { make: (length) => new Float64Array(length) },
  );
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
  readonly #parts = new ElementParts(
    new Int32Array(2 * FIRST_NUMBERS),
    PART_BYTES / Int32Array.BYTES_PER_ELEMENT,
    { make: (length) => new Int32Array(length) },
  );
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

/** What is known of vectors before they come. */
export interface VectorRoom {
  /** How many there are, as far as that has been seen. */
  readonly expected: number;
  /** Room for so many numbers that lasts as long as the vectors; undefined if there is none. */
  take(length: number): Float32Array | undefined;
}

/** Vectors of one length by document. */
export class VectorBlock {
  readonly dimensions: number;
  readonly #parts: ElementParts<Float32Array>;
  count = 0;

  /** `dimensions` is at least 1. Where it is known how many come, one part has all of them. */
  constructor(dimensions: number, room: VectorRoom = NO_ROOM) {
    this.dimensions = dimensions;
    const { expected } = room;
    const whole = expected > 0 ? room.take(expected * dimensions) : undefined;
    const vectors = Math.floor(PART_BYTES / Float32Array.BYTES_PER_ELEMENT / dimensions);
    const partLength = whole?.length ?? dimensions * Math.max(1, vectors);
    const make = (length: number) => new Float32Array(length);
    this.#parts = new ElementParts(whole ?? make(dimensions), partLength, {
      make,
      makeWhole: (length) => room.take(length) ?? make(length),
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
