import { assert, must } from "../base/assert.ts";
import { type ArenaRange, SCRATCH_BYTES, scratchOffset, sharedBuffer } from "./arena.ts";
import type { Kernel, Measure, RowFormat } from "./kernel.ts";
import { SCAN_ROWS_MAX, VECTOR_DIMENSIONS_MAX } from "./kernel.ts";
import { loadKernel, warmUpKernel } from "./load-kernel.ts";

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

/** One arena as one thread sees it. */
interface Attachment {
  readonly buffer: SharedArrayBuffer;
  readonly kernel: Kernel;
  /** Views of the thread's scratch memory: query, row numbers, scores. */
  readonly query: Float32Array;
  readonly gather: Uint32Array;
  readonly scores: Float32Array;
}

const QUERY_BYTES = VECTOR_DIMENSIONS_MAX * 4;
const GATHER_BYTES = SCAN_ROWS_MAX * 4;

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
    assert(QUERY_BYTES + 2 * GATHER_BYTES <= SCRATCH_BYTES, "scratch memory is too small");
    this.#module = module;
    this.#scratch = scratchOffset(thread);
  }

  /** Makes an arena usable, with a kernel of WebAssembly warm. */
  attach(arena: number, memory: WebAssembly.Memory): void {
    const buffer = sharedBuffer(memory);
    const kernel = loadKernel(this.#module, memory);
    // Plain TypeScript needs none: it is optimized within a call.
    if (this.#module !== undefined) warmUpKernel(kernel, this.#scratch);
    const gather = this.#scratch + QUERY_BYTES;
    this.#attached.set(arena, {
      buffer,
      kernel,
      query: new Float32Array(buffer, this.#scratch, VECTOR_DIMENSIONS_MAX),
      gather: new Uint32Array(buffer, gather, SCAN_ROWS_MAX),
      scores: new Float32Array(buffer, gather + GATHER_BYTES, SCAN_ROWS_MAX),
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
