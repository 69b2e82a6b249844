/** Vectors as segments hold them, in each of their formats. */

import type { RowFormat } from "../../../src/kernel/kernel.ts";
import { inverseNorm } from "../../../src/vector/metric.ts";
import type { VectorRows } from "../../../src/vector/vector-rows.ts";

/** Formats of stored vectors. */
export const ROW_FORMATS = ["f32", "f16", "i8"] as const;

const ELEMENTS = { f32: Float32Array, f16: Float16Array, i8: Int8Array };

/** Rows of the vectors, rounded to the format. */
export function rowsOfVectors(
  vectors: readonly ArrayLike<number>[],
  format: RowFormat,
): VectorRows {
  const dimensions = vectors[0].length;
  const width = dimensions * ELEMENTS[format].BYTES_PER_ELEMENT;
  const strideBytes = Math.ceil(width / 16) * 16;
  const bytes = new Uint8Array(vectors.length * strideBytes);
  const norms = vectors.map((vector, row) => {
    const stored = new ELEMENTS[format](bytes.buffer, row * strideBytes, dimensions);
    stored.set(vector);
    let squares = 0;
    for (let d = 0; d < dimensions; d++) squares += stored[d] * stored[d];
    return inverseNorm(squares);
  });
  return { bytes, strideBytes, format, dimensions, inverseNorms: Float32Array.from(norms) };
}
