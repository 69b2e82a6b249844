/**
 * Dense vectors as written to columns of their stored precision: number arrays, arrays that were
 * read as float32 while they arrived, and base64 of little-endian float32.
 */

import { assert } from "../../base/assert.ts";
import type { DatabaseError } from "../../base/errors.ts";
import type { Steps } from "../../base/steps.ts";
import { halves } from "../../codec/columns-value.ts";
import type { AttributeType, VectorElement } from "../../model/attribute-type.ts";
import type { ColumnData } from "../../model/columns.ts";
import { ATTRIBUTE_VALUE_BYTES_MAX } from "../../model/contract-limits.ts";
import { isJsonNumbers, type JsonValue } from "../../model/json-value.ts";
import type { LooseValue } from "../../model/write-request.ts";
import { base64FloatCount, decodeBase64Floats } from "../../wire/json/base64.ts";
import { STEP_VALUES, tooLong } from "./bind-scalars.ts";
import { type LooseSource, valueFault, wrongType } from "./loose-source.ts";

/** Elements of vectors that one step binds. */
const STEP_ELEMENTS = 1 << 19;

/** Of a float32; all are set in infinities and NaN alone. */
const EXPONENT_BITS = 0x7f80_0000;

type VectorValue = LooseValue | JsonValue | undefined;

/** Binds one vector per document. Every document must have one. */
export function* bindVectors(
  source: LooseSource,
  type: Extract<AttributeType, { kind: "vector" }>,
): Steps<ColumnData> {
  const { dimensions, element } = type;
  const { count, vectors } = source;
  if (element === "f32" && vectors?.dimensions === dimensions) {
    yield* checkBlock(source, vectors.elements, dimensions);
    return { kind: "f32", dimensions, values: vectors.elements };
  }
  const stepVectors = Math.ceil(STEP_ELEMENTS / dimensions);
  if (element === "f32") {
    const values = new Float32Array(count * dimensions);
    for (let i = 0; i < count; i++) {
      if (i > 0 && i % stepVectors === 0) yield;
      readVector(source, i, values.subarray(i * dimensions, (i + 1) * dimensions));
    }
    return { kind: "f32", dimensions, values };
  }
  const vector = new Float32Array(dimensions);
  if (element === "f16") {
    const values = new Uint16Array(count * dimensions);
    const rounded = halves(values);
    for (let i = 0; i < count; i++) {
      if (i > 0 && i % stepVectors === 0) yield;
      readVector(source, i, vector);
      rounded.set(vector, i * dimensions);
      checkElements(source, i, rounded.subarray(i * dimensions, (i + 1) * dimensions), element);
    }
    return { kind: "f16", dimensions, values };
  }
  const values = new Int8Array(count * dimensions);
  for (let i = 0; i < count; i++) {
    if (i > 0 && i % stepVectors === 0) yield;
    readVector(source, i, vector);
    checkSmallIntegers(source, i, vector);
    values.set(vector, i * dimensions);
  }
  return { kind: "i8", dimensions, values };
}

/** Binds several vectors per document, at least one. */
export function* bindMultiVectors(
  source: LooseSource,
  type: Extract<AttributeType, { kind: "multi_vector" }>,
): Steps<ColumnData> {
  const { dimensions } = type;
  const { count } = source;
  const offsets = new Uint32Array(count + 1);
  for (let i = 0; i < count; i++) {
    if (i > 0 && i % STEP_VALUES === 0) yield;
    const list = source.values[i];
    if (!Array.isArray(list)) throw noVector(source, i, `[][${dimensions}]f32`);
    if (list.length === 0) throw noVector(source, i, `[][${dimensions}]f32`);
    const bytes = list.length * dimensions * 4;
    if (bytes > ATTRIBUTE_VALUE_BYTES_MAX) throw tooLong(source, i, bytes);
    offsets[i + 1] = offsets[i] + list.length;
  }
  const values = new Float32Array(offsets[count] * dimensions);
  let stepEnd = 0;
  for (let i = 0; i < count; i++) {
    if (offsets[i] * dimensions >= stepEnd) {
      yield;
      stepEnd = offsets[i] * dimensions + STEP_ELEMENTS;
    }
    const list = source.values[i];
    assert(Array.isArray(list), "checked above");
    const inner: LooseSource = {
      ...source,
      values: list,
      count: list.length,
      place: (index) => `${source.place(i)}[${index}]`,
    };
    for (let v = 0; v < list.length; v++) {
      const start = (offsets[i] + v) * dimensions;
      readVector(inner, v, values.subarray(start, start + dimensions));
    }
  }
  return { kind: "multi_vector", dimensions, offsets, values };
}

/** Elements of a vector in any of its spellings; a string says why there are none. */
export function vectorLength(value: VectorValue): number | string {
  if (value instanceof Float32Array || Array.isArray(value)) return value.length;
  if (isJsonNumbers(value)) return value.values.length;
  if (typeof value === "string") return base64FloatCount(value);
  return "no vector";
}

/** Fills `slot` with one vector as float32, or says what is wrong with it. */
function readVector(source: LooseSource, index: number, slot: Float32Array): void {
  const dimensions = slot.length;
  const value = source.values[index];
  if (value === null || value === undefined) throw noVector(source, index, `[${dimensions}]f32`);
  const length = vectorLength(value);
  if (typeof length === "string") {
    throw wrongType(source, index, `a vector of ${dimensions} numbers`, length);
  }
  if (length !== dimensions) throw wrongLength(source, index, length, dimensions);
  if (value instanceof Float32Array) {
    slot.set(value);
  } else if (isJsonNumbers(value)) {
    slot.set(value.values);
  } else if (typeof value === "string") {
    if (!decodeBase64Floats(value, slot)) {
      throw wrongType(source, index, `a vector of ${dimensions} numbers`, "invalid base64");
    }
  } else if (Array.isArray(value)) {
    copyNumbers(source, index, value, slot);
  }
  checkElements(source, index, slot, "f32");
}

function copyNumbers(
  source: LooseSource,
  index: number,
  value: readonly VectorValue[],
  slot: Float32Array,
): void {
  for (let d = 0; d < value.length; d++) {
    const element = value[d];
    if (typeof element !== "number" && typeof element !== "bigint") {
      throw valueFault(source, index, `element ${d} of the vector is no number`);
    }
    slot[d] = Number(element);
  }
}

/** Refuses infinities, which come of numbers out of range, and NaN, which base64 can hold. */
function checkElements(
  source: LooseSource,
  index: number,
  vector: Float32Array | Float16Array,
  element: VectorElement,
): void {
  for (let d = 0; d < vector.length; d++) {
    if (Number.isFinite(vector[d])) continue;
    const range = element === "f16" ? "-65504 to 65504" : "-3.4e38 to 3.4e38";
    const given = givenElement(source.values[index], d) ?? vector[d];
    const what = Number.isNaN(vector[d])
      ? "not a number"
      : `out of range of ${element} (${range}), was ${given}`;
    throw valueFault(source, index, `element ${d} of the vector is ${what}`);
  }
}

/** The element as it was sent; undefined where the vector was sent as base64. */
function givenElement(value: LooseValue | undefined, index: number): unknown {
  if (isJsonNumbers(value)) return value.values[index];
  return Array.isArray(value) || value instanceof Float32Array ? value[index] : undefined;
}

/** Refuses what `checkElements` refuses, in all vectors of a block. */
function* checkBlock(source: LooseSource, elements: Float32Array, dimensions: number): Steps<void> {
  const bits = new Int32Array(elements.buffer, elements.byteOffset, elements.length);
  for (let start = 0; start < bits.length; start += STEP_ELEMENTS) {
    if (start > 0) yield;
    const end = Math.min(start + STEP_ELEMENTS, bits.length);
    for (let e = firstNotFinite(bits, start, end); e < end; e = firstNotFinite(bits, e + 1, end)) {
      const index = Math.floor(e / dimensions);
      const from = index * dimensions;
      checkElements(source, index, elements.subarray(from, from + dimensions), "f32");
    }
  }
}

/** The first float32 of a range that is an infinity or NaN, by its bits; `end` if there is none. */
function firstNotFinite(bits: Int32Array, start: number, end: number): number {
  let e = start;
  while (e < end && (bits[e] & EXPONENT_BITS) !== EXPONENT_BITS) e++;
  return e;
}

function checkSmallIntegers(source: LooseSource, index: number, vector: Float32Array): void {
  for (let d = 0; d < vector.length; d++) {
    const element = vector[d];
    if (Number.isInteger(element) && element >= -128 && element <= 127) continue;
    const fault = `element ${d} of the vector is ${element}, i8 takes integers from -128 to 127`;
    throw valueFault(source, index, fault);
  }
}

function noVector(source: LooseSource, index: number, type: string): DatabaseError {
  const value = source.values[index];
  const isMissing = value === null || value === undefined || Array.isArray(value);
  if (!isMissing) return wrongType(source, index, type);
  return valueFault(source, index, `every document must have a vector of type ${type}`);
}

function wrongLength(
  source: LooseSource,
  index: number,
  length: number,
  dimensions: number,
): DatabaseError {
  if (length === 0) return noVector(source, index, `[${dimensions}]f32`);
  const fault = `the vector has ${length} dimensions, the attribute has ${dimensions} dimensions`;
  return valueFault(source, index, fault);
}
