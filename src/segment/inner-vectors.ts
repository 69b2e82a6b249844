/** All vectors of the documents of a segment that have several, as rows. */

import { inverseNorm } from "../vector/metric.ts";
import type { VectorRows } from "../vector/vector-rows.ts";
import type { OpenSegment } from "./segment-reader.ts";

/** See the file's head. */
export interface InnerVectors {
  readonly vectors: VectorRows;
  /** The document of each of them, ascending. */
  readonly documents: Uint32Array;
}

/**
 * The inner vectors of an attribute of a segment that is in memory as a whole; undefined if it has
 * no such attribute. Cost: the length of each vector.
 */
export function innerVectors(view: OpenSegment, attribute: string): InnerVectors | undefined {
  const data = view.column(attribute)?.column.data;
  if (data?.kind !== "multi_vector") return undefined;
  const { offsets, values, dimensions } = data;
  const count = offsets[view.documentCount];
  const documents = new Uint32Array(count);
  for (let o = 0; o < view.documentCount; o++) documents.fill(o, offsets[o], offsets[o + 1]);
  const inverseNorms = new Float32Array(count);
  for (let row = 0, at = 0; row < count; row++) {
    let squares = 0;
    for (const end = at + dimensions; at < end; at++) squares += values[at] * values[at];
    inverseNorms[row] = inverseNorm(squares);
  }
  const { buffer, byteOffset, byteLength } = values;
  const { arena, offset } = view.place;
  const vectors: VectorRows = {
    bytes: new Uint8Array(buffer, byteOffset, byteLength),
    strideBytes: dimensions * values.BYTES_PER_ELEMENT,
    format: "f32",
    dimensions,
    inverseNorms,
    place: { arena, offset: offset + byteOffset - view.block.byteOffset },
  };
  return { vectors, documents };
}
