/** Logical sizes, by which answers are billed. */

import type { AttributeType, ScalarKind } from "../model/attribute-type.ts";
import type { AttributeValue, DocumentId, ScalarValue, SparseVector } from "../model/value.ts";

const UUID_BYTES = 16;
const NUMBER_BYTES = 8;
const ELEMENT_BYTES = { f32: 4, f16: 2, i8: 1 } as const;

/** Bytes that `$dist` counts. */
export const DIST_BYTES = 4;

/** Bytes of an id: 8 for numbers, 16 for UUIDs, else of its UTF-8. */
export function idBytes(id: DocumentId, isUuid: boolean): number {
  if (typeof id === "bigint") return NUMBER_BYTES;
  return isUuid ? UUID_BYTES : Buffer.byteLength(id);
}

/**
 * Bytes of a value: UTF-8 of strings, 8 for numbers and datetimes, 1 for bools, vectors as stored,
 * arrays as the sum of their elements.
 */
export function valueBytes(type: AttributeType, value: AttributeValue): number {
  if (value === null) return 0;
  switch (type.kind) {
    case "scalar":
      return scalarBytes(type.of, value as ScalarValue);
    case "array": {
      const { of } = type;
      if (of === "unknown") return 0;
      return (value as ScalarValue[]).reduce<number>((sum, v) => sum + scalarBytes(of, v), 0);
    }
    case "bytes":
      return (value as Uint8Array).length;
    case "vector":
      return type.dimensions * ELEMENT_BYTES[type.element];
    case "multi_vector":
      return (value as Float32Array[]).length * type.dimensions * ELEMENT_BYTES.f32;
    case "sparse": {
      const { names } = value as SparseVector;
      return names.reduce((sum, name) => sum + Buffer.byteLength(name) + ELEMENT_BYTES.f16, 0);
    }
  }
}

function scalarBytes(kind: ScalarKind, value: ScalarValue): number {
  if (kind === "string") return Buffer.byteLength(String(value));
  if (kind === "uuid") return UUID_BYTES;
  return kind === "bool" ? 1 : NUMBER_BYTES;
}
