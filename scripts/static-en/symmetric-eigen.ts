/** Rounds over all pairs; a dozen suffices for some hundred dimensions. */
const ROUNDS_MAX = 20;
/** Squares of what is left off the diagonal, of which nothing is left to do. */
const REST_MAX = 1e-12;

/** Eigenvalues and eigenvectors (columns) of a dense symmetric matrix, by Jacobi's rotations. */
export function symmetricEigen(
  matrix: Float64Array,
  size: number,
): { readonly values: Float64Array; readonly vectors: Float64Array } {
  const rest = Float64Array.from(matrix, (value, i) => {
    const [row, column] = [Math.floor(i / size), i % size];
    return (value + matrix[column * size + row]) / 2;
  });
  const vectors = new Float64Array(size * size);
  for (let i = 0; i < size; i++) vectors[i * size + i] = 1;
  for (let round = 0; round < ROUNDS_MAX && offDiagonal(rest, size) > REST_MAX; round++) {
    for (let p = 0; p < size; p++) {
      for (let q = p + 1; q < size; q++) rotate(rest, vectors, { size, p, q });
    }
  }
  return { values: Float64Array.from({ length: size }, (_, i) => rest[i * size + i]), vectors };
}

function offDiagonal(matrix: Float64Array, size: number): number {
  let sum = 0;
  for (let i = 0; i < matrix.length; i++) {
    if (i % (size + 1) !== 0) sum += matrix[i] ** 2;
  }
  return sum;
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
