/** Checks decoded columns: all lengths agree and all offsets rise within their bounds. */

import type { Column, ColumnData, DocumentColumns } from "../model/columns.ts";
import { UUID_BYTES } from "../model/uuid.ts";
import { corrupt } from "./columns-packing.ts";

/** Throws `corrupt` if the columns of documents contradict each other. */
export function checkDocuments(documents: DocumentColumns): void {
  checkData(documents.ids, documents.count);
  for (const [name, column] of documents.attributes) {
    if (column.count !== documents.count) {
      throw corrupt(
        "documents",
        `attribute \`${name}\` has ${column.count} values for ${documents.count} documents`,
      );
    }
    checkColumn(column);
  }
}

/** Throws `corrupt` if a column contradicts itself. */
export function checkColumn(column: Column): void {
  checkPresence(column.presence, column.count);
  checkData(column.data, column.count);
}

/** Throws `corrupt` unless a bitmap of presence, if there is one, is of `count` values. */
export function checkPresence(presence: Uint8Array | undefined, count: number): void {
  if (presence !== undefined) checkLength("presence", presence.length, (count + 7) >> 3);
}

/** Throws `corrupt` unless `data` holds exactly `count` values. */
export function checkData(data: ColumnData, count: number): void {
  switch (data.kind) {
    case "string":
      checkOffsets(data.offsets, count, data.bytes.length);
      return;
    case "uuid":
      checkLength("uuids", data.bytes.length, count * UUID_BYTES);
      return;
    case "array":
      checkOffsets(data.offsets, count, undefined);
      checkData(data.elements, data.offsets[count]);
      return;
    case "f32":
    case "f16":
    case "i8":
      checkLength("vectors", data.values.length, count * data.dimensions);
      return;
    case "multi_vector":
      checkOffsets(data.offsets, count, undefined);
      checkLength("vectors", data.values.length, data.offsets[count] * data.dimensions);
      return;
    case "sparse": {
      checkOffsets(data.offsets, count, undefined);
      const entries = data.offsets[count];
      checkOffsets(data.names.offsets, entries, data.names.bytes.length);
      checkLength("weights", data.weights.length, entries);
      return;
    }
    default:
      checkLength("values", data.values.length, count);
  }
}

/**
 * Throws `corrupt` unless there are `count` + 1 offsets that start at 0, never fall and end at
 * `end` (anywhere if undefined).
 */
export function checkOffsets(offsets: Uint32Array, count: number, end: number | undefined): void {
  checkLength("offsets", offsets.length, count + 1);
  if (offsets[0] !== 0) throw corrupt("offsets", `the first is ${offsets[0]}`);
  for (let i = 0; i < count; i++) {
    if (offsets[i + 1] < offsets[i]) throw corrupt("offsets", `number ${i + 1} is less than ${i}`);
  }
  if (end !== undefined) checkLength("offset bytes", end, offsets[count]);
}

function checkLength(what: string, actual: number, expected: number): void {
  if (actual !== expected) throw corrupt(what, `there are ${actual} instead of ${expected}`);
}
