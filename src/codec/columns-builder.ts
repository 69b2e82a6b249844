/** Typed values → columns: for patches, tests and all that is not bound in bulk. */

import { assert } from "../base/assert.ts";
import type { Steps } from "../base/steps.ts";
import type { AttributeType, IdType, ScalarKind } from "../model/attribute-type.ts";
import type { Column, ColumnData, DocumentColumns } from "../model/columns.ts";
import { UUID_BYTES, writeUuidBytes } from "../model/uuid.ts";
import type { AttributeValue, DocumentId, ScalarValue, SparseVector } from "../model/value.ts";
import { firstOrdinals, gatherData } from "./columns-gather.ts";
import { emptyData, halves, hasAnyValue, idAttributeType } from "./columns-value.ts";

/** One document with typed values; null and absent are the same. */
export interface TypedDocument {
  readonly id: DocumentId;
  readonly attributes: ReadonlyMap<string, AttributeValue>;
}

/** Ids that one step builds. */
const STEP_IDS = 8192;

const textEncoder = new TextEncoder();

/** Builds a column of one value per document, each null or of the form that `type` has. */
function buildColumn(type: AttributeType, values: readonly AttributeValue[]): Column {
  const count = values.length;
  const data = buildData(type, values);
  if (!values.includes(null)) return { type, count, data };
  const presence = new Uint8Array((count + 7) >> 3);
  values.forEach((value, ordinal) => {
    if (value !== null) presence[ordinal >> 3] |= 1 << (ordinal & 7);
  });
  return { type, count, presence, data };
}

/** Builds the ids of documents. */
export function buildIds(idType: IdType, ids: readonly DocumentId[]): ColumnData {
  return buildData(idAttributeType(idType), ids);
}

/** The same in steps, for many of them. */
export function* buildIdsInSteps(idType: IdType, ids: readonly DocumentId[]): Steps<ColumnData> {
  if (ids.length <= STEP_IDS) return buildIds(idType, ids);
  const parts: { data: ColumnData; ordinals: Uint32Array }[] = [];
  for (let start = 0; start < ids.length; start += STEP_IDS) {
    const part = ids.slice(start, start + STEP_IDS);
    parts.push({ data: buildIds(idType, part), ordinals: firstOrdinals(part.length) });
    yield;
  }
  return yield* gatherData(emptyData(idAttributeType(idType)), parts);
}

/**
 * Builds documents whose attributes have the given types; attributes without a value are left out.
 */
export function buildDocuments(
  idType: IdType,
  types: ReadonlyMap<string, AttributeType>,
  documents: readonly TypedDocument[],
): DocumentColumns {
  const attributes = new Map<string, Column>();
  for (const [name, type] of types) {
    const values = documents.map((document) => document.attributes.get(name) ?? null);
    const column = buildColumn(type, values);
    if (hasAnyValue(column)) attributes.set(name, column);
  }
  const ids = buildIds(
    idType,
    documents.map(({ id }) => id),
  );
  return { count: documents.length, idType, ids, attributes };
}

function buildData(type: AttributeType, values: readonly AttributeValue[]): ColumnData {
  switch (type.kind) {
    case "scalar":
      return buildScalars(type.of, values);
    case "bytes":
      return { kind: "string", ...joinBytes(values as readonly (Uint8Array | null)[]) };
    case "array": {
      const lists = values as readonly (readonly ScalarValue[] | null)[];
      const of = type.of === "unknown" ? "string" : type.of;
      return {
        kind: "array",
        offsets: offsetsOf(lists),
        elements: buildScalars(of, flatten(lists)),
      };
    }
    case "vector":
      return buildVectors(type, values as readonly (Float32Array | null)[]);
    case "multi_vector": {
      const lists = values as readonly (readonly Float32Array[] | null)[];
      const vectors = joinVectors(flatten(lists), type.dimensions);
      const { dimensions } = type;
      return { kind: "multi_vector", dimensions, offsets: offsetsOf(lists), values: vectors };
    }
    case "sparse":
      return buildSparse(values as readonly (SparseVector | null)[]);
  }
}

/** Where a document has no value, there is a zero, false or nothing; presence says so elsewhere. */
function buildScalars(of: ScalarKind, values: readonly AttributeValue[]): ColumnData {
  const count = values.length;
  switch (of) {
    case "string":
      return { kind: "string", ...joinStrings(values as readonly (string | null)[]) };
    case "int":
    case "datetime": {
      const integers = new BigInt64Array(count);
      for (let i = 0; i < count; i++) integers[i] = (values[i] ?? 0n) as bigint;
      return { kind: "i64", values: integers };
    }
    case "uint": {
      const integers = new BigUint64Array(count);
      for (let i = 0; i < count; i++) integers[i] = (values[i] ?? 0n) as bigint;
      return { kind: "u64", values: integers };
    }
    case "float": {
      const numbers = new Float64Array(count);
      for (let i = 0; i < count; i++) numbers[i] = (values[i] ?? 0) as number;
      return { kind: "f64", values: numbers };
    }
    case "bool":
      return { kind: "bool", values: Uint8Array.from(values, (value) => (value === true ? 1 : 0)) };
    case "uuid": {
      const bytes = new Uint8Array(count * UUID_BYTES);
      values.forEach((value, i) => {
        if (value !== null) writeUuidBytes(value as string, bytes, i * UUID_BYTES);
      });
      return { kind: "uuid", bytes };
    }
  }
}

function buildVectors(
  type: Extract<AttributeType, { kind: "vector" }>,
  vectors: readonly (Float32Array | null)[],
): ColumnData {
  const { dimensions } = type;
  const values = joinVectors(vectors, dimensions);
  if (type.element === "f32") return { kind: "f32", dimensions, values };
  if (type.element === "i8") return { kind: "i8", dimensions, values: Int8Array.from(values) };
  const bits = new Uint16Array(values.length);
  halves(bits).set(values);
  return { kind: "f16", dimensions, values: bits };
}

function joinVectors(vectors: readonly (Float32Array | null)[], dimensions: number): Float32Array {
  const values = new Float32Array(vectors.length * dimensions);
  vectors.forEach((vector, i) => {
    if (vector === null) return;
    assert(vector.length === dimensions, `a vector of ${vector.length} is not of ${dimensions}`);
    values.set(vector, i * dimensions);
  });
  return values;
}

/** Entries of all documents end to end; weights are rounded to half precision. */
function buildSparse(vectors: readonly (SparseVector | null)[]): ColumnData {
  const names = vectors.map((vector) => vector?.names ?? null);
  const weights = flatten(vectors.map((vector) => (vector === null ? null : [...vector.weights])));
  const bits = new Uint16Array(weights.length);
  halves(bits).set(weights);
  return {
    kind: "sparse",
    offsets: offsetsOf(names),
    names: joinStrings(flatten(names)),
    weights: bits,
  };
}

/** Where each list begins among the elements of all, and last where they end. */
function offsetsOf(lists: readonly ({ readonly length: number } | null)[]): Uint32Array {
  const offsets = new Uint32Array(lists.length + 1);
  lists.forEach((list, i) => {
    offsets[i + 1] = offsets[i] + (list?.length ?? 0);
  });
  return offsets;
}

function flatten<T>(lists: readonly (readonly T[] | null)[]): T[] {
  const values: T[] = [];
  for (const list of lists) for (const value of list ?? []) values.push(value);
  return values;
}

/** Strings in UTF-8 end to end, null as the empty string. */
function joinStrings(strings: readonly (string | null)[]): {
  offsets: Uint32Array;
  bytes: Uint8Array;
} {
  const offsets = new Uint32Array(strings.length + 1);
  for (let i = 0; i < strings.length; i++) {
    offsets[i + 1] = offsets[i] + Buffer.byteLength(strings[i] ?? "");
  }
  const bytes = new Uint8Array(offsets[strings.length]);
  for (let i = 0; i < strings.length; i++) {
    textEncoder.encodeInto(strings[i] ?? "", bytes.subarray(offsets[i], offsets[i + 1]));
  }
  return { offsets, bytes };
}

function joinBytes(values: readonly (Uint8Array | null)[]): {
  offsets: Uint32Array;
  bytes: Uint8Array;
} {
  const offsets = offsetsOf(values);
  const bytes = new Uint8Array(offsets[values.length]);
  values.forEach((value, i) => {
    if (value !== null) bytes.set(value, offsets[i]);
  });
  return { offsets, bytes };
}
