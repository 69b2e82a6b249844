/** Counts the sampled values of one column by kind, with an example of each. */

import type { TextLook } from "./code-texts.ts";
import type { ArrayElements, LongText, ValueKind } from "./value-kinds.ts";

/** A sampled value as it is written, and where. */
export interface Example {
  /** File and line. */
  readonly place: string;
  readonly text: string;
}

/** Lengths of arrays, each with how often it occurs, and where it does first. */
export type SampledLengths = ReadonlyMap<
  number,
  { readonly count: number; readonly place: string }
>;

/** Kinds of numbers. */
export const NUMBER_KINDS: readonly ValueKind["kind"][] = ["int", "uint", "float", "wide"];

const NO_EXAMPLE: Example = { place: "", text: "" };
/** Characters of a value that are kept. */
const EXAMPLE_CHARS_MAX = 200;
const UINT64_MAX = 2n ** 64n - 1n;

/** See the file's head. */
export class ColumnSample {
  readonly counts = new Map<ValueKind["kind"], number>();
  /** The first value of each kind. */
  readonly examples = new Map<ValueKind["kind"], Example>();
  readonly elements = new Map<ArrayElements["kind"], number>();
  readonly lengths = new Map<number, { count: number; place: string }>();
  readonly dimensions = new Map<number, { count: number; place: string }>();
  /** Strings of base64 by the number of decoded bytes. */
  readonly base64Bytes = new Map<number, { count: number; place: string }>();
  /** Texts that look like something else, with the first of each. */
  readonly looks = new Map<TextLook, Example & { count: number }>();
  /** Texts of more than 15 digits that are integers of 64 bits, as ids may be. */
  longIntegers = 0;
  /** The first string that filters do not take. */
  long: (Example & { readonly kind: LongText }) | undefined;
  /** The first value that is stored in another form than it is written in. */
  changed: (Example & { readonly becomes: string }) | undefined;
  members: readonly string[] = [];

  /** Takes one value. */
  add(value: ValueKind, { place, text }: Example = NO_EXAMPLE): void {
    const example = { place, text: text.slice(0, EXAMPLE_CHARS_MAX) };
    increment(this.counts, value.kind);
    if (!this.examples.has(value.kind)) this.examples.set(value.kind, example);
    if ("long" in value && value.long) this.long ??= { ...example, kind: value.long };
    if (value.kind === "array") {
      const { elements } = value;
      increment(this.elements, elements.kind);
      if (elements.kind === "vectors") incrementLength(this.dimensions, elements.dimensions, place);
      incrementLength(this.lengths, value.length, place);
    } else if (value.kind === "object") this.members = value.members;
    else if (isScalar(value)) {
      const { becomes, base64Bytes, look } = value;
      if (becomes !== undefined) this.changed ??= { ...example, becomes };
      if (value.kind === "string") incrementLength(this.base64Bytes, base64Bytes ?? 0, place);
      if (look !== undefined) this.#addLook(look, example);
      if (look === "long" && /^\d+$/.test(text) && BigInt(text) <= UINT64_MAX) this.longIntegers++;
    }
  }

  /** Values that say something. */
  get valueCount(): number {
    let count = 0;
    for (const [kind, times] of this.counts) {
      if (kind !== "null" && kind !== "broken") count += times;
    }
    return count;
  }

  #addLook(look: TextLook, example: Example): void {
    const known = this.looks.get(look);
    if (known === undefined) this.looks.set(look, { ...example, count: 1 });
    else known.count++;
  }
}

function isScalar(value: ValueKind): value is Extract<ValueKind, { becomes?: unknown }> {
  return !["null", "broken", "wide", "array", "object", "sparse"].includes(value.kind);
}

/** Kinds of the values that say something. */
export function kindsOf(sample: ColumnSample): ValueKind["kind"][] {
  return [...sample.counts.keys()].filter((kind) => kind !== "null" && kind !== "broken");
}

/** The most frequent kind and its count; nulls and broken values do not count. */
export function mostFrequent<K>(counts: ReadonlyMap<K, number>): [K, number] {
  const silent = ["null", "broken"] as readonly unknown[];
  const said = [...counts].filter(([kind]) => !silent.includes(kind));
  return said.reduce((best, one) => (one[1] > best[1] ? one : best));
}

function increment<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function incrementLength(
  lengths: Map<number, { count: number; place: string }>,
  length: number,
  place: string,
): void {
  const known = lengths.get(length);
  if (known === undefined) lengths.set(length, { count: 1, place });
  else known.count++;
}
