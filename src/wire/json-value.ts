/**
 * A parsed JSON value. The syntax of a number decides its form, because the wire contract tells
 * integers from floats: integer syntax (`7`, `-0`) gives a bigint, a fraction or an exponent
 * (`7.0`, `7e0`) a number. Long arrays of nothing but numbers are held flat.
 */
export type JsonValue =
  | null
  | boolean
  | string
  | bigint
  | number
  | JsonNumbers
  | JsonValue[]
  | JsonObject;

/** The members of an object in their order; a Map, so that `__proto__` is a name like any other. */
export type JsonObject = Map<string, JsonValue>;

/** An array of more than `JSON_SHORT_ARRAY_MAX` elements, all of them numbers. */
export class JsonNumbers {
  /** Every element, rounded to the nearest float64. */
  readonly values: Float64Array;
  /** Whether every element has integer syntax. */
  readonly integers: boolean;
  /** The exact elements: present if `integers` and one of them is beyond ±(2^53 − 1). */
  readonly exact: readonly bigint[] | undefined;

  constructor(values: Float64Array, integers: boolean, exact?: readonly bigint[]) {
    this.values = values;
    this.integers = integers;
    this.exact = exact;
  }
}

/** Arrays of numbers up to this length are plain arrays, so that small operands keep one form. */
export const JSON_SHORT_ARRAY_MAX = 8;

/** The kind of a JSON value, as its first byte tells it. */
export type JsonKind = "null" | "boolean" | "string" | "number" | "array" | "object";
