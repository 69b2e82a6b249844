/**
 * The eigenvectors of a symmetric matrix with the greatest eigenvalues, by subspace iteration from
 * a random start (Halko, Martinsson and Tropp 2011).
 */

import { symmetricEigen } from "../../src/base/numbers/symmetric-eigen.ts";
import type { Random } from "../../src/base/random.ts";
import { multiply, type SparseMatrix } from "./sparse-matrix.ts";

/** Directions beyond those that are wanted, which make these better. */
const OVERSAMPLING = 10;
const ITERATIONS = 4;

/** One eigenvector a column, the greatest eigenvalue first; rows of `count` in one array. */
export function greatestEigenvectors(
  matrix: SparseMatrix,
  count: number,
  random: Random,
): Float32Array {
  const width = count + OVERSAMPLING;
  let basis: Float32Array = Float32Array.from(
    { length: matrix.size * width },
    () => random.next() - 0.5,
  );
  orthonormalize(basis, width);
  for (let i = 0; i < ITERATIONS; i++) {
    basis = multiply(matrix, basis, width);
    orthonormalize(basis, width);
  }
  const inBasis = productOf(basis, multiply(matrix, basis, width), width);
  const best = symmetricEigen(inBasis, width).vectors.slice(0, count);
  const found = new Float32Array(matrix.size * count);
  for (let row = 0; row < matrix.size; row++) {
    best.forEach((weights, j) => {
      let sum = 0;
      for (let i = 0; i < width; i++) sum += basis[row * width + i] * weights[i];
      found[row * count + j] = sum;
    });
  }
  return found;
}

/** Makes columns orthogonal and of length 1, by the Cholesky factor of their products, twice. */
function orthonormalize(basis: Float32Array, width: number): void {
  for (let round = 0; round < 2; round++) {
    const factor = choleskyFactor(productOf(basis, basis, width), width);
    for (let start = 0; start < basis.length; start += width) {
      for (let j = 0; j < width; j++) {
        let sum = basis[start + j];
        for (let i = 0; i < j; i++) sum -= basis[start + i] * factor[i * width + j];
        basis[start + j] = sum / factor[j * width + j];
      }
    }
  }
}

/** The products of all columns of `a` with those of `b`. */
function productOf(a: Float32Array, b: Float32Array, width: number): Float64Array {
  const product = new Float64Array(width * width);
  for (let start = 0; start < a.length; start += width) {
    for (let i = 0; i < width; i++) {
      const value = a[start + i];
      for (let j = 0; j < width; j++) product[i * width + j] += value * b[start + j];
    }
  }
  return product;
}

/** The upper triangle R with RᵀR = the matrix. */
function choleskyFactor(matrix: Float64Array, width: number): Float64Array {
  const factor = new Float64Array(width * width);
  for (let i = 0; i < width; i++) {
    for (let j = i; j < width; j++) {
      let sum = matrix[i * width + j];
      for (let k = 0; k < i; k++) sum -= factor[k * width + i] * factor[k * width + j];
      factor[i * width + j] =
        i === j ? Math.sqrt(Math.max(sum, TINY)) : sum / factor[i * width + i];
    }
  }
  return factor;
}

/** Stands for a length that rounding has made zero or less. */
const TINY = 1e-12;
