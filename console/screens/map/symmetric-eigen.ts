/** Eigenvalues of small symmetric matrices. */

/** Sweeps after which Jacobi's method has converged for any matrix that is small enough for it. */
const SWEEPS_MAX = 60;

/** Eigenvalues from the greatest to the least, each with its unit eigenvector. */
export interface Eigen {
  readonly values: readonly number[];
  readonly vectors: readonly (readonly number[])[];
}

/**
 * Jacobi's rotations over all pairs until nothing is left beside the diagonal (Golub and Van Loan,
 * Matrix Computations, 8.5). Time is cubic for each of some ten sweeps: for tens of rows.
 */
export function symmetricEigen(matrix: readonly (readonly number[])[]): Eigen {
  const size = matrix.length;
  const a = matrix.map((row) => [...row]);
  const v = matrix.map((_, i) => matrix.map((_, j) => (i === j ? 1 : 0)));
  for (let sweep = 0; sweep < SWEEPS_MAX && offDiagonal(a) > 1e-22 * diagonal(a); sweep++) {
    for (let p = 0; p < size; p++) {
      for (let q = p + 1; q < size; q++) rotate(a, v, p, q);
    }
  }
  const order = a.map((_, i) => i).sort((i, j) => at(a, j, j) - at(a, i, i));
  return {
    values: order.map((i) => at(a, i, i)),
    vectors: order.map((i) => v.map((row) => row[i])),
  };
}

/** Turns rows and columns p and q of `a` so that its element there becomes 0; `v` is turned, too. */
function rotate(a: number[][], v: number[][], p: number, q: number): void {
  const apq = at(a, p, q);
  if (apq === 0) return;
  const theta = (at(a, q, q) - at(a, p, p)) / (2 * apq);
  const t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  for (const rows of [a, v]) {
    for (const row of rows) {
      const x = row[p];
      const y = row[q];
      row[p] = c * x - s * y;
      row[q] = s * x + c * y;
    }
  }
  const rowP = a[p];
  const rowQ = a[q];
  for (let k = 0; k < a.length; k++) {
    const x = rowP[k];
    const y = rowQ[k];
    rowP[k] = c * x - s * y;
    rowQ[k] = s * x + c * y;
  }
}

function offDiagonal(a: readonly (readonly number[])[]): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) {
    for (let j = 0; j < a.length; j++) if (i !== j) sum += at(a, i, j) ** 2;
  }
  return sum;
}

function diagonal(a: readonly (readonly number[])[]): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += at(a, i, i) ** 2;
  return sum;
}

function at(a: readonly (readonly number[])[], i: number, j: number): number {
  return a[i][j];
}
