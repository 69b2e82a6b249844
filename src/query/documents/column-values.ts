/** Single values out of the raw arrays of a column. */

import { unreachable } from "../../base/assert.ts";
import type { ColumnData } from "../../model/columns.ts";
import { formatUuid, UUID_BYTES } from "../../model/uuid.ts";
import type { ScalarValue } from "../../model/value.ts";

/** Raw arrays of scalars. */
export type ScalarData = Extract<
  ColumnData,
  { kind: "string" | "i64" | "u64" | "f64" | "bool" | "uuid" }
>;

/** Tells whether the arrays hold scalars. */
export function isScalarData(data: ColumnData): data is ScalarData {
  return ["string", "i64", "u64", "f64", "bool", "uuid"].includes(data.kind);
}

/**
 * Returns a function from index to value in the form of `model/value.ts`. Strings and UUIDs are
 * decoded anew on each call.
 */
export function scalarReader(data: ScalarData): (index: number) => ScalarValue {
  switch (data.kind) {
    case "string": {
      const { offsets } = data;
      // A Buffer decodes shared memory, which TextDecoder may refuse.
      const buffer = Buffer.from(data.bytes.buffer, data.bytes.byteOffset, data.bytes.byteLength);
      return (index) => buffer.toString("utf8", offsets[index], offsets[index + 1]);
    }
    case "i64":
    case "u64":
    case "f64": {
      const { values } = data;
      return (index) => values[index];
    }
    case "bool": {
      const { values } = data;
      return (index) => values[index] !== 0;
    }
    case "uuid": {
      const { bytes } = data;
      return (index) => formatUuid(bytes, index * UUID_BYTES);
    }
    default:
      return unreachable(data);
  }
}

/** A 64-bit column as pairs of 32-bit words, low word first, which loops read without bigints. */
export function wordsOf(values: BigInt64Array | BigUint64Array): Uint32Array {
  return new Uint32Array(values.buffer, values.byteOffset, values.length * 2);
}

/**
 * Returns a function from index to the nearest float of a 64-bit integer. Rounds as
 * `Number(bigint)` does, without bigints: the high word is exact, so only the addition rounds.
 */
export function integerReader(
  data: Extract<ScalarData, { kind: "i64" | "u64" }>,
): (index: number) => number {
  const words = wordsOf(data.values);
  if (data.kind === "u64") return (index) => words[2 * index + 1] * 2 ** 32 + words[2 * index];
  return (index) => (words[2 * index + 1] | 0) * 2 ** 32 + words[2 * index];
}

/** Writes what `integerReader` gives at each of `ordinals`, in a loop without calls. */
export function readIntegers(
  data: Extract<ScalarData, { kind: "i64" | "u64" }>,
  ordinals: Uint32Array,
  into: Float64Array,
): void {
  const words = wordsOf(data.values);
  if (data.kind === "u64") {
    for (let i = 0; i < ordinals.length; i++) {
      into[i] = words[2 * ordinals[i] + 1] * 2 ** 32 + words[2 * ordinals[i]];
    }
    return;
  }
  for (let i = 0; i < ordinals.length; i++) {
    into[i] = (words[2 * ordinals[i] + 1] | 0) * 2 ** 32 + words[2 * ordinals[i]];
  }
}

/** Orders the bytes `[start, end)` of `bytes` against all of `other`. */
export function compareBytes(
  bytes: Uint8Array,
  start: number,
  end: number,
  other: Uint8Array,
): number {
  const length = Math.min(end - start, other.length);
  for (let i = 0; i < length; i++) {
    const order = bytes[start + i] - other[i];
    if (order !== 0) return order;
  }
  return end - start - other.length;
}
