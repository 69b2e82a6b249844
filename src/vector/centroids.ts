/**
 * Centroids in the memory of the kernels. For cosines a centroid is the direction of a mean: a unit
 * vector, so that dot products rank centroids.
 */

import { assert } from "../base/assert.ts";
import { KIB } from "../base/byte-sizes.ts";
import type { ArenaBytes, ArenaRange } from "../kernel/arena.ts";
import type { ArenaKernels } from "../kernel/arena-kernels.ts";
import { elementCodeStride, paddedElements } from "../kernel/estimate-scan.ts";
import type { Measure } from "../kernel/kernel.ts";
import type { NearestScan } from "../kernel/nearest-scan.ts";
import type { Means } from "./means.ts";
import { measureOf } from "./metric.ts";
import type { VectorReader } from "./vector-rows.ts";
import type { VectorSpace } from "./vector-space.ts";

const FLOAT32_BYTES = 4;
/** Bytes of vectors, as float32, that are compared at once: they stay in a core's second cache. */
const BATCH_BYTES = 256 * KIB;
/** Vectors that are compared at once, at most. */
const BATCH_ROWS_MAX = 256;
/** Nearest centroids that are looked for at once, at most. */
export const LIST_ROWS_MAX = 16;
/**
 * Dimensions from which on codes are compared instead of float32: errors of rounding cancel out the
 * more, the more they are (ADR 64).
 */
const CODED_DIMENSIONS_MIN = 64;
/** What begins in a table's memory begins at a multiple of this. */
const ALIGNMENT = 16;

/** Kernels, and memory that they can read. */
export interface KernelSpace {
  readonly kernels: ArenaKernels;
  readonly memory: {
    /** Throws `out_of_memory` when there is no room. */
    allocate(bytes: number): ArenaBytes;
    free(place: { arena: number; offset: number; bytes: number }): void;
  };
}

/**
 * A table of centroids, which are all zeros at first, and vectors that are compared with them: by
 * codes of a byte for each element where the dimensions are many, so that what is nearest is so up
 * to their rounding. Must be freed.
 */
export class Centroids {
  readonly count: number;
  readonly space: VectorSpace;
  /** All centroids end to end: not to be changed but by `set` and `setMean`. */
  readonly values: Float32Array;
  /** Vectors that are compared at once. */
  readonly batchRows: number;
  readonly #kernelSpace: KernelSpace;
  readonly #block: ArenaRange;
  readonly #measure: Measure;
  readonly #places: Places;
  readonly #batch: Batch;
  #loadedCount = 0;
  #isExact = false;

  constructor(count: number, space: VectorSpace, kernelSpace: KernelSpace) {
    const { dimensions } = space;
    const rowBytes = dimensions * FLOAT32_BYTES;
    this.count = count;
    this.space = space;
    this.batchRows = Math.min(BATCH_ROWS_MAX, Math.max(1, Math.floor(BATCH_BYTES / rowBytes)));
    this.#kernelSpace = kernelSpace;
    this.#measure = measureOf(space.metric);
    const places = placesOf(count, this.batchRows, space);
    const { arena, offset, bytes } = kernelSpace.memory.allocate(places.end);
    this.#block = { arena, offset, bytes: bytes.length };
    const { buffer, byteOffset: start } = bytes;
    const listWords = this.batchRows * LIST_ROWS_MAX;
    this.values = new Float32Array(buffer, start, count * dimensions);
    this.#places = places;
    this.#batch = {
      vectors: new Float32Array(buffer, start + places.vectors, this.batchRows * dimensions),
      weights: new Float32Array(buffer, start + places.weights, this.batchRows),
      gather: new Uint32Array(buffer, start + places.gather, this.batchRows),
      closenesses: new Float32Array(buffer, start + places.closenesses, listWords),
      found: new Uint32Array(buffer, start + places.found, listWords),
    };
    this.values.fill(0);
    if (places.coded === undefined || space.origin === undefined) return;
    new Float32Array(buffer, start + places.coded.origin, dimensions).set(space.origin);
    this.#encodeRows(0, count);
  }

  /** Whether codes are compared. */
  get isCoded(): boolean {
    return this.#places.coded !== undefined;
  }

  /** Runs a search that compares float32 and no codes. */
  exactly<T>(search: () => T): T {
    this.#isExact = true;
    try {
      return search();
    } finally {
      this.#isExact = false;
    }
  }

  /** One of them: a view. */
  at(index: number): Float32Array {
    const { dimensions } = this.space;
    return this.values.subarray(index * dimensions, (index + 1) * dimensions);
  }

  /** Sets centroids from `start` on, which lie end to end. */
  set(start: number, centroids: Float32Array): void {
    const { dimensions } = this.space;
    this.values.set(centroids, start * dimensions);
    this.#encodeRows(start, start + centroids.length / dimensions);
  }

  /** Sets a centroid to a mean; see `Means.write` for what stays as it is. */
  setMean(index: number, means: Means, of: number): void {
    means.write(of, this.at(index));
    this.#encodeRows(index, index + 1);
  }

  /** Sets the vectors of the searches that follow, at most `batchRows`. */
  load(reader: VectorReader, rows: Uint32Array): void {
    const { dimensions, metric } = this.space;
    assert(rows.length <= this.batchRows, `${rows.length} vectors at once`);
    const { vectors, weights } = this.#batch;
    for (let i = 0; i < rows.length; i++) {
      vectors.set(reader.at(rows[i]), i * dimensions);
      weights[i] = reader.weightOf(rows[i], metric);
    }
    const { coded } = this.#places;
    if (coded !== undefined) {
      this.#encode("vector", rows.length, { from: this.#places.vectors, to: coded.vectors });
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
   * and vectors that are near to none, being too long: the first. Valid until the next search.
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
    const { gather, found } = this.#batch;
    const { dimensions } = this.space;
    if (some === undefined) for (let i = 0; i < this.#loadedCount; i++) gather[i] = i;
    else gather.set(some);
    const { coded, ...places } = this.#places;
    const lists = {
      ...{ gather: places.gather, closenesses: places.closenesses, found: places.found, few },
      ...{ count: some?.length ?? this.#loadedCount, rowCount: end - start, firstRow: start },
    };
    const { kernels } = this.#kernelSpace;
    if (coded === undefined || this.#isExact) {
      const rows = start * dimensions * FLOAT32_BYTES;
      const scan = { ...lists, dimensions, vectors: places.vectors, rows };
      kernels.nearestRows(this.#block, this.#measure, scan);
    } else {
      const rows = coded.rows + start * elementCodeStride(dimensions);
      const scan = { ...lists, codes: paddedElements(dimensions), vectors: coded.vectors, rows };
      kernels.nearestCodes(this.#block, scan);
    }
    return found.subarray(0, this.#loadedCount * few);
  }

  /** Writes the codes of centroids. */
  #encodeRows(start: number, end: number): void {
    const { coded } = this.#places;
    if (coded === undefined) return;
    const { dimensions } = this.space;
    for (let i = start; i < end; i++) {
      // What has no direction is near to none: of no length, it would be near to all.
      const isNear = this.#measure === "squaredDistance" || this.at(i).some((x) => x !== 0);
      this.#batch.weights[0] = isNear ? 1 : Number.NaN;
      const to = coded.rows + i * elementCodeStride(dimensions);
      this.#encode("row", 1, { from: i * dimensions * FLOAT32_BYTES, to });
    }
  }

  /** Writes codes of elements that begin at a place to another. */
  #encode(
    kind: "vector" | "row",
    count: number,
    { from, to }: { readonly from: number; readonly to: number },
  ): void {
    const { coded, weights } = this.#places;
    this.#kernelSpace.kernels.encodeElements(this.#block, {
      ...{ kind, count, dimensions: this.space.dimensions, elements: from, weights },
      ...{ origin: coded?.origin ?? 0, coded: to },
    });
  }

  free(): void {
    this.#kernelSpace.memory.free(this.#block);
  }
}

/** Where everything lies in a table's block, in bytes, behind the centroids. */
interface Places extends Pick<NearestScan, "vectors" | "gather" | "closenesses" | "found"> {
  /** Codes of centroids and of vectors, if they are compared, and what these are differences to. */
  readonly coded?: {
    readonly origin: number;
    readonly rows: number;
    readonly vectors: number;
  };
  readonly weights: number;
  readonly end: number;
}

function placesOf(count: number, batchRows: number, space: VectorSpace): Places {
  const { dimensions, origin: point } = space;
  let end = 0;
  const take = (bytes: number) => {
    const start = end;
    end += Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
    return start;
  };
  const rowBytes = dimensions * FLOAT32_BYTES;
  const listBytes = batchRows * LIST_ROWS_MAX * FLOAT32_BYTES;
  take(count * rowBytes);
  const places = {
    vectors: take(batchRows * rowBytes),
    weights: take(batchRows * FLOAT32_BYTES),
    gather: take(batchRows * FLOAT32_BYTES),
    closenesses: take(listBytes),
    found: take(listBytes),
  };
  if (point === undefined || dimensions < CODED_DIMENSIONS_MIN) return { ...places, end };
  const stride = elementCodeStride(dimensions);
  const origin = take(rowBytes);
  const coded = { origin, rows: take(count * stride), vectors: take(batchRows * stride) };
  return { ...places, coded, end };
}

/** Vectors that are compared with centroids at once. */
interface Batch {
  readonly vectors: Float32Array;
  /** What each counts in a mean. */
  readonly weights: Float32Array;
  /** Numbers of the vectors that are looked at. */
  readonly gather: Uint32Array;
  /** Lists of the nearest ones. */
  readonly closenesses: Float32Array;
  readonly found: Uint32Array;
}
