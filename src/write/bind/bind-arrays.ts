/**
 * Arrays, sparse vectors and bytes as written to columns. The elements of all documents become one
 * list and go through the loop of their scalar type.
 */

import { clipName } from "../../base/bounded-text.ts";
import type { Steps } from "../../base/steps.ts";
import { dataLogicalBytes } from "../../codec/columns-size.ts";
import { halves } from "../../codec/columns-value.ts";
import { TextBytes } from "../../codec/text-bytes.ts";
import type { ScalarKind } from "../../model/attribute-type.ts";
import type { ColumnData } from "../../model/columns.ts";
import {
  ATTRIBUTE_VALUE_BYTES_MAX,
  FILTERABLE_VALUE_BYTES_MAX,
  SPARSE_ENTRIES_MAX,
} from "../../model/contract-limits.ts";
import {
  isJsonNumbers,
  type JsonNumbers,
  type JsonObject,
  jsonElementReader,
  jsonElements,
} from "../../model/json-value.ts";
import { compareStrings } from "../../model/value.ts";
import type { LooseValue } from "../../model/write-request.ts";
import { base64ByteCount, decodeBase64 } from "../../wire/json/base64.ts";
import { bindScalars, STEP_TEXT_BYTES, STEP_VALUES, tooLong } from "./bind-scalars.ts";
import { checkElements } from "./check-elements.ts";
import { type LooseSource, valueFault, wrongType } from "./loose-source.ts";

/** Entries of sparse vectors that one step binds. */
const STEP_ENTRIES = 512;
/** Largest finite f16; larger numbers round to infinity from 65,520 on. */
const HALF_ROUNDS_TO_INFINITY = 65_520;

/** Binds arrays of a scalar type; `unknown` takes empty arrays only. */
export function* bindArrays(source: LooseSource, of: ScalarKind | "unknown"): Steps<ColumnData> {
  const bound = of === "string" ? yield* bindStringArrays(source) : undefined;
  return bound ?? (yield* bindElements(source, of));
}

/** The same for arrays of strings, without a list of all elements; undefined where one is wrong. */
function* bindStringArrays(source: LooseSource): Steps<ColumnData | undefined> {
  const { values } = source;
  const offsets = new Uint32Array(values.length + 1);
  for (let i = 0; i < values.length; i++) {
    if (i > 0 && i % STEP_VALUES === 0) yield;
    const value = values[i] ?? [];
    if (!Array.isArray(value)) return undefined;
    offsets[i + 1] = offsets[i] + value.length;
  }
  const count = offsets[values.length];
  const text = new TextBytes(count * 16);
  const ends = new Uint32Array(count + 1);
  const bytesMax = source.filterable ? FILTERABLE_VALUE_BYTES_MAX : ATTRIBUTE_VALUE_BYTES_MAX;
  let at = 0;
  let stepEnd = 0;
  for (const value of values) {
    for (const element of Array.isArray(value) ? value : []) {
      if ((at > 0 && at % STEP_VALUES === 0) || text.length > stepEnd) {
        yield;
        stepEnd = text.length + STEP_TEXT_BYTES;
      }
      if (typeof element !== "string" || element.length > bytesMax) return undefined;
      if (text.append(element) > bytesMax) return undefined;
      ends[++at] = text.length;
    }
  }
  const data: ColumnData = { kind: "string", offsets: ends, bytes: yield* text.finish() };
  yield* checkSizes(source, offsets, data);
  return { kind: "array", offsets, elements: data };
}

function* bindElements(source: LooseSource, of: ScalarKind | "unknown"): Steps<ColumnData> {
  const offsets = new Uint32Array(source.values.length + 1);
  const integersOnly = !(yield* haveDecimals(source.values));
  const elements: LooseValue[] = [];
  let stepEnd = 0;
  for (let i = 0; i < source.values.length; i++) {
    if (i % STEP_VALUES === 0 || elements.length >= stepEnd) {
      yield;
      stepEnd = elements.length + STEP_VALUES;
    }
    if (isLong(source.values[i])) yield* appendInSteps(source, i, integersOnly, elements);
    else appendElements(source, i, integersOnly, elements);
    offsets[i + 1] = elements.length;
  }
  const kind = of === "unknown" ? "string" : of;
  const data = yield* bindScalars(elementSource(source, elements, { integersOnly, offsets }), kind);
  yield* checkSizes(source, offsets, data);
  return { kind: "array", offsets, elements: data };
}

/** Binds base64 strings to the bytes that they stand for. */
export function* bindBytes(source: LooseSource): Steps<ColumnData> {
  const { values } = source;
  const text = new TextBytes(values.length * 16);
  const offsets = new Uint32Array(values.length + 1);
  let stepEnd = 0;
  for (let i = 0; i < values.length; i++) {
    if ((i > 0 && i % STEP_VALUES === 0) || text.length > stepEnd) {
      yield;
      stepEnd = text.length + STEP_TEXT_BYTES;
    }
    const value = values[i];
    if (value !== null && value !== undefined) {
      const length = typeof value === "string" ? base64ByteCount(value) : undefined;
      if (length !== undefined && length > ATTRIBUTE_VALUE_BYTES_MAX) {
        throw tooLong(source, i, length);
      }
      const bytes = typeof value === "string" ? decodeBase64(value) : undefined;
      if (!bytes) throw wrongType(source, i, "bytes (a base64 string)");
      text.appendBytes(bytes);
    }
    offsets[i + 1] = text.length;
  }
  return { kind: "string", offsets, bytes: yield* text.finish() };
}

/** Binds objects of dimension names and weights, names in ascending order. */
export function* bindSparseVectors(source: LooseSource): Steps<ColumnData> {
  const { values } = source;
  const offsets = new Uint32Array(values.length + 1);
  const names = new TextBytes(values.length * 64);
  const entriesMax = yield* countEntries(values);
  const nameOffsets = new Uint32Array(entriesMax + 1);
  const bits = new Uint16Array(entriesMax);
  const weights = halves(bits);
  let count = 0;
  let stepEnd = 0;
  for (let i = 0; i < values.length; i++) {
    if (i % STEP_VALUES === 0 || count >= stepEnd) {
      yield;
      stepEnd = count + STEP_ENTRIES;
    }
    const value = values[i];
    if (value !== null && value !== undefined) {
      if (!(value instanceof Map)) {
        throw wrongType(source, i, "{}f16 (an object of dimension names and numbers)");
      }
      if (value.size > SPARSE_ENTRIES_MAX) {
        const fault = `${value.size} entries, a sparse vector has at most ${SPARSE_ENTRIES_MAX}`;
        throw valueFault(source, i, fault);
      }
      checkNamesSize(source, i, value);
      for (const name of [...value.keys()].sort(compareStrings)) {
        weights[count++] = weightOf(source, i, name);
        names.append(name);
        nameOffsets[count] = names.length;
      }
    }
    offsets[i + 1] = count;
  }
  const bound = { offsets: nameOffsets, bytes: yield* names.finish() };
  return { kind: "sparse", offsets, names: bound, weights: bits };
}

/** Entries of all sparse vectors; what is none, or has too many, is refused when it is bound. */
function* countEntries(values: readonly (LooseValue | undefined)[]): Steps<number> {
  let count = 0;
  for (let i = 0; i < values.length; i++) {
    if (i > 0 && i % STEP_VALUES === 0) yield;
    const value = values[i];
    if (value instanceof Map) count += Math.min(value.size, SPARSE_ENTRIES_MAX);
  }
  return count;
}

/** Refuses a sparse vector over the limit of a value, before its names are copied. */
function checkNamesSize(source: LooseSource, index: number, value: JsonObject): void {
  let bytes = value.size * Uint16Array.BYTES_PER_ELEMENT;
  for (const name of value.keys()) bytes += Buffer.byteLength(name);
  if (bytes > ATTRIBUTE_VALUE_BYTES_MAX) throw tooLong(source, index, bytes);
}

function weightOf(source: LooseSource, index: number, name: string): number {
  const vector = source.values[index];
  const weight = vector instanceof Map ? vector.get(name) : undefined;
  if (typeof weight !== "number" && typeof weight !== "bigint") {
    throw valueFault(source, index, `the weight of "${clipName(name)}" is no number`);
  }
  if (Math.abs(Number(weight)) < HALF_ROUNDS_TO_INFINITY) return Number(weight);
  throw valueFault(
    source,
    index,
    `the weight of "${clipName(name)}" is out of range of f16 (-65504 to 65504), was ${weight}`,
  );
}

function* haveDecimals(values: LooseSource["values"]): Steps<boolean> {
  let elements = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (Array.isArray(value)) elements += value.length;
    if (i % STEP_VALUES === 0 || elements >= STEP_VALUES) {
      yield;
      elements = 0;
    }
    if (hasDecimals(value)) return true;
  }
  return false;
}

/** Tells whether an array has an element that is not written as an integer. */
function hasDecimals(value: LooseValue | undefined): boolean {
  if (Array.isArray(value)) return value.some((element) => typeof element === "number");
  if (value instanceof Float32Array) return true;
  return isJsonNumbers(value) && !value.integers;
}

function appendElements(
  source: LooseSource,
  index: number,
  integersOnly: boolean,
  elements: LooseValue[],
): void {
  const value = source.values[index];
  if (value === null || value === undefined) return;
  if (isJsonNumbers(value)) {
    appendNumbers(value, integersOnly, elements);
  } else if (value instanceof Float32Array || Array.isArray(value)) {
    if (Array.isArray(value)) checkElements(source, index, value);
    for (const element of value) elements.push(element);
  } else {
    throw wrongType(source, index, "an array");
  }
}

/** Returns true if an array has more elements than one step appends. */
function isLong(value: LooseValue | undefined): boolean {
  if (isJsonNumbers(value)) return value.values.length > STEP_VALUES;
  return Array.isArray(value) && value.length > STEP_VALUES;
}

/** Does what `appendElements` does, for a long array. */
function* appendInSteps(
  source: LooseSource,
  index: number,
  integersOnly: boolean,
  elements: LooseValue[],
): Steps<void> {
  const value = source.values[index];
  if (isJsonNumbers(value)) {
    const { read, count } = jsonElementReader(value);
    const asTheyAre = !value.exact && integersOnly;
    for (let i = 0; i < count; i++) {
      elements.push(asTheyAre ? value.values[i] : read(i));
      if (elements.length % STEP_VALUES === 0) yield;
    }
  } else if (Array.isArray(value)) {
    checkElements(source, index, value);
    for (const element of value) {
      elements.push(element);
      if (elements.length % STEP_VALUES === 0) yield;
    }
  }
}

function appendNumbers(numbers: JsonNumbers, integersOnly: boolean, elements: LooseValue[]): void {
  if (numbers.exact) {
    for (const element of jsonElements(numbers)) elements.push(element);
    return;
  }
  const asIntegers = numbers.integers && !integersOnly;
  for (const element of numbers.values) elements.push(asIntegers ? BigInt(element) : element);
}

function elementSource(
  source: LooseSource,
  elements: readonly LooseValue[],
  { integersOnly, offsets }: { integersOnly: boolean; offsets: Uint32Array },
): LooseSource {
  return {
    attribute: source.attribute,
    values: elements,
    count: elements.length,
    integersOnly,
    filterable: source.filterable,
    place: (element) => {
      let index = 0;
      while (offsets[index + 1] <= element) index++;
      return `${source.place(index)}[${element - offsets[index]}]`;
    },
  };
}

/** Arrays count as a whole against the limit of a value. */
function* checkSizes(source: LooseSource, offsets: Uint32Array, elements: ColumnData): Steps<void> {
  const last = offsets.length - 1;
  if (dataLogicalBytes(elements, 0, offsets[last]) <= ATTRIBUTE_VALUE_BYTES_MAX) return;
  for (let i = 0; i < last; i++) {
    if (i > 0 && i % STEP_VALUES === 0) yield;
    const bytes = dataLogicalBytes(elements, offsets[i], offsets[i + 1]);
    if (bytes > ATTRIBUTE_VALUE_BYTES_MAX) throw tooLong(source, i, bytes);
  }
}
