/** Queries as they are compared with byte codes, and what the bounds tell of measured distances. */

import { BYTE_CODE_MAX, paddedCodes } from "../kernel/byte-code-scan.ts";
import type { DistanceMetric } from "../model/schema.ts";
import { FLOAT32_LEAST, SUM_SLACK, UNIT_ERROR } from "./byte-codes.ts";
import { cosineErrorMax } from "./metric.ts";

/** What products of a scale and whole numbers, and differences to them, are off, in its unit. */
const ELEMENT_SLACK = 2 ** -30;
/** Greatest finite float32. */
const FLOAT32_MAX = 3.4028234663852886e38;

/** A query as the kernels compare it with byte codes; see `ByteCodeScan`. */
export interface ByteQuery {
  /** As many as padded codes. */
  readonly elements: Int16Array;
  readonly base: number;
  readonly scale: number;
  readonly error: number;
}

/** Codes a query, for cosines of length 1, for rows that were coded with an origin. */
export function byteQuery(
  query: Float32Array,
  metric: DistanceMetric,
  origin: Float32Array,
): ByteQuery {
  const { length } = query;
  const elements = new Int16Array(paddedCodes(length));
  let greatest = 0;
  for (let d = 0; d < length; d++) {
    greatest = Math.max(greatest, Math.abs(query[d] - origin[d]));
  }
  const unit = greatest / queryElementMax(length);
  let squares = 0;
  let sum = 0;
  for (let d = 0; d < length; d++) {
    const residual = query[d] - origin[d];
    const element = unit === 0 ? 0 : Math.round(residual / unit);
    const rest = residual - unit * element;
    elements[d] = element;
    squares += element * element;
    sum += rest * rest;
  }
  const slack = unit * Math.sqrt(length) * ELEMENT_SLACK;
  const unitError = metric === "cosine_distance" ? UNIT_ERROR : 0;
  const error = Math.sqrt(sum) * SUM_SLACK + slack + unitError;
  return { elements, base: unit * unit * squares, scale: 2 * unit, error };
}

/**
 * The greatest element of a query for which the products with all codes of a row sum up to no more
 * than 32 bits.
 */
function queryElementMax(dimensions: number): number {
  return Math.min(2 ** 15 - 1, Math.floor((2 ** 31 - 1) / (BYTE_CODE_MAX * dimensions)));
}

/**
 * How far a row may be whose measured distance is at most that of a row no farther than `upper`.
 * Distances here are lengths of differences, for cosines of vectors of length 1; measured is what
 * exact searches give (`metric.ts`, `kernel.ts`): it is off by the roundings of float32, and ends
 * at its greatest number.
 */
export function reachOf(upper: number, metric: DistanceMetric, dimensions: number): number {
  if (metric === "cosine_distance") {
    // The cosine distance is half the square of the length; two of them are off.
    const errorMax = cosineErrorMax(dimensions) + 2 ** -22;
    return Math.sqrt(upper * upper + 4 * errorMax) * (1 + 2 ** -40);
  }
  // A square is rounded three times, and then in each sum of its lane and of the lanes.
  const share = (dimensions / 16 + 32) * 2 ** -24;
  const least = dimensions * FLOAT32_LEAST;
  const measured = upper * upper * (1 + share) + least;
  if (measured >= FLOAT32_MAX) return Number.POSITIVE_INFINITY;
  return Math.sqrt((measured + least) / (1 - share)) * (1 + 2 ** -40);
}
