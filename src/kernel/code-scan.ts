/**
 * Scans of one-bit codes: estimates of the squared distances of many rows from one query, with
 * bounds, from one bit for each dimension (RaBitQ: Gao and Long, SIGMOD 2024).
 *
 * Codes lie in blocks of 32 rows, so that the kernels look up those of 16 rows at once. A block is
 *
 * - for each nibble n (dimensions 4n to 4n + 3) 16 bytes: byte b has the bits of row b in its lower
 *   half and those of row b + 16 in its upper half, the first dimension in the lowest bit;
 * - three factors of each row, as 32 float32 each: `add`, `rescale` and `error`.
 */

/** Rows of a block. */
export const CODE_BLOCK_ROWS = 32;
/** Blocks that one kernel call scans: 4,096 rows, some 0.1 ms of work. */
export const SCAN_BLOCKS_MAX = 128;
/** Bytes of a block for each nibble. */
export const NIBBLE_BYTES = 16;
/** Bytes of a block's factors. */
const FACTOR_BYTES = 3 * 4 * CODE_BLOCK_ROWS;
/** Words of what is told of a row: its number (uint32), its lower and upper bound (float32). */
export const FOUND_WORDS = 3;
/** Bytes of scratch memory of a scan. */
export const CODE_SCRATCH_BYTES = 392;

/** Bytes of a block of codes of so many nibbles. */
export function codeBlockBytes(nibbles: number): number {
  return nibbles * NIBBLE_BYTES + FACTOR_BYTES;
}

/** Bytes of the blocks of so many rows of so many nibbles. */
export function codeBytes(rows: number, nibbles: number): number {
  return Math.ceil(rows / CODE_BLOCK_ROWS) * codeBlockBytes(nibbles);
}

/** Words of what a list says of a block; see `CodeScan`. */
export const LISTED_WORDS = 5;

/**
 * Some blocks against one query, all in the kernel's memory; see `RowScan` for addresses.
 *
 * The sum of a row is what the table says of each of its nibbles. Its estimate is add + base +
 * rescale · (sum · scale + offset), and its bounds are that less and plus error · spread; each
 * operation is rounded to float32.
 */
export interface CodeScan {
  /**
   * Address of LISTED_WORDS words for each block: its address, a multiple of 16; the rows that are
   * looked at, row 0 in the lowest bit; the number of row 0 (uint32 each); `base` and `spread`
   * (float32).
   */
  readonly list: number;
  /** Blocks to scan. */
  readonly count: number;
  /** Bytes of a block: `codeBlockBytes`. */
  readonly blockBytes: number;
  /** Nibbles of a row; at least 1. */
  readonly nibbles: number;
  /** Address of 16 bytes for each nibble: what each of its values counts. */
  readonly table: number;
  readonly scale: number;
  readonly offset: number;
  /** Rows whose lower bound is greater are left out. */
  readonly worst: number;
  /** Address of CODE_SCRATCH_BYTES bytes. A multiple of 16. */
  readonly scratch: number;
  /**
   * Address where FOUND_WORDS words are written for each row that is not left out, in order. A
   * multiple of 4, with room for all rows.
   */
  readonly found: number;
}

/**
 * Bounds of all rows of blocks that lie end to end, in the kernel's memory; see `CodeScan`. A lower
 * bound may be below 0: the estimate is in the middle. One that is infinite or no number is 0, an
 * upper one that is no number is infinite.
 */
export interface CodeBounds
  extends Pick<
    CodeScan,
    "count" | "blockBytes" | "nibbles" | "table" | "scale" | "offset" | "scratch"
  > {
  /** Address of the first block. A multiple of 16. */
  readonly blocks: number;
  /** Address of two float32 for each block: its `base` and its `spread`. */
  readonly queries: number;
  /** Addresses where a float32 is written for each row, in order. Multiples of 16. */
  readonly lower: number;
  readonly upper: number;
}
