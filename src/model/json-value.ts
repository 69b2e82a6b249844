import { sortNumbers } from "../base/numbers/sort-numbers.ts";
import type { Steps } from "../base/steps.ts";
import { ScalarSet } from "../base/tables/scalar-map.ts";

/** A JSON value as the reader hands it over: lossless for integers, compact for number arrays. */
export type JsonValue =
  | null
  | boolean
  | string
  /** A number written as an integer (no fraction, no exponent). */
  | bigint
  /** A number written with a fraction or an exponent. */
  | number
  | JsonNumbers
  | JsonValue[]
  | JsonObject;

/** Members in the order in which they were written; names are unique. */
export type JsonObject = Map<string, JsonValue>;

/** An array of numbers only. Short arrays may come as `JsonValue[]` instead. */
export interface JsonNumbers {
  readonly values: Float64Array;
  /** Every element was written as an integer. */
  readonly integers: boolean;
  /** Where all are integers, those beyond ±2^53 with their indexes; present iff there are some. */
  readonly exact?: readonly ExactElement[] | undefined;
}

/** An integer that float64 cannot hold, and its place among the numbers. */
export type ExactElement = readonly [index: number, value: bigint];

/** The numbers one by one, in the forms that single ones have. */
export function jsonElements({ values, integers, exact = [] }: JsonNumbers): (number | bigint)[] {
  if (!integers) return Array.from(values);
  const elements = Array.from(values, (value) => BigInt(value));
  for (const [index, value] of exact) elements[index] = value;
  return elements;
}

/** Reads what `jsonElements` gives one by one: each once, in ascending order. */
export function jsonElementReader({ values, integers, exact = [] }: JsonNumbers): {
  readonly read: (index: number) => number | bigint;
  readonly count: number;
} {
  const count = values.length;
  if (!integers) return { read: (index) => values[index], count };
  let next = 0;
  const read = (index: number): bigint =>
    exact[next]?.[0] === index ? exact[next++][1] : BigInt(values[index]);
  return { read, count };
}

/** Numbers that are looked at between two pauses, in some nanoseconds each. */
const NUMBERS_PER_STEP = 65_536;

/**
 * The same numbers without any that is there twice, in another order; in steps. Integers of more
 * than 64 bits, which no attribute holds, all stay.
 */
export function* distinctNumbers({
  values,
  integers,
  exact = [],
}: JsonNumbers): Steps<JsonNumbers> {
  const given = values.slice();
  for (const [index] of exact) given[index] = Number.NaN;
  const plain = yield* sortNumbers(given);
  let count = 0;
  for (let i = 0; i < plain.length; i++) {
    if (i % NUMBERS_PER_STEP === NUMBERS_PER_STEP - 1) yield;
    const value = plain[i];
    if (Number.isNaN(value)) continue;
    if (count === 0 || value !== plain[count - 1]) plain[count++] = value;
  }
  const large = distinctLarge(exact.map(([, value]) => value));
  if (large.length === 0) return { values: plain.subarray(0, count), integers };
  const all = new Float64Array(count + large.length);
  all.set(plain.subarray(0, count));
  all.set(large.map(Number), count);
  return { values: all, integers, exact: large.map((value, i) => [count + i, value]) };
}

/** Removes repeated values. Sets hold 64 bits without a sign, so negative values have their own. */
function distinctLarge(values: readonly bigint[]): bigint[] {
  const [negative, positive] = [new ScalarSet<bigint>(), new ScalarSet<bigint>()];
  return values.filter((value) => {
    if (BigInt.asIntN(64, value) === value && value < 0n) return negative.add(value);
    return BigInt.asUintN(64, value) !== value || positive.add(value);
  });
}

/** Tells whether `value` is a compact number array. */
export function isJsonNumbers(value: unknown): value is JsonNumbers {
  return (
    typeof value === "object" &&
    value !== null &&
    "values" in value &&
    (value as JsonNumbers).values instanceof Float64Array
  );
}
