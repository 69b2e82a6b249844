import type { RowFormat } from "../kernel/kernel.ts";
import type { DistanceMetric } from "../model/schema.ts";

/** Vectors of one length at a fixed stride, wherever they lie. */
export interface VectorRows {
  /** Row r begins at r · strideBytes, a multiple of its elements' size in the buffer. */
  readonly bytes: Uint8Array;
  readonly strideBytes: number;
  readonly format: RowFormat;
  readonly dimensions: number;
  /** 1 / ‖v‖ by row, 0 for zero vectors; see `inverseNorm`. */
  readonly inverseNorms: Float32Array;
  /** Where the bytes lie for kernels; absent: in no arena. */
  readonly place?: { readonly arena: number; readonly offset: number };
}

/** Reads single rows as float32. */
export class VectorReader {
  readonly dimensions: number;
  readonly #rows: VectorRows;
  readonly #decoded: Float32Array;

  constructor(rows: VectorRows) {
    this.dimensions = rows.dimensions;
    this.#rows = rows;
    this.#decoded = new Float32Array(rows.dimensions);
  }

  /** The row's elements: valid until the next call, and not to be changed. */
  at(row: number): Float32Array {
    const { bytes, strideBytes, format, dimensions } = this.#rows;
    const at = bytes.byteOffset + row * strideBytes;
    switch (format) {
      case "f32":
        return new Float32Array(bytes.buffer, at, dimensions);
      case "f16":
        this.#decoded.set(new Float16Array(bytes.buffer, at, dimensions));
        return this.#decoded;
      case "i8":
        this.#decoded.set(new Int8Array(bytes.buffer, at, dimensions));
        return this.#decoded;
    }
  }

  /** What a row counts in a mean: for cosines all vectors are equally long. */
  weightOf(row: number, metric: DistanceMetric): number {
    return metric === "cosine_distance" ? this.#rows.inverseNorms[row] : 1;
  }
}
