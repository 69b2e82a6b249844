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
  /** All elements, exact; present iff one of them is an integer beyond ±2^53. */
  readonly exact?: readonly bigint[] | undefined;
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
