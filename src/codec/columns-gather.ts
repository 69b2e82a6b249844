/**
 * Picks documents out of columns by ordinal: for patches, merges and copies. Works on the raw
 * arrays, type by type, and copies runs of consecutive ordinals at
 * once, in steps.
 */

import { STEP_COPY_BYTES } from "../base/pieces.ts";
import type { Steps } from "../base/steps.ts";
import type { AttributeType } from "../model/attribute-type.ts";
import type { Column, ColumnData, DocumentColumns } from "../model/columns.ts";
import { UUID_BYTES } from "../model/uuid.ts";
import { bytesOf } from "./columns-packing.ts";
import { emptyData, hasValue, idAttributeType } from "./columns-value.ts";

/** Documents of one source, in the order in which they are wanted; ordinals may repeat. */
export interface ColumnPart {
  /** Undefined where the source has no value for any document. */
  readonly column: Column | undefined;
  readonly ordinals: Uint32Array;
}

interface DataPart {
  readonly data: ColumnData | undefined;
  readonly ordinals: Uint32Array;
}

type ByteRange = { readonly start: number; readonly end: number };
type Strings = { readonly offsets: Uint32Array; readonly bytes: Uint8Array };

/** What looking at an ordinal costs beside its bytes, as if it were bytes. */
const ORDINAL_COST_BYTES = 32;
/** Ordinals that one step looks at. */
const STEP_ORDINALS = STEP_COPY_BYTES / ORDINAL_COST_BYTES;
/** Below this many bytes a loop is faster than `set` with its two views (measured at 40 to 80). */
const LOOP_BYTES_MAX = 48;

/** Joins the wanted documents of several columns of type `type` (or `[]unknown`) end to end. */
export function* gatherColumn(type: AttributeType, parts: readonly ColumnPart[]): Steps<Column> {
  let count = 0;
  for (const part of parts) count += part.ordinals.length;
  const data = yield* gatherData(
    emptyData(type),
    parts.map(({ column, ordinals }) => ({ data: column?.data, ordinals })),
  );
  const presence = yield* gatherPresence(parts, count);
  return presence === undefined ? { type, count, data } : { type, count, presence, data };
}

/** The documents with the given ordinals, in that order. */
export function gatherDocuments(
  documents: DocumentColumns,
  ordinals: Uint32Array,
): Steps<DocumentColumns> {
  return joinDocuments([{ documents, ordinals }]);
}

/** All documents of several batches end to end; the caller sees to it that ids stay unique. */
export function concatDocuments(batches: readonly DocumentColumns[]): Steps<DocumentColumns> {
  return joinDocuments(
    batches.map((documents) => ({ documents, ordinals: firstOrdinals(documents.count) })),
  );
}

/** Ordinals 0 to `count` − 1. */
export function firstOrdinals(count: number): Uint32Array {
  const ordinals = new Uint32Array(count);
  for (let i = 0; i < count; i++) ordinals[i] = i;
  return ordinals;
}

/** Joins the wanted values of several sources of the kind of `empty` end to end. */
export function* gatherData(empty: ColumnData, parts: readonly DataPart[]): Steps<ColumnData> {
  const known = parts.map(({ data, ordinals }) => {
    // An array column whose element type was not known yet has no elements of any kind.
    return { data: data?.kind === empty.kind ? data : undefined, ordinals };
  });
  switch (empty.kind) {
    case "string":
      return { kind: "string", ...(yield* gatherStrings(known)) };
    case "array": {
      const { offsets, parts: elements } = yield* gatherOffsets(known);
      const inner = elements.map((part) => ({
        data: part.data?.kind === "array" ? part.data.elements : undefined,
        ordinals: part.ordinals,
      }));
      return { kind: "array", offsets, elements: yield* gatherData(empty.elements, inner) };
    }
    case "multi_vector": {
      const { offsets, parts: vectors } = yield* gatherOffsets(known);
      const bytes = yield* gatherFixed(vectors, 4 * empty.dimensions);
      return { ...empty, offsets, values: new Float32Array(bytes.buffer) };
    }
    case "sparse": {
      const { offsets, parts: entries } = yield* gatherOffsets(known);
      const names = yield* gatherStrings(
        entries.map(({ data, ordinals }) => ({
          data: data?.kind === "sparse" ? { kind: "string", ...data.names } : undefined,
          ordinals,
        })),
      );
      const weights = new Uint16Array((yield* gatherFixed(entries, 2)).buffer);
      return { kind: "sparse", offsets, names, weights };
    }
    case "uuid":
      return { kind: "uuid", bytes: yield* gatherFixed(known, UUID_BYTES) };
    default: {
      const { values } = empty;
      const width = "dimensions" in empty ? empty.dimensions : 1;
      const bytes = yield* gatherFixed(known, values.BYTES_PER_ELEMENT * width);
      const Same = values.constructor as new (buffer: ArrayBufferLike) => typeof values;
      return { ...empty, values: new Same(bytes.buffer) } as ColumnData;
    }
  }
}

/**
 * Copies values of `width` bytes; absent sources leave zeros. The result is a buffer of its own.
 */
function* gatherFixed(parts: readonly DataPart[], width: number): Steps<Uint8Array> {
  let count = 0;
  for (const { ordinals } of parts) count += ordinals.length;
  const target = new Uint8Array(count * width);
  let at = 0;
  for (const { data, ordinals } of parts) {
    if (data !== undefined) {
      yield* copyFixed(fixedBytes(data), ordinals, width, target.subarray(at));
    }
    at += ordinals.length * width;
  }
  return target;
}

/** Copies the values of `width` bytes at `ordinals` to the start of `target`. */
export function* copyFixed(
  source: Uint8Array,
  ordinals: Uint32Array,
  width: number,
  target: Uint8Array,
): Steps<void> {
  const ordinalsMax = Math.ceil(STEP_COPY_BYTES / (width + ORDINAL_COST_BYTES));
  let at = 0;
  let left = ordinalsMax;
  for (let i = 0; i < ordinals.length; ) {
    const end = runEnd(ordinals, i, left);
    const start = ordinals[i] * width;
    copyBytes(source, { start, end: start + (end - i) * width }, target, at);
    at += (end - i) * width;
    left -= end - i;
    i = end;
    if (left > 0 || i === ordinals.length) continue;
    yield;
    left = ordinalsMax;
  }
}

/** The arrays of values of a fixed size, as bytes; of multi vectors and sparse entries too. */
function fixedBytes(data: ColumnData): Uint8Array {
  switch (data.kind) {
    case "uuid":
      return data.bytes;
    case "sparse":
      return bytesOf(data.weights);
    case "string":
    case "array":
      throw new Error("assertion failed: these values have no fixed size");
    default:
      return bytesOf(data.values);
  }
}

function* gatherStrings(parts: readonly DataPart[]): Steps<Strings> {
  const sources = parts.map(({ data, ordinals }) => ({ source: stringsOf(data), ordinals }));
  let count = 0;
  for (const { ordinals } of sources) count += ordinals.length;
  const offsets = new Uint32Array(count + 1);
  let next = 0;
  let total = 0;
  for (const { source, ordinals } of sources) {
    for (let i = 0; i < ordinals.length; i++) {
      if (i > 0 && i % STEP_ORDINALS === 0) yield;
      const ordinal = ordinals[i];
      if (source !== undefined) total += source.offsets[ordinal + 1] - source.offsets[ordinal];
      offsets[++next] = total;
    }
  }
  const bytes = new Uint8Array(total);
  let at = 0;
  for (const { source, ordinals } of sources) {
    let left = STEP_COPY_BYTES;
    for (let i = 0; source !== undefined && i < ordinals.length; ) {
      const end = runEnd(ordinals, i, STEP_ORDINALS);
      let from = source.offsets[ordinals[i]];
      const to = source.offsets[ordinals[end - 1] + 1];
      left -= ORDINAL_COST_BYTES;
      if (left <= 0) {
        yield;
        left = STEP_COPY_BYTES;
      }
      while (to - from > left) {
        copyBytes(source.bytes, { start: from, end: from + left }, bytes, at);
        at += left;
        from += left;
        yield;
        left = STEP_COPY_BYTES;
      }
      copyBytes(source.bytes, { start: from, end: to }, bytes, at);
      at += to - from;
      left -= to - from;
      i = end;
    }
  }
  return { offsets, bytes };
}

function stringsOf(data: ColumnData | undefined): Strings | undefined {
  return data?.kind === "string" ? data : undefined;
}

/** Offsets of the wanted lists, and the ordinals of all their elements. */
function* gatherOffsets(
  parts: readonly DataPart[],
): Steps<{ offsets: Uint32Array; parts: DataPart[] }> {
  let count = 0;
  for (const { ordinals } of parts) count += ordinals.length;
  const offsets = new Uint32Array(count + 1);
  let next = 0;
  let total = 0;
  const elementParts: DataPart[] = [];
  for (const { data, ordinals } of parts) {
    const lists = data !== undefined && "offsets" in data ? data.offsets : undefined;
    const before = total;
    for (let i = 0; i < ordinals.length; i++) {
      if (i > 0 && i % STEP_ORDINALS === 0) yield;
      if (lists !== undefined) total += lists[ordinals[i] + 1] - lists[ordinals[i]];
      offsets[++next] = total;
    }
    const elements = new Uint32Array(total - before);
    let at = 0;
    let stepEnd = 0;
    for (let i = 0; lists !== undefined && i < ordinals.length; i++) {
      if (i % STEP_ORDINALS === 0 || at >= stepEnd) {
        yield;
        stepEnd = at + STEP_ORDINALS;
      }
      for (let e = lists[ordinals[i]]; e < lists[ordinals[i] + 1]; e++) elements[at++] = e;
    }
    elementParts.push({ data, ordinals: elements });
  }
  return { offsets, parts: elementParts };
}

function* gatherPresence(
  parts: readonly ColumnPart[],
  count: number,
): Steps<Uint8Array | undefined> {
  if (parts.every(({ column }) => column !== undefined && column.presence === undefined)) {
    return undefined;
  }
  const presence = new Uint8Array((count + 7) >> 3);
  let next = 0;
  for (const { column, ordinals } of parts) {
    for (let i = 0; i < ordinals.length; i++, next++) {
      if (i > 0 && i % STEP_ORDINALS === 0) yield;
      if (column !== undefined && hasValue(column, ordinals[i])) {
        presence[next >> 3] |= 1 << (next & 7);
      }
    }
  }
  return presence;
}

/** End of the run of consecutive ordinals that begins at index `start`, or of its first so many. */
function runEnd(ordinals: Uint32Array, start: number, lengthMax: number): number {
  const last = Math.min(ordinals.length, start + lengthMax);
  let end = start + 1;
  while (end < last && ordinals[end] === ordinals[end - 1] + 1) end++;
  return end;
}

/** Copies a few bytes or many. */
function copyBytes(source: Uint8Array, range: ByteRange, target: Uint8Array, at: number): void {
  const { start, end } = range;
  if (end - start > LOOP_BYTES_MAX) {
    target.set(source.subarray(start, end), at);
    return;
  }
  for (let i = start, t = at; i < end; i++, t++) target[t] = source[i];
}

function* joinDocuments(
  parts: readonly { documents: DocumentColumns; ordinals: Uint32Array }[],
): Steps<DocumentColumns> {
  const first = parts[0].documents;
  const types = new Map<string, AttributeType>();
  for (const { documents } of parts) {
    for (const [name, { type }] of documents.attributes) {
      const known = types.get(name);
      if (known === undefined || isUnknownArray(known)) types.set(name, type);
    }
  }
  const attributes = new Map<string, Column>();
  for (const [name, type] of types) {
    const columns = parts.map(({ documents, ordinals }) => {
      return { column: documents.attributes.get(name), ordinals };
    });
    attributes.set(name, yield* gatherColumn(type, columns));
  }
  const ids = yield* gatherData(
    emptyData(idAttributeType(first.idType)),
    parts.map(({ documents, ordinals }) => ({ data: documents.ids, ordinals })),
  );
  let count = 0;
  for (const { ordinals } of parts) count += ordinals.length;
  return { count, idType: first.idType, ids, attributes };
}

/** Tells whether only empty arrays were seen of a type, so that any array type may follow. */
export function isUnknownArray(type: AttributeType): boolean {
  return type.kind === "array" && type.of === "unknown";
}
