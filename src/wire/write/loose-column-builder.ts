import type { LooseColumn, LooseValue } from "../../model/write-request.ts";
import {
  IntegerBlock,
  NumberBlock,
  plainIntegers,
  splitVectors,
  VectorBlock,
} from "./value-blocks.ts";

/**
 * How values are read, as far as it is known beforehand what they are: `float` spares telling
 * integers apart, `vector` reads number arrays and base64 as float32. Values that turn out to be
 * something else are kept as they are, for the binding to judge.
 */
export type ValueForm = "any" | "float" | "vector";

/**
 * Builds a `LooseColumn` while its documents arrive, in ascending order. The value of a document
 * may be set again, so that a step of the parser can be repeated. As long as all values are
 * numbers, or all are vectors of one length, they lie in a block; the first that is something else
 * makes them a list.
 */
export class LooseColumnBuilder {
  readonly name: string;
  readonly form: ValueForm;
  /** Undefined while there is a block. */
  #values: LooseValue[] | undefined;
  #numbers: NumberBlock | IntegerBlock | undefined;
  #vectors: VectorBlock | undefined;
  #integersOnly = true;
  /** Documents that have named the attribute are marked here, if that is asked for. */
  #given: Uint8Array | undefined;

  constructor(name: string, form: ValueForm, marksGiven = false) {
    this.name = name;
    this.form = form;
    if (marksGiven) this.#given = new Uint8Array(1024);
  }

  /** Documents up to the last one that has a value. */
  get count(): number {
    return (this.#numbers ?? this.#vectors)?.count ?? this.#values?.length ?? 0;
  }

  /** Sets a value that is no number. Documents that were left out before it have null. */
  set(document: number, value: LooseValue): void {
    const values = this.#values ?? this.#makeList();
    if (document === values.length) values.push(value);
    else place(values, document, value);
    if (this.#given) this.#mark(document);
  }

  /** Sets a number as written in integer syntax. */
  setInteger(document: number, value: number | bigint): void {
    if (typeof value === "bigint") this.set(document, value);
    else if (!this.#integersOnly) this.set(document, BigInt(value));
    else this.#setNumber(document, value);
  }

  /** Sets a number as written with a fraction or an exponent. */
  setFraction(document: number, value: number): void {
    if (this.#integersOnly) this.#separateIntegers();
    this.#setNumber(document, value);
  }

  /**
   * Where a vector of `length` elements may be written for a document, to be kept by `setVector`
   * before anything else is set. Undefined if it must be an array of its own, for `set`.
   */
  vectorSlot(document: number, length: number): Float32Array | undefined {
    if (this.#isEmpty && length > 0) this.#vectors = new VectorBlock(length);
    return this.#vectors?.slot(document, length);
  }

  /** Keeps what was written to the slot of a document. */
  setVector(document: number): void {
    this.#vectors?.keep(document);
    if (this.#given) this.#mark(document);
  }

  /** The column of `count` documents; the builder is of no more use. */
  finish(count: number): LooseColumn {
    const given = this.#given;
    const marks = given === undefined || allSet(given, count) ? undefined : firstBits(given, count);
    return this.#column(count, marks);
  }

  #column(count: number, given: Uint8Array | undefined): LooseColumn {
    const integersOnly = this.#integersOnly;
    const rest = given === undefined ? { integersOnly } : { integersOnly, given };
    if (this.#vectors?.count === count) {
      return vectorColumn(this.#vectors.all(), this.#vectors.dimensions, rest);
    }
    if (this.#numbers?.count === count) return numberColumn(this.#numbers, rest);
    const values = this.#values ?? this.#makeList();
    while (values.length < count) values.push(null);
    return { values, ...rest };
  }

  get #isEmpty(): boolean {
    return (this.#values ?? this.#numbers ?? this.#vectors) === undefined;
  }

  #setNumber(document: number, value: number): void {
    if (this.#isEmpty) this.#numbers = this.#integersOnly ? new IntegerBlock() : new NumberBlock();
    if (this.#numbers?.set(document, value) !== true) this.set(document, value);
    else if (this.#given) this.#mark(document);
  }

  #makeList(): LooseValue[] {
    const vectors = this.#vectors && splitVectors(this.#vectors.all(), this.#vectors.dimensions);
    const values: LooseValue[] = vectors ?? (this.#numbers ? listOf(this.#numbers) : []);
    this.#vectors = undefined;
    this.#numbers = undefined;
    this.#values = values;
    return values;
  }

  #mark(document: number): void {
    let given = this.#given;
    if (given === undefined) return;
    if (document >>> 3 >= given.length) {
      given = enlarged(given, Math.max(document + 1, given.length * 16));
      this.#given = given;
    }
    given[document >>> 3] |= 1 << (document & 7);
  }

  /** From now on, a `number` is not an integer. */
  #separateIntegers(): void {
    this.#integersOnly = false;
    if (this.#isEmpty) return;
    const values = this.#values ?? this.#makeList();
    for (const [i, value] of values.entries()) {
      if (typeof value === "number") values[i] = BigInt(value);
    }
  }
}

/** What a column says beside its values. */
type Rest = Pick<LooseColumn, "integersOnly" | "given">;

/** A column of vectors that lie end to end. */
export function vectorColumn(elements: Float32Array, dimensions: number, rest: Rest): LooseColumn {
  let values: LooseValue[] | undefined;
  return {
    ...rest,
    get values() {
      values ??= splitVectors(elements, dimensions);
      return values;
    },
    vectors: { dimensions, elements },
  };
}

function numberColumn(block: NumberBlock | IntegerBlock, rest: Rest): LooseColumn {
  let values: LooseValue[] | undefined;
  return {
    ...rest,
    get values() {
      values ??= listOf(block);
      return values;
    },
    ...(block instanceof NumberBlock ? { numbers: block.all() } : { integers: block.all() }),
  };
}

function listOf(block: NumberBlock | IntegerBlock): number[] {
  return Array.from(block instanceof NumberBlock ? block.all() : plainIntegers(block.all()));
}

function place(values: LooseValue[], document: number, value: LooseValue): void {
  while (values.length < document) values.push(null);
  if (document === values.length) values.push(value);
  else values[document] = value;
}

/** The bits in an array that has room for `count` of them. */
function enlarged(bits: Uint8Array, count: number): Uint8Array {
  const bytes = (count + 7) >>> 3;
  if (bytes <= bits.length) return bits;
  const larger = new Uint8Array(bytes);
  larger.set(bits);
  return larger;
}

function firstBits(bits: Uint8Array, count: number): Uint8Array {
  return enlarged(bits, count).subarray(0, (count + 7) >>> 3);
}

function allSet(bits: Uint8Array, count: number): boolean {
  for (let i = 0; i < count; i++) {
    if ((bits[i >>> 3] & (1 << (i & 7))) === 0) return false;
  }
  return true;
}
