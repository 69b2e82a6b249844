/**
 * Scalars as written to typed arrays, one loop per type, in steps. A null leaves a zero; the caller
 * keeps the presence of values.
 */

import { clip } from "../../base/bounded-text.ts";
import { KIB } from "../../base/byte-sizes.ts";
import type { Steps } from "../../base/steps.ts";
import { TextBytes } from "../../codec/text-bytes.ts";
import type { ScalarKind } from "../../model/attribute-type.ts";
import type { ColumnData } from "../../model/columns.ts";
import {
  ATTRIBUTE_VALUE_BYTES_MAX,
  FILTERABLE_VALUE_BYTES_MAX,
} from "../../model/contract-limits.ts";
import { parseDatetime } from "../../model/datetime.ts";
import { parseUuid, UUID_BYTES, writeUuidBytes } from "../../model/uuid.ts";
import { type LooseSource, valueFault, wrongType } from "./loose-source.ts";

/** Values that one step binds: a millisecond or less. */
export const STEP_VALUES = 4096;
/** Numbers in a block that one step looks at. */
const STEP_NUMBERS = 1 << 20;
/** Text that one step binds. */
export const STEP_TEXT_BYTES = 512 * KIB;

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
const UINT64_MAX = 2n ** 64n - 1n;

/** Binds values of a scalar type. */
export function bindScalars(source: LooseSource, kind: ScalarKind): Steps<ColumnData> {
  switch (kind) {
    case "string":
      return bindStrings(source);
    case "int":
      return bindInts(source);
    case "uint":
      return bindUints(source);
    case "float":
      return bindFloats(source);
    case "bool":
      return bindBools(source);
    case "uuid":
      return bindUuids(source);
    case "datetime":
      return bindDatetimes(source);
  }
}

function* bindStrings(source: LooseSource): Steps<ColumnData> {
  const { values } = source;
  const text = new TextBytes(values.length * 16);
  const offsets = new Uint32Array(values.length + 1);
  const bytesMax = source.filterable ? FILTERABLE_VALUE_BYTES_MAX : ATTRIBUTE_VALUE_BYTES_MAX;
  let stepEnd = 0;
  for (let i = 0; i < values.length; i++) {
    if ((i > 0 && i % STEP_VALUES === 0) || text.length > stepEnd) {
      yield;
      stepEnd = text.length + STEP_TEXT_BYTES;
    }
    const value = values[i];
    if (typeof value === "string") {
      // A UTF-16 unit takes a byte at least: what is far too long is never copied.
      const bytes = value.length > bytesMax ? Buffer.byteLength(value) : text.append(value);
      if (bytes > bytesMax) throw tooLong(source, i, bytes);
    } else if (value !== null && value !== undefined) {
      throw wrongType(source, i, "string");
    }
    offsets[i + 1] = text.length;
  }
  return { kind: "string", offsets, bytes: yield* text.finish() };
}

/** The error for a value over its size limit. */
export function tooLong(source: LooseSource, index: number, bytes: number): Error {
  if (bytes > ATTRIBUTE_VALUE_BYTES_MAX) {
    const fault = `${bytes} bytes long, a value has at most ${ATTRIBUTE_VALUE_BYTES_MAX} bytes`;
    return valueFault(source, index, fault);
  }
  const fault = `${bytes} bytes long, a filterable value has at most ${FILTERABLE_VALUE_BYTES_MAX}`;
  return valueFault(source, index, fault, 'declare the attribute with "filterable": false');
}

function* bindInts(source: LooseSource): Steps<ColumnData> {
  if (source.integers !== undefined) return { kind: "i64", values: source.integers };
  const { values } = source;
  const result = new BigInt64Array(values.length);
  const halves = new Int32Array(result.buffer);
  for (let i = 0; i < values.length; i++) {
    if (i > 0 && i % STEP_VALUES === 0) yield;
    const value = values[i];
    if (value === null || value === undefined) continue;
    if (typeof value === "number" && source.integersOnly) {
      writeInteger(halves, i, value);
    } else if (typeof value === "bigint" && value >= INT64_MIN && value <= INT64_MAX) {
      result[i] = value;
    } else {
      throw wrongType(source, i, "int (a signed 64-bit integer)", numberHint(source, value));
    }
  }
  return { kind: "i64", values: result };
}

function* bindUints(source: LooseSource): Steps<ColumnData> {
  const { integers } = source;
  if (integers !== undefined && !(yield* hasNegative(integers))) {
    return { kind: "u64", values: unsigned(integers) };
  }
  const { values } = source;
  const result = new BigUint64Array(values.length);
  const halves = new Int32Array(result.buffer);
  for (let i = 0; i < values.length; i++) {
    if (i > 0 && i % STEP_VALUES === 0) yield;
    const value = values[i];
    if (value === null || value === undefined) continue;
    if (typeof value === "number" && source.integersOnly && value >= 0) {
      writeInteger(halves, i, value);
    } else if (typeof value === "bigint" && value >= 0n && value <= UINT64_MAX) {
      result[i] = value;
    } else {
      throw wrongType(source, i, "uint (an unsigned 64-bit integer)", numberHint(source, value));
    }
  }
  return { kind: "u64", values: result };
}

/** The same bits, of integers from 0 on. */
export function unsigned(integers: BigInt64Array<ArrayBuffer>): BigUint64Array<ArrayBuffer> {
  return new BigUint64Array(integers.buffer, integers.byteOffset, integers.length);
}

function* hasNegative(integers: BigInt64Array): Steps<boolean> {
  const { buffer, byteOffset, length } = integers;
  const halves = new Int32Array(buffer, byteOffset, 2 * length);
  for (let i = 0; i < length; i++) {
    if (i > 0 && i % STEP_NUMBERS === 0) yield;
    if (halves[2 * i + 1] < 0) return true;
  }
  return false;
}

/** Writes a safe integer as 64 bits without making a bigint of it (little-endian machines only). */
function writeInteger(halves: Int32Array, index: number, value: number): void {
  halves[index * 2] = value | 0;
  halves[index * 2 + 1] = Math.floor(value / 4294967296);
}

/** Which type would have held the number. */
function numberHint(source: LooseSource, value: unknown): string | undefined {
  if (typeof value !== "number" && typeof value !== "bigint") return undefined;
  const declare = (type: string, what: string) =>
    `declare the attribute as "${type}" in the schema of its first write to store ${what}`;
  if (typeof value === "number" && !source.integersOnly) return declare("float", "decimals");
  if (value >= INT64_MIN && value < 0) return declare("int", "negative numbers");
  return value > INT64_MAX && value <= UINT64_MAX ? declare("uint", "larger numbers") : undefined;
}

function* bindFloats(source: LooseSource): Steps<ColumnData> {
  const { numbers } = source;
  if (numbers !== undefined && (yield* areFinite(numbers))) return { kind: "f64", values: numbers };
  const { values } = source;
  const result = new Float64Array(values.length);
  for (let i = 0; i < values.length; i++) {
    if (i > 0 && i % STEP_VALUES === 0) yield;
    const value = values[i];
    if (value === null || value === undefined) continue;
    if (typeof value !== "number" && typeof value !== "bigint") {
      throw wrongType(source, i, "float");
    }
    result[i] = Number(value);
    if (Number.isFinite(result[i])) continue;
    throw valueFault(source, i, `${clip(String(value))} is out of range of float, ±1.8e308`);
  }
  return { kind: "f64", values: result };
}

function* areFinite(numbers: Float64Array): Steps<boolean> {
  for (let i = 0; i < numbers.length; i++) {
    if (i > 0 && i % STEP_NUMBERS === 0) yield;
    if (!Number.isFinite(numbers[i])) return false;
  }
  return true;
}

function* bindBools(source: LooseSource): Steps<ColumnData> {
  const { values } = source;
  const result = new Uint8Array(values.length);
  for (let i = 0; i < values.length; i++) {
    if (i > 0 && i % STEP_VALUES === 0) yield;
    const value = values[i];
    if (value === true) result[i] = 1;
    else if (value !== false && value !== null && value !== undefined) {
      throw wrongType(source, i, "bool");
    }
  }
  return { kind: "bool", values: result };
}

function* bindUuids(source: LooseSource): Steps<ColumnData> {
  const { values } = source;
  const bytes = new Uint8Array(values.length * UUID_BYTES);
  for (let i = 0; i < values.length; i++) {
    if (i > 0 && i % STEP_VALUES === 0) yield;
    const value = values[i];
    if (value === null || value === undefined) continue;
    const uuid = typeof value === "string" ? parseUuid(value) : undefined;
    if (uuid === undefined) {
      throw wrongType(source, i, "uuid", "as in 01234567-89ab-cdef-0123-456789abcdef");
    }
    writeUuidBytes(uuid, bytes, i * UUID_BYTES);
  }
  return { kind: "uuid", bytes };
}

function* bindDatetimes(source: LooseSource): Steps<ColumnData> {
  const { values } = source;
  const result = new BigInt64Array(values.length);
  for (let i = 0; i < values.length; i++) {
    if (i > 0 && i % STEP_VALUES === 0) yield;
    const value = values[i];
    if (value === null || value === undefined) continue;
    const ms = typeof value === "string" ? parseDatetime(value) : "expected an ISO 8601 string";
    if (typeof ms === "string") throw wrongType(source, i, "datetime", ms);
    result[i] = ms;
  }
  return { kind: "i64", values: result };
}
