/** Cuts columns into consecutive parts without copying values. */

import { assert } from "../base/assert.ts";
import type { Column, ColumnData, DocumentColumns } from "../model/columns.ts";
import { UUID_BYTES } from "../model/uuid.ts";

/**
 * The documents from `start` to `end` as views, without copying values. `start` is a multiple of 8,
 * so that presence bitmaps can be cut. Offsets of the result need not begin at 0.
 */
export function sliceDocuments(
  documents: DocumentColumns,
  start: number,
  end: number,
): DocumentColumns {
  assert(start % 8 === 0, `documents cannot be cut at ${start}, no multiple of 8`);
  const attributes = new Map<string, Column>();
  for (const [name, { type, presence, data }] of documents.attributes) {
    const column = { type, count: end - start, data: sliceData(data, start, end) };
    attributes.set(
      name,
      presence === undefined
        ? column
        : { ...column, presence: slicePresence(presence, start, end) },
    );
  }
  const ids = sliceData(documents.ids, start, end);
  return { count: end - start, idType: documents.idType, ids, attributes };
}

/** Values `start` to `end` as views. */
export function sliceData(data: ColumnData, start: number, end: number): ColumnData {
  switch (data.kind) {
    case "string":
    case "array":
    case "multi_vector":
    case "sparse":
      return { ...data, offsets: data.offsets.subarray(start, end + 1) };
    case "uuid":
      return { kind: "uuid", bytes: data.bytes.subarray(start * UUID_BYTES, end * UUID_BYTES) };
    default: {
      const width = "dimensions" in data ? data.dimensions : 1;
      return { ...data, values: data.values.subarray(start * width, end * width) } as ColumnData;
    }
  }
}

function slicePresence(presence: Uint8Array, start: number, end: number): Uint8Array {
  const slice = presence.slice(start >> 3, (end + 7) >> 3);
  const rest = end & 7;
  // Bits past the end belong to documents outside of the slice.
  if (rest !== 0 && slice.length > 0) slice[slice.length - 1] &= (1 << rest) - 1;
  return slice;
}
