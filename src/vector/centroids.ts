/**
 * Centroids in the memory of the kernels. For cosines a centroid is the direction of a mean: a unit
 * vector, so that dot products rank centroids.
 */

import { assert } from "../base/assert.ts";
import { KIB } from "../base/byte-sizes.ts";
import type { ArenaBytes, ArenaRange } from "../kernel/arena.ts";
import type { ArenaKernels } from "../kernel/arena-kernels.ts";
import type { Measure } from "../kernel/kernel.ts";
import type { NearestScan } from "../kernel/nearest-scan.ts";
import type { DistanceMetric } from "../model/schema.ts";
import { measureOf } from "./metric.ts";
import type { VectorReader } from "./vector-rows.ts";

const FLOAT32_BYTES = 4;
/** Bytes of vectors that are compared at once: what stays in a core's second cache. */
const BATCH_BYTES = 256 * KIB;
/** Vectors that are compared at once, at most. */
const BATCH_ROWS_MAX = 256;
/** Nearest centroids that are looked for at once, at most. */
export const LIST_ROWS_MAX = 16;

/** Kernels, and memory that they can read. */
export interface KernelSpace {
  readonly kernels: ArenaKernels;
  readonly memory: {
    /** Throws `overloaded` when there is no room. */
    allocate(bytes: number): ArenaBytes;
    free(place: { arena: number; offset: number; bytes: number }): void;
  };
}

/** What vectors are compared by. */
export interface VectorSpace {
  readonly metric: DistanceMetric;
  readonly dimensions: number;
}

/** A table of centroids, and vectors that are compared with them. Must be freed. */
export class Centroids {
  readonly count: number;
  readonly space: VectorSpace;
  /** All centroids end to end. */
  readonly values: Float32Array;
  /** Vectors that are compared at once. */
  readonly batchRows: number;
  readonly #kernelSpace: KernelSpace;
  readonly #block: ArenaRange;
  readonly #measure: Measure;
  readonly #batch: Batch;
  #loadedCount = 0;

  constructor(count: number, space: VectorSpace, kernelSpace: KernelSpace) {
    const { dimensions } = space;
    const rowBytes = dimensions * FLOAT32_BYTES;
    this.count = count;
    this.space = space;
    this.batchRows = Math.min(BATCH_ROWS_MAX, Math.max(1, Math.floor(BATCH_BYTES / rowBytes)));
    this.#kernelSpace = kernelSpace;
    this.#measure = measureOf(space.metric);
    const listWords = this.batchRows * LIST_ROWS_MAX;
    const words = (count + this.batchRows) * dimensions + this.batchRows + 2 * listWords;
    const { arena, offset, bytes } = kernelSpace.memory.allocate(words * FLOAT32_BYTES);
    this.#block = { arena, offset, bytes: bytes.length };
    const { buffer, byteOffset: start } = bytes;
    const vectors = count * rowBytes;
    const gather = vectors + this.batchRows * rowBytes;
    const closenesses = gather + this.batchRows * FLOAT32_BYTES;
    const found = closenesses + listWords * FLOAT32_BYTES;
    this.values = new Float32Array(buffer, start, count * dimensions);
    this.#batch = {
      places: { vectors, gather, closenesses, found },
      vectors: new Float32Array(buffer, start + vectors, this.batchRows * dimensions),
      gather: new Uint32Array(buffer, start + gather, this.batchRows),
      closenesses: new Float32Array(buffer, start + closenesses, listWords),
      found: new Uint32Array(buffer, start + found, listWords),
    };
  }

  /** One of them: a view. */
  at(index: number): Float32Array {
    const { dimensions } = this.space;
    return this.values.subarray(index * dimensions, (index + 1) * dimensions);
  }

  /** Sets the vectors of the searches that follow, at most `batchRows`. */
  load(reader: VectorReader, rows: Uint32Array): void {
    const { dimensions } = this.space;
    assert(rows.length <= this.batchRows, `${rows.length} vectors at once`);
    for (let i = 0; i < rows.length; i++) {
      this.#batch.vectors.set(reader.at(rows[i]), i * dimensions);
    }
    this.#loadedCount = rows.length;
  }

  /** A vector that was loaded: a view. */
  loaded(index: number): Float32Array {
    const { dimensions } = this.space;
    return this.#batch.vectors.subarray(index * dimensions, (index + 1) * dimensions);
  }

  /**
   * The centroid from `start` to before `end` that is nearest to each vector that was loaded; ties,
   * and vectors too long to be compared: the first. Valid until the next search.
   */
  nearest(start: number, end: number): Uint32Array {
    this.clearLists(1, start);
    return this.addNearest(1, { start, end });
  }

  /**
   * Makes the list of the `few` nearest, at most LIST_ROWS_MAX, of each vector empty, and returns
   * the lists as `addNearest` does.
   */
  clearLists(few: number, first: number): Uint32Array {
    const { closenesses, found } = this.#batch;
    closenesses.fill(Number.NEGATIVE_INFINITY, 0, this.#loadedCount * few);
    found.fill(first, 0, this.#loadedCount * few);
    return found.subarray(0, this.#loadedCount * few);
  }

  /**
   * Adds centroids to the lists of the nearest ones of some vectors that were loaded, or of all.
   * Returns the lists of all, end to end: nearest first, of the same closeness the first to be
   * added, and filled up with that which they were cleared with.
   */
  addNearest(
    few: number,
    { start, end }: { readonly start: number; readonly end: number },
    some?: Uint32Array,
  ): Uint32Array {
    const { gather, places, found } = this.#batch;
    const { dimensions } = this.space;
    if (some === undefined) for (let i = 0; i < this.#loadedCount; i++) gather[i] = i;
    else gather.set(some);
    this.#kernelSpace.kernels.nearestRows(this.#block, this.#measure, {
      ...places,
      dimensions,
      count: some?.length ?? this.#loadedCount,
      rows: start * dimensions * FLOAT32_BYTES,
      rowCount: end - start,
      firstRow: start,
      few,
    });
    return found.subarray(0, this.#loadedCount * few);
  }

  free(): void {
    this.#kernelSpace.memory.free(this.#block);
  }
}

/** Vectors that are compared with centroids at once. */
interface Batch {
  /** Where all of it lies in its block, in bytes. */
  readonly places: Pick<NearestScan, "vectors" | "gather" | "closenesses" | "found">;
  readonly vectors: Float32Array;
  /** Numbers of the vectors that are looked at. */
  readonly gather: Uint32Array;
  /** Lists of the nearest ones. */
  readonly closenesses: Float32Array;
  readonly found: Uint32Array;
}
