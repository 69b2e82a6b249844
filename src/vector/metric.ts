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
  for (const element of vector) sum += element * element;
  const scale = sum === 0 ? 0 : 1 / Math.sqrt(sum);
  return vector.map((element) => element * scale);
}

/**
 * Least and greatest inverse norms of vectors whose products with a unit vector, and the sums of
 * them, lose nothing to the ends of float32's range.
 */
const INVERSE_NORM_MIN = 2 ** -126;
const INVERSE_NORM_MAX = 2 ** 100;

/**
 * How far a cosine can be from the true one that comes of a kernel's dot product with a unit
 * vector: 2^-24 for each rounding that an element's product goes through. Those are the sums of
 * its lane (dimensions / 16) and of the lanes and the rest (up to 20), and its factors (5).
 */
export function cosineErrorMax(dimensions: number): number {
  return (dimensions / 16 + 32) * 2 ** -24;
}

/**
 * The cosine distance, 0 to 2 and a float32, of a unit vector and another one, from their dot
 * product and the other's inverse norm; 1 if one of them is the zero vector. NaN if float32 cannot
 * tell, and `vectorDistance` must: if the true distance may be 0, since `errorMax` is what is left
 * of it, or if the vector is so long or short that the product may be wrong.
 */
export function cosineDistance(dot: number, inverseNorm: number, errorMax: number): number {
  if (inverseNorm === 0) return 1;
  const distance = 1 - dot * inverseNorm;
  const inRange = inverseNorm >= INVERSE_NORM_MIN && inverseNorm <= INVERSE_NORM_MAX;
  return inRange && distance > errorMax ? Math.fround(Math.min(distance, 2)) : Number.NaN;
}

/**
 * The distance of two vectors, summed in float64 from first to last and rounded to float32; 0 for
 * equal vectors. The oracle of what kernels give, and the measure of vectors outside of arenas.
 */
export function vectorDistance(
  metric: DistanceMetric,
  a: ArrayLike<number>,
  b: ArrayLike<number>,
): number {
  let dot = 0;
  let squaredA = 0;
  let squaredB = 0;
  let squaredDifference = 0;
  for (let i = 0; i < a.length; i++) {
    const difference = a[i] - b[i];
    squaredDifference += difference * difference;
    dot += a[i] * b[i];
    squaredA += a[i] * a[i];
    squaredB += b[i] * b[i];
  }
  if (metric === "euclidean_squared") return Math.fround(squaredDifference);
  if (squaredA === 0 || squaredB === 0) return 1;
  // One root, which of a square is exact: the cosine of equal vectors is 1 to the last bit.
  const cosine = dot / Math.sqrt(squaredA * squaredB);
  return Math.fround(Math.min(Math.max(1 - cosine, 0), 2));
}
