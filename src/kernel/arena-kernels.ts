import { assert, must } from "../base/assert.ts";
import { type ArenaRange, SCRATCH_BYTES, scratchOffset, sharedBuffer } from "./arena.ts";
import type { ByteCodeScan } from "./byte-code-scan.ts";
import type { CodeBlocks } from "./code-blocks.ts";
import type { CodeEncoding } from "./code-encoding.ts";
import {
  CODE_BLOCK_ROWS,
  CODE_SCRATCH_BYTES,
  type CodeBounds,
  type CodeScan,
  codeBlockBytes,
  FOUND_WORDS,
  LISTED_WORDS,
  NIBBLE_BYTES,
  SCAN_BLOCKS_MAX,
} from "./code-scan.ts";
import type { ElementEncoding, EstimateScan } from "./estimate-scan.ts";
import type { Kernel, Measure, RowFormat } from "./kernel.ts";
import { SCAN_ROWS_MAX, VECTOR_DIMENSIONS_MAX } from "./kernel.ts";
import { loadKernel, warmUpKernel } from "./load-kernel.ts";
import type { NearestLists, NearestScan } from "./nearest-scan.ts";
import { RATE_BINS, RATED_BLOCK, RATED_MAX, type RateScan } from "./rate-scan.ts";
import { ROTATED_MULTIPLE } from "./rotation.ts";

/** Rows of equal length in a block. */
export interface RowMatrix {
  readonly block: ArenaRange;
  /** Where row 0 starts in the block, in bytes: a multiple of the element's size. */
  readonly start: number;
  readonly format: RowFormat;
  readonly dimensions: number;
  /** Bytes from one row to the next: a multiple of the element's size. */
  readonly strideBytes: number;
}

/** Where the signs of a rotation lie, and what it rotates; see `rotation.ts`. */
export interface RotationSigns {
  readonly block: ArenaRange;
  /** Where the signs start in the block, in bytes. */
  readonly start: number;
  /** A multiple of ROTATED_MULTIPLE. */
  readonly dimensions: number;
  readonly rounds: number;
}

/** Rows of one-bit codes; see `code-scan.ts`. */
export interface CodeMatrix {
  readonly block: ArenaRange;
  /** Where its first block starts in the block of memory, in bytes: a multiple of 16. */
  readonly start: number;
  /** Nibbles of each row. */
  readonly nibbles: number;
}

/** Rows that a scan of codes found: scratch memory, valid until the next call. */
export interface FoundCodes {
  readonly count: number;
  /** Row i of them has its number at FOUND_WORDS · i. */
  readonly rows: Uint32Array;
  /** Its lower and upper bounds are at FOUND_WORDS · i + 1 and + 2. */
  readonly bounds: Float32Array;
}

/** Bounds of rows of codes: scratch memory, valid until the next call. */
export interface BoundedCodes {
  readonly lower: Float32Array;
  readonly upper: Float32Array;
}

/**
 * Clusters whose rows' expected numbers are asked for, at most RATED_MAX, and what the kernel says
 * of them: scratch memory, valid until the next call of another kernel; see `RateScan`.
 */
export interface RatedClusters {
  readonly lower: Float32Array;
  readonly upper: Float32Array;
  readonly inverseRadii: Float32Array;
  readonly counts: Uint32Array;
  readonly rates: Float32Array;
  readonly expected: Float32Array;
  readonly sums: Float32Array;
  readonly mosts: Float32Array;
}

/** One arena as one thread sees it. */
interface Attachment {
  readonly buffer: SharedArrayBuffer;
  readonly kernel: Kernel;
  /** Views of the thread's scratch memory: query, row numbers, scores. */
  readonly query: Float32Array;
  /** The same bytes as `query`: one of both is set. */
  readonly byteQuery: Int16Array;
  readonly gather: Uint32Array;
  readonly scores: Float32Array;
  /** Scratch memory of scans of codes. */
  readonly table: Uint8Array;
  readonly list: Uint32Array;
  readonly codeScratch: number;
  readonly foundRows: Uint32Array;
  readonly foundBounds: Float32Array;
  /** The same bytes as what is found. */
  readonly rated: RatedClusters;
}

const QUERY_BYTES = VECTOR_DIMENSIONS_MAX * 4;
const GATHER_BYTES = SCAN_ROWS_MAX * 4;
const ROTATED_MAX = Math.ceil(VECTOR_DIMENSIONS_MAX / ROTATED_MULTIPLE) * ROTATED_MULTIPLE;
/** A nibble is four dimensions. */
const TABLE_BYTES = (ROTATED_MAX / 4) * NIBBLE_BYTES;
const LIST_BYTES = SCAN_BLOCKS_MAX * LISTED_WORDS * 4;
/** Rows of as many blocks as a call scans. */
const ROWS_MAX = SCAN_BLOCKS_MAX * CODE_BLOCK_ROWS;
const FOUND_BYTES = ROWS_MAX * FOUND_WORDS * 4;
/** Five numbers of each cluster, two of each block, and the rates. */
const RATED_BYTES = 4 * (5 * RATED_MAX + 2 * (RATED_MAX / RATED_BLOCK) + RATE_BINS);

/** Where in a thread's scratch memory everything lies, at multiples of 16, and its end. */
const GATHER_AT = QUERY_BYTES;
const SCORES_AT = GATHER_AT + GATHER_BYTES;
const TABLE_AT = SCORES_AT + GATHER_BYTES;
const LIST_AT = TABLE_AT + TABLE_BYTES;
const FOUND_AT = LIST_AT + LIST_BYTES;
const CODE_SCRATCH_AT = FOUND_AT + FOUND_BYTES;
const SCRATCH_END = CODE_SCRATCH_AT + CODE_SCRATCH_BYTES;

/**
 * The arenas as one thread uses them: a kernel over each, and scratch memory that no other thread
 * touches. Arenas are attached before the first block of theirs is used.
 */
export class ArenaKernels {
  readonly #module: WebAssembly.Module | undefined;
  readonly #scratch: number;
  readonly #attached = new Map<number, Attachment>();

  /** `thread` is this thread's number, from 0, below the owner's `threads`. */
  constructor(module: WebAssembly.Module | undefined, thread: number) {
    assert(SCRATCH_END <= SCRATCH_BYTES, "scratch memory is too small");
    assert(SCAN_ROWS_MAX * FOUND_WORDS * 4 <= FOUND_BYTES, "what is found has no room");
    assert(RATED_BYTES <= FOUND_BYTES, "what is expected has no room");
    this.#module = module;
    this.#scratch = scratchOffset(thread);
  }

  /** Makes an arena usable, with a kernel of WebAssembly warm. */
  attach(arena: number, memory: WebAssembly.Memory): void {
    const buffer = sharedBuffer(memory);
    const kernel = loadKernel(this.#module, memory);
    // Plain TypeScript needs none: it is optimized within a call.
    if (this.#module !== undefined) warmUpKernel(kernel, memory, this.#scratch);
    const scratch = this.#scratch;
    const foundWords = FOUND_BYTES / 4;
    const foundBounds = new Float32Array(buffer, scratch + FOUND_AT, foundWords);
    this.#attached.set(arena, {
      buffer,
      kernel,
      query: new Float32Array(buffer, scratch, VECTOR_DIMENSIONS_MAX),
      byteQuery: new Int16Array(buffer, scratch, VECTOR_DIMENSIONS_MAX),
      gather: new Uint32Array(buffer, scratch + GATHER_AT, SCAN_ROWS_MAX),
      scores: new Float32Array(buffer, scratch + SCORES_AT, SCAN_ROWS_MAX),
      table: new Uint8Array(buffer, scratch + TABLE_AT, TABLE_BYTES),
      list: new Uint32Array(buffer, scratch + LIST_AT, SCAN_BLOCKS_MAX * LISTED_WORDS),
      codeScratch: scratch + CODE_SCRATCH_AT,
      foundRows: new Uint32Array(buffer, scratch + FOUND_AT, foundWords),
      foundBounds,
      rated: ratedClusters(foundBounds),
    });
  }

  /** The bytes of a block. */
  bytes(block: ArenaRange): Uint8Array<SharedArrayBuffer> {
    return new Uint8Array(this.#attachment(block.arena).buffer, block.offset, block.bytes);
  }

  /** Scores rows `start` to `end` of `matrix`, at most SCAN_ROWS_MAX; see `scoreRows`. */
  scoreRange(measure: Measure, matrix: RowMatrix, start: number, end: number): Float32Array {
    assert(start <= end, `rows ${start} to ${end}`);
    const attached = this.#attachment(matrix.block.arena);
    return this.#score(measure, matrix, { attached, first: start, count: end - start });
  }

  /**
   * Scores the rows that `rows` lists, at most SCAN_ROWS_MAX, against the query that was set last.
   * The result is scratch memory: it is valid until the next call.
   */
  scoreRows(measure: Measure, matrix: RowMatrix, rows: Uint32Array): Float32Array {
    const attached = this.#attachment(matrix.block.arena);
    assert(rows.length <= SCAN_ROWS_MAX, `${rows.length} rows at once`);
    attached.gather.set(rows);
    const gather = attached.gather.byteOffset;
    return this.#score(measure, matrix, { attached, first: 0, count: rows.length, gather });
  }

  /** Copies the query of the calls that follow to where the kernel of `matrix` reads it. */
  setQuery(matrix: RowMatrix, query: Float32Array): void {
    assert(query.length === matrix.dimensions, `a query of ${query.length} dimensions`);
    this.#attachment(matrix.block.arena).query.set(query);
  }

  /** Writes a vector to `rotated`, rotated; what it lacks of the rotation's dimensions is 0. */
  rotate(signs: RotationSigns, vector: Float32Array, rotated: Float32Array): void {
    const { block, start, dimensions, rounds } = signs;
    const { kernel, query } = this.#attachment(block.arena);
    assert(dimensions <= ROTATED_MAX, `${dimensions} rotated dimensions`);
    assert(vector.length <= dimensions, `a vector of ${vector.length} dimensions`);
    query.set(vector);
    query.fill(0, vector.length, dimensions);
    kernel.rotate({
      vector: query.byteOffset,
      dimensions,
      signs: block.offset + start,
      rounds,
    });
    rotated.set(query.subarray(0, dimensions));
  }

  /**
   * Adds rows to the lists of the nearest ones; see `NearestScan`. All lies in `block`, and
   * addresses are places in it, in bytes.
   */
  nearestRows(block: ArenaRange, measure: Measure, scan: NearestScan): void {
    const { arena, offset } = block;
    this.#attachment(arena).kernel.nearestRows(measure, { ...scan, ...listsAt(offset, scan) });
  }

  /** The same by their codes; see `EstimateScan`. */
  nearestCodes({ arena, offset }: ArenaRange, scan: EstimateScan): void {
    this.#attachment(arena).kernel.nearestCodes({ ...scan, ...listsAt(offset, scan) });
  }

  /** Writes codes of elements; see `ElementEncoding`. Addresses are places in `block`, in bytes. */
  encodeElements({ arena, offset }: ArenaRange, encoding: ElementEncoding): void {
    this.#attachment(arena).kernel.encodeElements({
      ...encoding,
      elements: offset + encoding.elements,
      weights: offset + encoding.weights,
      origin: offset + encoding.origin,
      coded: offset + encoding.coded,
    });
  }

  /** Writes a row's code; see `CodeEncoding`. Addresses are places in `block`, in bytes. */
  encodeCode({ arena, offset }: ArenaRange, encoding: CodeEncoding): void {
    this.#attachment(arena).kernel.encodeCode({
      ...encoding,
      row: offset + encoding.row,
      origin: offset + encoding.origin,
      signs: offset + encoding.signs,
      centroid: offset + encoding.centroid,
      residual: offset + encoding.residual,
      codes: offset + encoding.codes,
      sums: offset + encoding.sums,
    });
  }

  /** Copies the table of the scans that follow to where the kernel of `matrix` reads it. */
  setCodeTable({ block, nibbles }: CodeMatrix, table: Uint8Array): void {
    assert(table.length === nibbles * NIBBLE_BYTES, `a table of ${table.length} bytes`);
    this.#attachment(block.arena).table.set(table);
  }

  /** Finds rows of listed blocks whose lower bound is at most `worst`; see `CodeScan`. */
  scanCodes(
    { arena, nibbles }: { readonly arena: number; readonly nibbles: number },
    blocks: CodeBlocks,
    query: Pick<CodeScan, "scale" | "offset" | "worst">,
  ): FoundCodes {
    const attached = this.#attachment(arena);
    attached.list.set(blocks.words);
    const count = attached.kernel.scanCodes({
      list: attached.list.byteOffset,
      count: blocks.count,
      blockBytes: codeBlockBytes(nibbles),
      nibbles,
      table: attached.table.byteOffset,
      scale: query.scale,
      offset: query.offset,
      worst: query.worst,
      scratch: attached.codeScratch,
      found: attached.foundRows.byteOffset,
    });
    return { count, rows: attached.foundRows, bounds: attached.foundBounds };
  }

  /**
   * Bounds all rows of blocks from `firstBlock` on; see `CodeBounds`. `queries` are the base and
   * the spread of each of them, at most SCAN_BLOCKS_MAX.
   */
  boundCodes(
    { block, start, nibbles }: CodeMatrix,
    firstBlock: number,
    query: Pick<CodeBounds, "scale" | "offset"> & { readonly queries: Float32Array },
  ): BoundedCodes {
    const attached = this.#attachment(block.arena);
    const count = query.queries.length / 2;
    assert(count <= SCAN_BLOCKS_MAX, `${count} blocks at once`);
    const rows = count * CODE_BLOCK_ROWS;
    const [lowerAt, upperAt, queriesAt] = [0, ROWS_MAX, 2 * ROWS_MAX];
    const { foundBounds } = attached;
    foundBounds.set(query.queries, queriesAt);
    const found = foundBounds.byteOffset;
    const blockBytes = codeBlockBytes(nibbles);
    attached.kernel.boundCodes({
      blocks: block.offset + start + firstBlock * blockBytes,
      blockBytes,
      count,
      nibbles,
      table: attached.table.byteOffset,
      queries: found + 4 * queriesAt,
      scale: query.scale,
      offset: query.offset,
      scratch: attached.codeScratch,
      lower: found + 4 * lowerAt,
      upper: found + 4 * upperAt,
    });
    return {
      lower: foundBounds.subarray(lowerAt, lowerAt + rows),
      upper: foundBounds.subarray(upperAt, upperAt + rows),
    };
  }

  /** Where clusters are written that `scanRates` is to look at; in any arena, as there is one. */
  ratedClusters(): RatedClusters {
    return this.#anyAttachment().rated;
  }

  /**
   * Tells how many rows of the first `count` clusters in `ratedClusters()` are expected to be near;
   * writes no rows for those that its last block lacks.
   */
  scanRates(
    count: number,
    query: Pick<RateScan, "worst" | "nearPoint" | "nearWeight">,
  ): RatedClusters {
    const { kernel, rated } = this.#anyAttachment();
    assert(count <= RATED_MAX, `${count} clusters at once`);
    const end = Math.ceil(count / RATED_BLOCK) * RATED_BLOCK;
    rated.counts.fill(0, count, end);
    kernel.scanRates({
      ...query,
      count: end,
      lower: rated.lower.byteOffset,
      upper: rated.upper.byteOffset,
      inverseRadii: rated.inverseRadii.byteOffset,
      counts: rated.counts.byteOffset,
      rates: rated.rates.byteOffset,
      expected: rated.expected.byteOffset,
      sums: rated.sums.byteOffset,
      mosts: rated.mosts.byteOffset,
    });
    return rated;
  }

  /**
   * Finds rows of byte codes whose lower bound is at most `worst`, against the elements, of which
   * there are as many as padded codes; see `ByteCodeScan`. `places` are addresses in the arena
   * divided by 16, at most SCAN_ROWS_MAX; they are what is numbered.
   */
  scanByteCodes(
    arena: number,
    places: Uint32Array,
    query: Pick<ByteCodeScan, "base" | "scale" | "error" | "worst"> & {
      readonly elements: Int16Array;
    },
  ): FoundCodes {
    const attached = this.#attachment(arena);
    const { length } = places;
    assert(length <= SCAN_ROWS_MAX, `${length} rows at once`);
    attached.gather.set(places);
    attached.byteQuery.set(query.elements);
    const count = attached.kernel.scanByteCodes({
      gather: attached.gather.byteOffset,
      count: length,
      codes: query.elements.length,
      query: attached.byteQuery.byteOffset,
      base: query.base,
      scale: query.scale,
      error: query.error,
      worst: query.worst,
      found: attached.foundRows.byteOffset,
    });
    return { count, rows: attached.foundRows, bounds: attached.foundBounds };
  }

  #anyAttachment(): Attachment {
    const [first] = this.#attached.values();
    return must(first, "no arena is attached");
  }

  #attachment(arena: number): Attachment {
    return must(this.#attached.get(arena), `arena ${arena} is not attached`);
  }

  #score(
    measure: Measure,
    matrix: RowMatrix,
    part: { attached: Attachment; first: number; count: number; gather?: number },
  ): Float32Array {
    const { attached, count } = part;
    assert(count <= SCAN_ROWS_MAX, `${count} rows at once`);
    const stride = matrix.strideBytes;
    attached.kernel.scanRows({
      measure,
      format: matrix.format,
      dimensions: matrix.dimensions,
      query: attached.query.byteOffset,
      rows: matrix.block.offset + matrix.start + part.first * stride,
      stride,
      count,
      gather: part.gather,
      scores: attached.scores.byteOffset,
    });
    return attached.scores.subarray(0, count);
  }
}

/** Lays them out in scratch memory. */
function ratedClusters({ buffer, byteOffset }: Float32Array<SharedArrayBuffer>): RatedClusters {
  let at = byteOffset;
  const floats = (length: number) => {
    const view = new Float32Array(buffer, at, length);
    at += view.byteLength;
    return view;
  };
  return {
    ...{ lower: floats(RATED_MAX), upper: floats(RATED_MAX), inverseRadii: floats(RATED_MAX) },
    counts: new Uint32Array(buffer, floats(RATED_MAX).byteOffset, RATED_MAX),
    ...{ rates: floats(RATE_BINS), expected: floats(RATED_MAX) },
    ...{ sums: floats(RATED_MAX / RATED_BLOCK), mosts: floats(RATED_MAX / RATED_BLOCK) },
  };
}

/** The addresses of what lies at places in a block. */
function listsAt(offset: number, lists: NearestLists) {
  return {
    vectors: offset + lists.vectors,
    gather: offset + lists.gather,
    rows: offset + lists.rows,
    closenesses: offset + lists.closenesses,
    found: offset + lists.found,
  };
}
