/** Rounds over all pairs; a dozen suffices for some hundred dimensions. */
const ROUNDS_MAX = 60;
/** Share of the squares that may be left off the diagonal. */
const REST_SHARE_MAX = 1e-22;

/** Eigenvalues from the greatest to the least, each with its unit eigenvector. */
export interface Eigen {
  readonly values: Float64Array;
  readonly vectors: readonly Float64Array[];
}

/**
 * Eigenvalues and eigenvectors of a dense symmetric matrix of `size` rows, by Jacobi's rotations
 * over all pairs until nothing is left off the diagonal (Golub and Van Loan, Matrix Computations,
 * 8.5). Time is cubic for each of some ten rounds: for matrices of up to some hundred rows.
 */
export function symmetricEigen(matrix: Float64Array, size: number): Eigen {
  const rest = Float64Array.from(matrix, (value, i) => {
    const [row, column] = [Math.floor(i / size), i % size];
    return (value + matrix[column * size + row]) / 2;
  });
  const vectors = new Float64Array(size * size);
  for (let i = 0; i < size; i++) vectors[i * size + i] = 1;
  for (let round = 0; round < ROUNDS_MAX && !isDiagonal(rest, size); round++) {
    for (let p = 0; p < size; p++) {
      for (let q = p + 1; q < size; q++) rotate(rest, vectors, { size, p, q });
    }
  }
  const valueAt = (i: number): number => rest[i * size + i];
  const order = Array.from({ length: size }, (_, i) => i).sort((i, j) => valueAt(j) - valueAt(i));
  return {
    values: Float64Array.from(order, valueAt),
    vectors: order.map((column) =>
      Float64Array.from({ length: size }, (_, i) => vectors[i * size + column]),
    ),
  };
}

function isDiagonal(matrix: Float64Array, size: number): boolean {
  let on = 0;
  let off = 0;
  for (let i = 0; i < matrix.length; i++) {
    if (i % (size + 1) === 0) on += matrix[i] ** 2;
    else off += matrix[i] ** 2;
  }
  return off <= REST_SHARE_MAX * on;
}

/** Turns the plane of p and q so that their element becomes zero. */
function rotate(
  matrix: Float64Array,
  vectors: Float64Array,
  { size, p, q }: { readonly size: number; readonly p: number; readonly q: number },
): void {
  const element = matrix[p * size + q];
  if (element === 0) return;
  const ratio = (matrix[q * size + q] - matrix[p * size + p]) / (2 * element);
  const tangent = (ratio < 0 ? -1 : 1) / (Math.abs(ratio) + Math.sqrt(ratio * ratio + 1));
  const cosine = 1 / Math.sqrt(tangent * tangent + 1);
  const sine = tangent * cosine;
  const turn = (values: Float64Array, a: number, b: number) => {
    const [first, second] = [values[a], values[b]];
    values[a] = cosine * first - sine * second;
    values[b] = sine * first + cosine * second;
  };
  for (let i = 0; i < size; i++) turn(matrix, i * size + p, i * size + q);
  for (let i = 0; i < size; i++) turn(matrix, p * size + i, q * size + i);
  for (let i = 0; i < size; i++) turn(vectors, i * size + p, i * size + q);
}
