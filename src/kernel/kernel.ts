import type { ByteCodeScan } from "./byte-code-scan.ts";
import type { CodeEncoding } from "./code-encoding.ts";
import type { CodeBounds, CodeScan } from "./code-scan.ts";
import type { ElementEncoding, EstimateScan } from "./estimate-scan.ts";
import type { NearestScan } from "./nearest-scan.ts";
import type { RateScan } from "./rate-scan.ts";
import type { Rotation } from "./rotation.ts";

/** Dimensions of a dense vector (contract). */
export const VECTOR_DIMENSIONS_MAX = 10_752;
/** Rows that one kernel call scores: some 0.1 ms of work, so that a thread can look up between. */
export const SCAN_ROWS_MAX = 4096;

/** What is computed of a query and a row. */
export type Measure = "dot" | "squaredDistance";

/** How the elements of a row are stored: IEEE float32 or float16, or signed bytes. */
export type RowFormat = "f32" | "f16" | "i8";

/** Bytes of one element of a row. */
export const ELEMENT_BYTES: Readonly<Record<RowFormat, number>> = { f32: 4, f16: 2, i8: 1 };

/**
 * One query against many rows, all in the kernel's memory. Addresses are byte offsets in it and
 * are not checked: wrong ones give wrong scores or overwrite what lies there.
 */
export interface RowScan {
  readonly measure: Measure;
  readonly format: RowFormat;
  /** Elements of the query and of each row; at least 1. */
  readonly dimensions: number;
  /** Address of the query: `dimensions` float32, whatever the rows' format. A multiple of 4. */
  readonly query: number;
  /** Address of row 0. A multiple of the element's size, as is `stride`. */
  readonly rows: number;
  /** Bytes from one row to the next. */
  readonly stride: number;
  /** Rows to score. */
  readonly count: number;
  /** Address of `count` uint32, the rows to score, in any order; undefined for rows 0, 1, 2 …  */
  readonly gather?: number | undefined;
  /** Address where `count` float32 scores are written. A multiple of 4, apart from the rest. */
  readonly scores: number;
}

/**
 * Numeric inner loops over one memory.
 *
 * 1. Same: every kernel gives the same bits for the same input, on every machine. Elements become
 *    float32 exactly; each product, difference and sum is rounded to float32; sixteen lane sums
 *    take the elements in turns as far as sixteen are left, and are joined by halves (lane i with
 *    i + 8, i + 4, i + 2, i + 1); the elements left over are summed in order and added last.
 *    Only the bits of a NaN may differ.
 * 2. Alone: a score depends on its row and the query, not on which other rows are scored with it.
 * 3. Finite: float16 elements are finite. Infinities and NaN in them are read as large numbers.
 */
export interface Kernel {
  /** How it works, for logs and metrics. */
  readonly name: "wasm" | "scalar";
  /** Scores the rows. Cost: `count` reads of a row; some 10 ns per call. */
  scanRows(scan: RowScan): void;
  /**
   * Finds the rows whose lower bound is at most `worst`, or no number, and tells how many; see
   * `CodeScan`. Cost: one read of each block with a row to look at; some 10 ns per call.
   */
  scanCodes(scan: CodeScan): number;
  /** Bounds all rows; see `CodeBounds`. Cost: one read of each block. */
  boundCodes(bounds: CodeBounds): void;
  /**
   * Finds the rows whose lower bound is at most `worst`, or no number, and tells how many; see
   * `ByteCodeScan`. Cost: `count` reads of a row.
   */
  scanByteCodes(scan: ByteCodeScan): number;
  /** Tells how many rows of clusters are expected to be near; see `RateScan`. Cost: 4 ns each. */
  scanRates(scan: RateScan): void;
  /**
   * Adds rows to the lists of the nearest ones of vectors; see `NearestScan`. Cost: some 40 ns for
   * a vector and a row of 768 dimensions, where there are several of both.
   */
  nearestRows(measure: Measure, scan: NearestScan): void;
  /**
   * Adds rows to the lists of those nearest to vectors by their codes; see `EstimateScan`. Cost:
   * some 12 to 19 ns for a vector and a row of 768 dimensions, where there are several of both.
   */
  nearestCodes(scan: EstimateScan): void;
  /** Writes such codes; see `ElementEncoding`. Cost: some 0.4 µs for each, of 768 dimensions. */
  encodeElements(encoding: ElementEncoding): void;
  /** Writes the one-bit code of a row; see `CodeEncoding`. Cost: some 3 µs for 768 dimensions. */
  encodeCode(encoding: CodeEncoding): void;
  /** Rotates a vector in its place; see `Rotation`. Cost: some 2 µs for 768 dimensions. */
  rotate(rotation: Rotation): void;
}
