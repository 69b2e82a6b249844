/**
 * A byte for each dimension of a vector, and bounds of its distance from a query that always hold,
 * in spite of what codes and floating point lose. What is coded is the vector, for cosines made of
 * length 1, less an origin: x. Its code is scale · c with whole numbers c from -127 to 127, and its
 * error is ‖x − scale · c‖. A query, less the origin, is coded in the same way in whole numbers of
 * 16 bits, with an error of its own. By the triangle inequality the distance of the two is that of
 * their codes, give or take both errors; that of the codes comes of a sum of whole numbers, which
 * is exact.
 */

import { BYTE_CODE_MAX, paddedCodes } from "../kernel/byte-code-scan.ts";
import type { DistanceMetric } from "../model/schema.ts";
import { isMeasurable } from "./metric.ts";
import { VectorReader, type VectorRows } from "./vector-rows.ts";

/** How much larger a sum of squares in float64 may be, of as many dimensions as there are. */
export const SUM_SLACK = 1 + 2 ** -36;
/** What products of scales and codes, and differences to them, are off, in the unit of a scale. */
const CODE_SLACK = 2 ** -44;
/** More than a vector is off that was made of length 1 by a float32, or in float32. */
export const UNIT_ERROR = 2 ** -23;
/** What is added to this is rounded to a whole number: there are no fractions so far up. */
const ROUND_AT = 3 * 2 ** 51;
/** Least float32 above 0. */
export const FLOAT32_LEAST = 2 ** -149;

/** Writes the codes of vectors, less an origin. */
export class ByteEncoder {
  readonly #metric: DistanceMetric;
  readonly #origin: Float32Array;
  readonly #reader: VectorReader;
  readonly #vectors: VectorRows;
  readonly #residual: Float64Array;

  constructor(vectors: VectorRows, metric: DistanceMetric, origin: Float32Array) {
    this.#metric = metric;
    this.#origin = origin;
    this.#vectors = vectors;
    this.#reader = new VectorReader(vectors);
    this.#residual = new Float64Array(origin.length);
  }

  /** Writes a row (`kernel/byte-code-scan.ts`) to `target`, which has its length. */
  write(row: number, target: Uint8Array): void {
    const { length } = this.#origin;
    const codes = new Int8Array(target.buffer, target.byteOffset, length);
    const factors = new DataView(target.buffer, target.byteOffset + paddedCodes(length));
    target.fill(0);
    const isCosine = this.#metric === "cosine_distance";
    // Nothing is known of what has no direction that float32 can tell: it may be anywhere.
    if (isCosine && !isMeasurable(this.#vectors.inverseNorms[row])) {
      factors.setFloat32(4, Number.POSITIVE_INFINITY, true);
      return;
    }
    const scale = Math.fround(this.#read(row) / BYTE_CODE_MAX);
    const { squares, error } = encode(this.#residual, scale, codes);
    const all = error + (isCosine ? UNIT_ERROR : 0);
    factors.setFloat32(0, scale, true);
    factors.setFloat32(4, all * (1 + 2 ** -23) + FLOAT32_LEAST, true);
    factors.setUint32(8, squares, true);
  }

  /** Reads what is coded; returns its greatest element. */
  #read(row: number): number {
    const residual = this.#residual;
    const origin = this.#origin;
    const vector = this.#reader.at(row);
    const weight = this.#reader.weightOf(row, this.#metric);
    let greatest = 0;
    for (let d = 0; d < residual.length; d++) {
      const value = vector[d] * weight - origin[d];
      residual[d] = value;
      // Both are rarely so: a look at the sign would be guessed wrong half of the time.
      if (value > greatest) greatest = value;
      if (-value > greatest) greatest = -value;
    }
    return greatest;
  }
}

/** Writes the nearest codes of a residual. */
function encode(
  residual: Float64Array,
  scale: number,
  codes: Int8Array,
): { readonly squares: number; readonly error: number } {
  let squares = 0;
  let sum = 0;
  // Where the scale is rounded to 0, all codes are 0.
  const inverse = scale === 0 ? 0 : 1 / scale;
  for (let d = 0; d < residual.length; d++) {
    const nearest = residual[d] * inverse + ROUND_AT - ROUND_AT;
    const code = Math.max(-BYTE_CODE_MAX, Math.min(nearest, BYTE_CODE_MAX));
    const rest = residual[d] - scale * code;
    codes[d] = code;
    squares += code * code;
    sum += rest * rest;
  }
  const slack = scale * Math.sqrt(residual.length) * CODE_SLACK;
  return { squares, error: Math.sqrt(sum) * SUM_SLACK + slack };
}
