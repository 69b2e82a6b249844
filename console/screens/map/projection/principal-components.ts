/**
 * Principal components by subspace iteration: directions in which vectors differ the most, without
 * the covariance matrix, which at 10,752 dimensions would be 925 MB.
 */

import { symmetricEigen } from "../../../../src/base/numbers/symmetric-eigen.ts";
import type { Random } from "../../../../src/base/random.ts";

/** Vectors one behind the other: `count` times `dims` numbers. */
export interface VectorMatrix {
  readonly values: Float32Array;
  readonly count: number;
  readonly dims: number;
}

/** What projects vectors. */
export interface PrincipalComponents {
  /** Mean of the vectors that were looked at. */
  readonly mean: Float64Array;
  /** Unit vectors, perpendicular to each other, from the greatest variance to the least. */
  readonly directions: readonly Float64Array[];
  /** Variance along each direction, over those vectors. */
  readonly variances: readonly number[];
  /** Variance along all dimensions. */
  readonly totalVariance: number;
}

/** How many directions are followed beyond those asked for, so that the last converge as well. */
const OVERSAMPLED = 8;
/** Rounds; each brings a direction nearer by the ratio of its variance to the first one left out. */
const ROUNDS = 6;

/**
 * The `wanted` first principal components of `matrix`, fewer where it has fewer dimensions. Time is
 * `count · dims · (wanted + 8) · 14` multiplications. Signs are such that the largest coordinate of
 * each direction is positive, so that one sample gives one map.
 */
export function principalComponents(
  matrix: VectorMatrix,
  wanted: number,
  random: Random,
): PrincipalComponents {
  const { dims } = matrix;
  const mean = meanOf(matrix);
  const followed = Math.min(dims, wanted + OVERSAMPLED);
  let basis = orthonormal(
    Array.from({ length: followed }, () =>
      Float64Array.from({ length: dims }, () => random.next() - 0.5),
    ),
    random,
  );
  for (let round = 0; round < ROUNDS; round++) {
    basis = orthonormal(covarianceTimes(matrix, mean, basis), random);
  }
  const images = covarianceTimes(matrix, mean, basis);
  const products = basis.flatMap((direction) => images.map((image) => dot(direction, image)));
  const { values, vectors } = symmetricEigen(Float64Array.from(products), basis.length);
  const directions = vectors.slice(0, wanted).map((weights) => signed(combined(basis, weights)));
  const variances = Array.from(values.subarray(0, wanted), (value) => Math.max(0, value));
  return { mean, directions, variances, totalVariance: totalVarianceOf(matrix, mean) };
}

/**
 * Coordinates of every vector along the first `axes` directions, point by point. Vectors need not
 * be among those that the components were made of.
 */
export function project(
  { values, count, dims }: VectorMatrix,
  { mean, directions }: PrincipalComponents,
  axes: number,
): Float32Array {
  const projected = new Float32Array(count * axes);
  for (let axis = 0; axis < Math.min(axes, directions.length); axis++) {
    const direction = directions[axis];
    const origin = dot(mean, direction);
    for (let i = 0; i < count; i++) {
      let sum = -origin;
      const start = i * dims;
      for (let d = 0; d < dims; d++) sum += values[start + d] * direction[d];
      projected[i * axes + axis] = sum;
    }
  }
  return projected;
}

function meanOf({ values, count, dims }: VectorMatrix): Float64Array {
  const mean = new Float64Array(dims);
  for (let i = 0; i < count; i++) {
    for (let d = 0; d < dims; d++) mean[d] += values[i * dims + d];
  }
  return count === 0 ? mean : mean.map((sum) => sum / count);
}

function totalVarianceOf({ values, count, dims }: VectorMatrix, mean: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < count; i++) {
    for (let d = 0; d < dims; d++) {
      sum += (values[i * dims + d] - mean[d]) ** 2;
    }
  }
  return count === 0 ? 0 : sum / count;
}

/** The covariance matrix times each direction: (XᵀX)·b / count with centred rows, row by row. */
function covarianceTimes(
  { values, count, dims }: VectorMatrix,
  mean: Float64Array,
  basis: readonly Float64Array[],
): Float64Array[] {
  const images = basis.map(() => new Float64Array(dims));
  const row = new Float64Array(dims);
  for (let i = 0; i < count; i++) {
    const start = i * dims;
    for (let d = 0; d < dims; d++) row[d] = values[start + d] - mean[d];
    for (let k = 0; k < basis.length; k++) {
      const along = dot(row, basis[k]) / count;
      const image = images[k];
      for (let d = 0; d < dims; d++) image[d] += along * row[d];
    }
  }
  return images;
}

/**
 * Gram and Schmidt, twice for precision. What depends on the vectors before it (data of fewer
 * dimensions than it is written in) gives way to a random direction.
 */
function orthonormal(vectors: readonly Float64Array[], random: Random): Float64Array[] {
  const basis: Float64Array[] = [];
  for (const vector of vectors) {
    let candidate = vector.slice();
    for (let attempt = 0; attempt < 3; attempt++) {
      const before = Math.sqrt(dot(candidate, candidate));
      subtractProjections(candidate, basis);
      subtractProjections(candidate, basis);
      const length = Math.sqrt(dot(candidate, candidate));
      if (length > before * 1e-10 && length > 0) {
        basis.push(candidate.map((value) => value / length));
        break;
      }
      candidate = candidate.map(() => random.next() - 0.5);
    }
  }
  return basis;
}

function subtractProjections(vector: Float64Array, basis: readonly Float64Array[]): void {
  for (const direction of basis) {
    const along = dot(vector, direction);
    for (let d = 0; d < vector.length; d++) {
      vector[d] -= along * direction[d];
    }
  }
}

function combined(basis: readonly Float64Array[], weights: Float64Array): Float64Array {
  const sum = new Float64Array(basis[0]?.length ?? 0);
  basis.forEach((direction, k) => {
    const weight = weights[k];
    for (let d = 0; d < sum.length; d++) {
      sum[d] += weight * direction[d];
    }
  });
  return sum;
}

function signed(direction: Float64Array): Float64Array {
  let largest = 0;
  for (const value of direction) if (Math.abs(value) > Math.abs(largest)) largest = value;
  return largest < 0 ? direction.map((value) => -value) : direction;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let d = 0; d < a.length; d++) sum += a[d] * b[d];
  return sum;
}
