/**
 * Vectors that look for the nearest of some rows, and what they have found. Addresses are multiples
 * of 4, and not checked; see `RowScan`.
 *
 * Each vector has a list of the nearest rows that were found, the nearest first, which calls for
 * other rows add to. What has the same closeness as another row comes after it, or is left out;
 * what has none (NaN) is left out. A new list's closenesses are all -Infinity.
 */
export interface NearestLists {
  /** Address of vector 0. */
  readonly vectors: number;
  /** Address of `count` uint32: the vectors that are looked at, each at most once. */
  readonly gather: number;
  readonly count: number;
  /** Address of the first row. */
  readonly rows: number;
  readonly rowCount: number;
  /** Number of the first row, as the lists will tell it. */
  readonly firstRow: number;
  /** Rows in each list; at least 1. */
  readonly few: number;
  /** Address of the closenesses in the lists, float32; the list of vector v begins at v · few. */
  readonly closenesses: number;
  /** Address of the numbers of the rows in the lists, uint32. */
  readonly found: number;
}

/**
 * Many vectors against many rows, all float32 and in the kernel's memory: which rows are nearest to
 * each.
 *
 * The closeness of a vector and a row is their dot product, or the negative of their squared
 * distance, rounded to float32 operation by operation: four lane sums take the elements in turns as
 * far as eight are left, and are joined as lanes 0 + 2 and 1 + 3; the elements left over are summed
 * in order and added last.
 */
export interface NearestScan extends NearestLists {
  /** Elements of each vector and row, which lie end to end; at least 1. */
  readonly dimensions: number;
}
