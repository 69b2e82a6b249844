/** Numbers as words whose order is that of the values, and ordinals sorted by them. */

import type { Steps } from "../../base/steps.ts";
import type { ColumnData } from "../../model/columns.ts";

/** Numbers by ordinal. */
export type SortableData =
  | Extract<ColumnData, { kind: "i64" | "u64" | "f64" | "bool" }>
  /** Codes of a dictionary. */
  | { readonly kind: "code"; readonly values: Uint32Array };

/** One or two words for each value, the low one first. */
export interface SortWords {
  readonly words: Uint32Array;
  readonly perValue: 1 | 2;
  /** What the highest 16 bits are changed by (exclusive or), so that their order is unsigned. */
  readonly flip: number;
}

/** Ordinals that one step looks at: up to 80 ns each where they go to places that no cache has. */
const STEP_ORDINALS = 32_768;
const SIGN = 0x8000;

/** Tells whether the arrays hold numbers that can be sorted. */
export function isSortable(data: ColumnData): data is Exclude<SortableData, { kind: "code" }> {
  const { kind } = data;
  return kind === "i64" || kind === "u64" || kind === "f64" || kind === "bool";
}

/** Numbers as words; zeros of either sign are one value. Undefined if one of them is no number. */
export function* sortWords(data: SortableData): Steps<SortWords | undefined> {
  const { kind, values } = data;
  if (kind === "code") return { words: values, perValue: 1, flip: 0 };
  if (kind === "bool") return { words: new Uint32Array(values), perValue: 1, flip: 0 };
  if (kind === "f64") return yield* floatWords(values);
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length * 2);
  return { words, perValue: 2, flip: kind === "i64" ? SIGN : 0 };
}

/** Negative numbers have all bits inverted, others the sign set. */
function* floatWords(values: Float64Array): Steps<SortWords | undefined> {
  const floats = new Float64Array(values.length);
  const words = new Uint32Array(floats.buffer);
  for (let start = 0; start < floats.length; start += STEP_ORDINALS) {
    if (start > 0) yield;
    const end = Math.min(start + STEP_ORDINALS, floats.length);
    for (let i = start; i < end; i++) {
      const value = values[i] + 0;
      if (Number.isNaN(value)) return undefined;
      floats[i] = value;
      const high = words[2 * i + 1];
      const isNegative = high >>> 31 === 1;
      words[2 * i] = isNegative ? ~words[2 * i] : words[2 * i];
      words[2 * i + 1] = isNegative ? ~high : high ^ 0x8000_0000;
    }
  }
  return { words, perValue: 2, flip: 0 };
}

/** Orders the values of two ordinals. */
export function compareWords({ words, perValue, flip }: SortWords, a: number, b: number): number {
  if (perValue === 1) return words[a] - words[b];
  const order =
    ((words[2 * a + 1] ^ (flip << 16)) >>> 0) - ((words[2 * b + 1] ^ (flip << 16)) >>> 0);
  return order === 0 ? words[2 * a] - words[2 * b] : order;
}

/** Tells whether two ordinals have one value. */
export function isSameWords({ words, perValue }: SortWords, a: number, b: number): boolean {
  if (perValue === 1) return words[a] === words[b];
  return words[2 * a] === words[2 * b] && words[2 * a + 1] === words[2 * b + 1];
}

/**
 * Sorts ordinals, which ascend, by their values; those of one value go on ascending. By 16 bits at
 * a time, the lowest first, leaving out those in which all agree: some 15 ns each time for each.
 */
export function* sortOrdinals(by: SortWords, ordinals: Uint32Array): Steps<Uint32Array> {
  const { words, perValue, flip } = by;
  const halves = new Uint16Array(words.buffer, words.byteOffset, words.length * 2);
  const stride = 2 * perValue;
  const next = new Uint32Array(65_536);
  let from = ordinals;
  let to: Uint32Array = new Uint32Array(ordinals.length);
  for (let half = 0; half < stride; half++) {
    const digit = { halves, stride, half, flip: half === stride - 1 ? flip : 0 };
    if (!(yield* countDigits(digit, from, next))) continue;
    for (let start = 0; start < from.length; start += STEP_ORDINALS) {
      yield;
      const end = Math.min(start + STEP_ORDINALS, from.length);
      moveOrdinals(digit, { from: from.subarray(start, end), to, next });
    }
    [from, to] = [to, from === ordinals ? new Uint32Array(ordinals.length) : from];
  }
  return from;
}

/** Some 16 bits of each value. */
interface Digit {
  readonly halves: Uint16Array;
  readonly stride: number;
  readonly half: number;
  readonly flip: number;
}

/** Writes where the ordinals of each digit begin; tells whether there are several digits. */
function* countDigits(
  { halves, stride, half, flip }: Digit,
  ordinals: Uint32Array,
  next: Uint32Array,
): Steps<boolean> {
  next.fill(0);
  for (let start = 0; start < ordinals.length; start += STEP_ORDINALS) {
    if (start > 0) yield;
    const end = Math.min(start + STEP_ORDINALS, ordinals.length);
    for (let i = start; i < end; i++) next[halves[ordinals[i] * stride + half] ^ flip]++;
  }
  if (next[halves[ordinals[0] * stride + half] ^ flip] === ordinals.length) return false;
  let sum = 0;
  for (let digit = 0; digit < next.length; digit++) {
    const count = next[digit];
    next[digit] = sum;
    sum += count;
  }
  return true;
}

function moveOrdinals(
  { halves, stride, half, flip }: Digit,
  { from, to, next }: { from: Uint32Array; to: Uint32Array; next: Uint32Array },
): void {
  for (let i = 0; i < from.length; i++) {
    const ordinal = from[i];
    to[next[halves[ordinal * stride + half] ^ flip]++] = ordinal;
  }
}
