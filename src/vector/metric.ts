import type { Measure } from "../kernel/kernel.ts";
import type { DistanceMetric } from "../model/schema.ts";

/** What rankings by vector score with; sparse vectors by dot product alone. */
export type VectorMetric = DistanceMetric | "dot_product";

/** Greatest finite float32. */
const FLOAT32_MAX = 3.4028234663852886e38;

/** Whether the best score is the least: distances are, products are not. */
export function isAscending(metric: VectorMetric): boolean {
  return metric !== "dot_product";
}

/** What the kernel computes for `metric`; a dot product becomes a cosine by `cosineDistance`. */
export function measureOf(metric: DistanceMetric): Measure {
  return metric === "euclidean_squared" ? "squaredDistance" : "dot";
}

/**
 * 1 / ‖vector‖ as a float32; 0 for the zero vector, which makes its cosine 0 and its distance 1.
 * The sum is taken in float64 from first to last: it cannot overflow, and no kernel changes it.
 */
export function inverseNorm(vector: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < vector.length; i++) sum += vector[i] * vector[i];
  return sum === 0 ? 0 : Math.fround(Math.min(1 / Math.sqrt(sum), FLOAT32_MAX));
}

/**
 * `vector` scaled to length 1, or the zero vector as it is. A query scaled so, whose inverse norm
 * is then 1, keeps dot products with very long and very short vectors in the range of float32.
 */
export function unitVector(vector: Float32Array): Float32Array {
  let sum = 0;
  for (const element of vector) sum += element * element;
  const scale = sum === 0 ? 0 : 1 / Math.sqrt(sum);
  return vector.map((element) => element * scale);
}

/**
 * The cosine distance of two vectors, 0 to 2 and a float32, of their dot product and both inverse
 * norms; 1 if one of them is the zero vector.
 */
export function cosineDistance(dot: number, inverseNormA: number, inverseNormB: number): number {
  // Rounding can push a cosine just beyond 1.
  return Math.fround(Math.min(Math.max(1 - dot * inverseNormA * inverseNormB, 0), 2));
}

/**
 * The distance of two vectors, summed in float64 from first to last and rounded to float32. The
 * oracle of what kernels give, and the measure of vectors that lie outside of arenas.
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
  const cosine = dot / (Math.sqrt(squaredA) * Math.sqrt(squaredB));
  return Math.fround(Math.min(Math.max(1 - cosine, 0), 2));
}
