/** A symmetric matrix of which few elements are not zero, row by row. */
export interface SparseMatrix {
  readonly size: number;
  /** Places of the elements of each row, ascending. */
  readonly columns: readonly Int32Array[];
  readonly values: readonly Float32Array[];
}

/** Multiplies with a dense matrix of `width` columns, row by row in one array. */
export function multiply(matrix: SparseMatrix, dense: Float32Array, width: number): Float32Array {
  const product = new Float32Array(matrix.size * width);
  for (let row = 0; row < matrix.size; row++) {
    const columns = matrix.columns[row];
    const values = matrix.values[row];
    const sums = product.subarray(row * width, (row + 1) * width);
    for (let i = 0; i < columns.length; i++) {
      const value = values[i];
      const start = columns[i] * width;
      for (let j = 0; j < width; j++) sums[j] += value * dense[start + j];
    }
  }
  return product;
}
