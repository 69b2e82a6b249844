import { assert } from "../../base/assert.ts";
import { runSteps, type Steps } from "../../base/steps.ts";
import { withRoom } from "../../base/with-room.ts";
import type { LooseColumn, LooseValue } from "../../model/write-request.ts";
import {
  IntegerBlock,
  NumberBlock,
  plainInteger,
  splitVectors,
  VectorBlock,
  type VectorRoom,
} from "./value-blocks.ts";

/**
 * How values are read, as far as it is known beforehand what they are: `float` spares telling
 * integers apart, `vector` reads number arrays and base64 as float32. Values that turn out to be
 * something else are kept as they are, for the binding to judge.
 */
export type ValueForm = "any" | "float" | "vector";

/** Values that one step lists. */
const STEP_VALUES = 8192;

/** What is known of a column before its values come. */
export interface ColumnOptions {
  /** Marks the documents that have named the attribute. */
  readonly marksGiven?: boolean;
  /** Of vectors. */
  readonly room?: VectorRoom;
}

/**
 * Builds a `LooseColumn` while its documents arrive, in ascending order. The value of a document
 * may be set again, so that a step of the parser can be repeated. As long as all values are
 * numbers, or all are vectors of one length, they lie in a block; from the first that is something
 * else on they are listed, and all becomes a list at the end.
 */
export class LooseColumnBuilder {
  readonly name: string;
  readonly form: ValueForm;
  /** Of the first documents; undefined if there is none. */
  #block: NumberBlock | IntegerBlock | VectorBlock | undefined;
  /** Of the documents behind the block; undefined while all are in it. */
  #values: LooseValue[] | undefined;
  #integersOnly = true;
  /** Before this document, numbers are integers, whatever came later. */
  #integersBefore = 0;
  readonly #room: VectorRoom | undefined;
  /** Documents that have named the attribute are marked here, if that is asked for. */
  #given: Uint8Array | undefined;

  constructor(name: string, form: ValueForm, options: ColumnOptions = {}) {
    this.name = name;
    this.form = form;
    this.#room = options.room;
    if (options.marksGiven) this.#given = new Uint8Array(1024);
  }

  /** Documents up to the last one that has a value. */
  get count(): number {
    return this.#blockCount + (this.#values?.length ?? 0);
  }

  /** Sets a value that is no number. Documents that were left out before it have null. */
  set(document: number, value: LooseValue): void {
    this.#values ??= [];
    if (document < this.#blockCount) this.#shorten(document);
    const values = this.#values;
    const index = document - this.#blockCount;
    if (index === values.length) values.push(value);
    else place(values, index, value);
    if (this.#given) this.#mark(document);
  }

  /** Sets a number as written in integer syntax. */
  setInteger(document: number, value: number | bigint): void {
    if (typeof value === "bigint") this.set(document, value);
    else if (this.#isFractional(document)) this.set(document, BigInt(value));
    else this.#setNumber(document, value);
  }

  /** Sets a number as written with a fraction or an exponent. */
  setFraction(document: number, value: number): void {
    if (this.#integersOnly) {
      this.#integersOnly = false;
      this.#integersBefore = document;
    }
    this.#setNumber(document, value);
  }

  /**
   * Where a vector of `length` elements may be written for a document, to be kept by `setVector`
   * before anything else is set. Undefined if it must be an array of its own, for `set`.
   */
  vectorSlot(document: number, length: number): Float32Array | undefined {
    if (this.#isEmpty && length > 0) this.#block = new VectorBlock(length, this.#room);
    if (!(this.#block instanceof VectorBlock)) return undefined;
    if (this.#values !== undefined && document >= this.#block.count) return undefined;
    return this.#block.slot(document, length);
  }

  /** Keeps what was written to the slot of a document. */
  setVector(document: number): void {
    if (this.#block instanceof VectorBlock) this.#block.keep(document);
    if (this.#given) this.#mark(document);
  }

  /** The column of `count` documents, in steps; the builder is of no more use. */
  *finish(count: number): Steps<LooseColumn> {
    const given = this.#given;
    const marks = given === undefined || allSet(given, count) ? undefined : firstBits(given, count);
    const integersOnly = this.#integersOnly;
    const rest = marks === undefined ? { integersOnly } : { integersOnly, given: marks };
    const block = this.#block;
    if (block === undefined || this.count > block.count || count > block.count) {
      return { values: yield* this.#list(count), ...rest };
    }
    if (!(block instanceof VectorBlock)) return numberColumn(yield* block.join(), rest);
    return vectorColumn(yield* block.join(), block.dimensions, rest);
  }

  get #blockCount(): number {
    return this.#block?.count ?? 0;
  }

  get #isEmpty(): boolean {
    return this.#block === undefined && this.#values === undefined;
  }

  /** A number of the document that is not a bigint has a fraction. */
  #isFractional(document: number): boolean {
    return !this.#integersOnly && document >= this.#integersBefore;
  }

  #setNumber(document: number, value: number): void {
    if (this.#isEmpty) this.#block = this.#integersOnly ? new IntegerBlock() : new NumberBlock();
    if (!this.#setInBlock(document, value)) this.set(document, value);
    else if (this.#given) this.#mark(document);
  }

  /** Sets a number in the block, if it belongs there. */
  #setInBlock(document: number, value: number): boolean {
    const block = this.#block;
    if (block === undefined || block instanceof VectorBlock) return false;
    if (block instanceof IntegerBlock && this.#isFractional(document)) return false;
    if (this.#values !== undefined && document >= block.count) return false;
    return block.set(document, value);
  }

  /** Takes the documents from `document` on out of the block: they come again. */
  #shorten(document: number): void {
    const block = this.#block;
    if (block === undefined) return;
    const rest = block.count - document - 1;
    assert(rest === 0 && this.#values?.length === 0, "only the last document comes again");
    block.count = document;
  }

  *#list(count: number): Steps<LooseValue[]> {
    const values = yield* this.#joinedList();
    const before = this.#integersOnly ? 0 : this.#integersBefore;
    for (let i = 0; i < before; i++) {
      if (i % STEP_VALUES === 0) yield;
      const value = values[i];
      if (typeof value === "number") values[i] = BigInt(value);
    }
    while (values.length < count) {
      if (values.length % STEP_VALUES === 0) yield;
      values.push(null);
    }
    return values;
  }

  /** The values of the block, and of those behind it. */
  *#joinedList(): Steps<LooseValue[]> {
    const rest = this.#values ?? [];
    // Most lists are of strings, and are handed on as they are.
    if (this.#block === undefined) return rest;
    const values = yield* listOf(this.#block);
    for (const value of rest) {
      if (values.length % STEP_VALUES === 0) yield;
      values.push(value);
    }
    return values;
  }

  #mark(document: number): void {
    let given = this.#given;
    if (given === undefined) return;
    if (document >>> 3 >= given.length) {
      given = withRoom(given, (document >>> 3) + 1);
      this.#given = given;
    }
    given[document >>> 3] |= 1 << (document & 7);
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

function numberColumn(numbers: Float64Array | BigInt64Array<ArrayBuffer>, rest: Rest): LooseColumn {
  let values: LooseValue[] | undefined;
  return {
    ...rest,
    get values() {
      values ??= runSteps(listNumbers(numbers));
      return values;
    },
    ...(numbers instanceof Float64Array ? { numbers } : { integers: numbers }),
  };
}

function* listOf(block: NumberBlock | IntegerBlock | VectorBlock | undefined): Steps<LooseValue[]> {
  if (block === undefined) return [];
  if (!(block instanceof VectorBlock)) return yield* listNumbers(yield* block.join());
  return splitVectors(yield* block.join(), block.dimensions);
}

function* listNumbers(numbers: Float64Array | BigInt64Array): Steps<LooseValue[]> {
  const { buffer, byteOffset, length } = numbers;
  const halves = new Int32Array(buffer, byteOffset, 2 * length);
  const isPlain = numbers instanceof Float64Array;
  const values: LooseValue[] = [];
  for (let i = 0; i < length; i++) {
    if (i % STEP_VALUES === 0) yield;
    values.push(isPlain ? numbers[i] : plainInteger(halves, i));
  }
  return values;
}

function place(values: LooseValue[], document: number, value: LooseValue): void {
  while (values.length < document) values.push(null);
  if (document === values.length) values.push(value);
  else values[document] = value;
}

function firstBits(bits: Uint8Array, count: number): Uint8Array {
  const bytes = (count + 7) >>> 3;
  return withRoom(bits, bytes).subarray(0, bytes);
}

function allSet(bits: Uint8Array, count: number): boolean {
  for (let i = 0; i < count; i++) {
    if ((bits[i >>> 3] & (1 << (i & 7))) === 0) return false;
  }
  return true;
}
