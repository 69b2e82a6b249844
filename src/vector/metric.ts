import type { Measure } from "../kernel/kernel.ts";
import type { DistanceMetric } from "../model/schema.ts";

/** Greatest finite float32. */
const FLOAT32_MAX = 3.4028234663852886e38;

/** What the kernel computes for `metric`; a dot product becomes a cosine by `cosineDistance`. */
export function measureOf(metric: DistanceMetric): Measure {
  return metric === "euclidean_squared" ? "squaredDistance" : "dot";
}

/**
 * 1 / ‖vector‖ as a float32, for the sum of the squares of its elements; 0 for the zero vector. The
 * sum is taken in float64 from first to last: it cannot overflow, and no kernel changes it.
 */
export function inverseNorm(squares: number): number {
  return squares === 0 ? 0 : Math.fround(Math.min(1 / Math.sqrt(squares), FLOAT32_MAX));
}

/**
 * `vector` scaled to length 1, or the zero vector as it is. A query scaled so keeps dot products
 * with very long and very short vectors in the range of float32.
 */
export function unitVector(vector: Float32Array): Float32Array {
  let sum = 0;
  // Not `for of`: it makes a number on the heap of each, wherever it is not compiled.
  for (let i = 0; i < vector.length; i++) sum += vector[i] * vector[i];
  const scale = sum === 0 ? 0 : 1 / Math.sqrt(sum);
  const unit = new Float32Array(vector.length);
  for (let i = 0; i < vector.length; i++) unit[i] = vector[i] * scale;
  return unit;
}

/**
 * Least and greatest inverse norms of vectors whose products with a unit vector, and the sums of
 * them, lose nothing to the ends of float32's range.
 */
const INVERSE_NORM_MIN = 2 ** -126;
const INVERSE_NORM_MAX = 2 ** 100;

/** Tells whether products with a vector tell its direction; not of the zero vector. */
export function isMeasurable(inverseNorm: number): boolean {
  return inverseNorm >= INVERSE_NORM_MIN && inverseNorm <= INVERSE_NORM_MAX;
}

/**
 * How far a cosine can be from the true one that comes of a kernel's dot product with a unit
 * vector: 2^-24 for each rounding that an element's product goes through. Those are the sums of
 * its lane (dimensions / 16) and of the lanes and the rest (up to 20), and its factors (5).
 */
export function cosineErrorMax(dimensions: number): number {
  return (dimensions / 16 + 32) * 2 ** -24;
}

/**
 * Cosine distances up to this are those of `vectorDistance`: what a kernel's sum is off, mostly
 * 1e-7, is at most 1e-5 of what is greater.
 */
export const NEAR_COSINE_DISTANCE = 2 ** -6;

/** Tells whether a cosine distance needs more than a product to have all its digits. */
export function isNearCosine(distance: number): boolean {
  return !(distance > NEAR_COSINE_DISTANCE);
}

/**
 * The cosine distance, 0 to 2 and a float32, of a unit vector and another one, from their dot
 * product and the other's inverse norm; 1 if one of them is the zero vector. NaN if float32 cannot
 * tell, and `vectorDistance` must: if the true distance, of which this one may be `errorMax` off,
 * may be `NEAR_COSINE_DISTANCE` or less, or if the vector is so long or short that the product may
 * be wrong. Where `vectorDistance` would give more than `worst`, this may give any number above it.
 */
export function cosineDistance(
  dot: number,
  inverseNorm: number,
  { errorMax, worst = Number.POSITIVE_INFINITY }: { errorMax: number; worst?: number },
): number {
  if (inverseNorm === 0) return 1;
  if (!isMeasurable(inverseNorm)) return Number.NaN;
  const distance = 1 - dot * inverseNorm;
  // Twice the error: the true distance must be above `worst` when it is rounded, too.
  const tells = distance > NEAR_COSINE_DISTANCE + errorMax || distance - 2 * errorMax > worst;
  return tells ? Math.fround(Math.min(distance, 2)) : Number.NaN;
}

/**
 * Up to this a cosine distance is 0: the square of what float64 leaves of two vectors of the same
 * direction, at the most dimensions that there are.
 */
const COSINE_ZERO = 2 ** -80;

/**
 * The distance of two vectors, summed in float64 from first to last and rounded to float32; 0 for
 * equal vectors, and the cosine distance of vectors of the same direction. The oracle of what
 * kernels give, and the measure of near vectors and of those outside of arenas.
 */
export function vectorDistance(
  metric: DistanceMetric,
  a: ArrayLike<number>,
  b: ArrayLike<number>,
): number {
  if (metric === "euclidean_squared") return Math.fround(squaredDifference(a, 1, b, 1));
  let dot = 0;
  let squaredA = 0;
  let squaredB = 0;
  for (let i = 0; i < a.length; i++) {
    dot += a[i] * b[i];
    squaredA += a[i] * a[i];
    squaredB += b[i] * b[i];
  }
  if (squaredA === 0 || squaredB === 0) return 1;
  const distance = 1 - dot / Math.sqrt(squaredA * squaredB);
  if (!isNearCosine(distance)) return Math.fround(Math.min(distance, 2));
  // Half the square of the chord keeps the digits of small distances, which 1 - cosine loses.
  const half = squaredDifference(a, 1 / Math.sqrt(squaredA), b, 1 / Math.sqrt(squaredB)) / 2;
  return half <= COSINE_ZERO ? 0 : Math.fround(half);
}

function squaredDifference(
  a: ArrayLike<number>,
  scaleA: number,
  b: ArrayLike<number>,
  scaleB: number,
): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) {
    const difference = a[i] * scaleA - b[i] * scaleB;
    sum += difference * difference;
  }
  return sum;
}
