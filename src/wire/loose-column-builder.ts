import type { LooseColumn, LooseValue } from "../model/write-request.ts";

/**
 * How values are read, as far as it is known beforehand what they are: `float` spares telling
 * integers apart, `vector` reads number arrays and base64 as float32. Values that turn out to be
 * something else are kept as they are, for the binding to judge.
 */
export type ValueForm = "any" | "float" | "vector";

/**
 * Builds a `LooseColumn` while its documents arrive, in ascending order. The value of a document
 * may be set again, so that a step of the parser can be repeated.
 */
export class LooseColumnBuilder {
  readonly name: string;
  readonly form: ValueForm;
  readonly values: LooseValue[] = [];
  #integersOnly = true;
  /** Documents that have named the attribute are marked here, if that is asked for. */
  #given: Uint8Array | undefined;

  constructor(name: string, form: ValueForm, marksGiven = false) {
    this.name = name;
    this.form = form;
    if (marksGiven) this.#given = new Uint8Array(1024);
  }

  /** Sets a value that is no number. Documents that were left out before it have null. */
  set(document: number, value: LooseValue): void {
    if (document === this.values.length) this.values.push(value);
    else this.#place(document, value);
    if (this.#given) this.#mark(document);
  }

  /** Sets a number as written in integer syntax. */
  setInteger(document: number, value: number | bigint): void {
    const keepsNumbers = this.#integersOnly || typeof value === "bigint";
    this.set(document, keepsNumbers ? value : BigInt(value));
  }

  /** Sets a number as written with a fraction or an exponent. */
  setFraction(document: number, value: number): void {
    if (this.#integersOnly) this.#separateIntegers();
    this.set(document, value);
  }

  /** The column of `count` documents; the builder is of no more use. */
  finish(count: number): LooseColumn {
    const { values } = this;
    while (values.length < count) values.push(null);
    const given = this.#given;
    const column = { values, integersOnly: this.#integersOnly };
    if (given === undefined || allSet(given, count)) return column;
    return { ...column, given: enlarged(given, count).subarray(0, (count + 7) >>> 3) };
  }

  #place(document: number, value: LooseValue): void {
    while (this.values.length < document) this.values.push(null);
    if (document === this.values.length) this.values.push(value);
    else this.values[document] = value;
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
    for (const [i, value] of this.values.entries()) {
      if (typeof value === "number") this.values[i] = BigInt(value);
    }
  }
}

/** The bits in an array that has room for `count` of them. */
function enlarged(bits: Uint8Array, count: number): Uint8Array {
  const bytes = (count + 7) >>> 3;
  if (bytes <= bits.length) return bits;
  const larger = new Uint8Array(bytes);
  larger.set(bits);
  return larger;
}

function allSet(bits: Uint8Array, count: number): boolean {
  for (let i = 0; i < count; i++) {
    if ((bits[i >>> 3] & (1 << (i & 7))) === 0) return false;
  }
  return true;
}
