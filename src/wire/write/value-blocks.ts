/** Blocks of values of one kind, one per document: much smaller than lists, and quick to bind. */

/** Values that the first block of a column has room for: most writes have few documents. */
const FIRST_NUMBERS = 4;
/** One above the greatest half of 64 bits. */
const HALF = 2 ** 32;

/** Numbers by document. */
export class NumberBlock {
  #numbers = new Float64Array(FIRST_NUMBERS);
  count = 0;

  /** Sets a number; false if documents before this one have none. */
  set(document: number, value: number): boolean {
    if (document > this.count) return false;
    if (document === this.count) this.count++;
    if (document === this.#numbers.length) {
      const grown = new Float64Array(2 * document);
      this.#numbers = moved(this.#numbers, grown);
    }
    this.#numbers[document] = value;
    return true;
  }

  /** A view of all numbers. */
  all(): Float64Array {
    return this.#numbers.subarray(0, this.count);
  }
}

/** Safe integers by document, as 64 bits each in two's complement. */
export class IntegerBlock {
  /** Halves, low first: whole elements would have to come and go as bigints. */
  #halves = new Int32Array(2 * FIRST_NUMBERS);
  count = 0;

  /** Sets an integer; false if documents before this one have none. */
  set(document: number, value: number): boolean {
    if (document > this.count) return false;
    if (document === this.count) this.count++;
    if (2 * document === this.#halves.length) {
      this.#halves = moved(this.#halves, new Int32Array(4 * document));
    }
    this.#halves[2 * document] = value | 0;
    this.#halves[2 * document + 1] = Math.floor(value / HALF);
    return true;
  }

  /** A view of all integers. */
  all(): BigInt64Array<ArrayBuffer> {
    return new BigInt64Array(this.#halves.buffer, 0, this.count);
  }
}

/** The integers of an `IntegerBlock` as numbers. */
export function* plainIntegers(integers: BigInt64Array): Generator<number> {
  const { buffer, byteOffset, length } = integers;
  const halves = new Int32Array(buffer, byteOffset, 2 * length);
  for (let i = 0; i < halves.length; i += 2) yield halves[i + 1] * HALF + (halves[i] >>> 0);
}

/** Vectors of one length by document. */
export class VectorBlock {
  readonly dimensions: number;
  #elements: Float32Array<ArrayBuffer>;
  count = 0;

  /** `dimensions` is at least 1. */
  constructor(dimensions: number) {
    this.dimensions = dimensions;
    this.#elements = new Float32Array(dimensions);
  }

  /**
   * Where the vector of a document may be written, until the next slot is asked for; undefined if
   * it has another length, or if documents before this one have none.
   */
  slot(document: number, length: number): Float32Array | undefined {
    if (length !== this.dimensions || document > this.count) return undefined;
    const end = (document + 1) * length;
    if (end > this.#elements.length) {
      const grown = new Float32Array(2 * this.#elements.length);
      this.#elements = moved(this.#elements, grown);
    }
    return this.#elements.subarray(end - length, end);
  }

  /** Counts the vector that was written to the slot of a document. */
  keep(document: number): void {
    this.count = Math.max(this.count, document + 1);
  }

  /** A view of all vectors, end to end. */
  all(): Float32Array {
    return this.#elements.subarray(0, this.count * this.dimensions);
  }
}

/** A view of each of the vectors that lie in `elements`. */
export function splitVectors(elements: Float32Array, dimensions: number): Float32Array[] {
  return Array.from({ length: elements.length / dimensions }, (_, i) => {
    return elements.subarray(i * dimensions, (i + 1) * dimensions);
  });
}

type MovableArray = Float32Array<ArrayBuffer> | Float64Array<ArrayBuffer> | Int32Array<ArrayBuffer>;

/** Moves an array to a larger one, and frees its memory at once: large ones pile up otherwise. */
function moved<T extends MovableArray>(from: T, to: T): T {
  to.set(from);
  from.buffer.transfer(0);
  return to;
}
