/**
 * Centroids in the memory of the kernels, and the means that they are made of. For cosines a
 * centroid is the direction of a mean: a unit vector, so that dot products rank centroids.
 */

import type { ArenaBytes } from "../kernel/arena.ts";
import type { ArenaKernels, RowMatrix } from "../kernel/arena-kernels.ts";
import type { Measure } from "../kernel/kernel.ts";
import { SCAN_ROWS_MAX } from "../kernel/kernel.ts";
import type { DistanceMetric } from "../model/schema.ts";
import { measureOf, unitVector } from "./metric.ts";

const FLOAT32_BYTES = 4;

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

/** A table of centroids. Must be freed. */
export class Centroids {
  readonly count: number;
  readonly space: VectorSpace;
  /** All centroids end to end. */
  readonly values: Float32Array;
  readonly #kernelSpace: KernelSpace;
  readonly #matrix: RowMatrix;
  readonly #measure: Measure;
  /** 1 where the greatest score is the nearest, else −1. */
  readonly #sign: number;

  constructor(count: number, space: VectorSpace, kernelSpace: KernelSpace) {
    const strideBytes = space.dimensions * FLOAT32_BYTES;
    const { arena, offset, bytes } = kernelSpace.memory.allocate(count * strideBytes);
    this.count = count;
    this.space = space;
    this.values = new Float32Array(bytes.buffer, bytes.byteOffset, count * space.dimensions);
    this.#kernelSpace = kernelSpace;
    this.#measure = measureOf(space.metric);
    this.#sign = space.metric === "cosine_distance" ? 1 : -1;
    this.#matrix = {
      block: { arena, offset, bytes: bytes.length },
      start: 0,
      format: "f32",
      dimensions: space.dimensions,
      strideBytes,
    };
  }

  /** One of them: a view. */
  at(index: number): Float32Array {
    const { dimensions } = this.space;
    return this.values.subarray(index * dimensions, (index + 1) * dimensions);
  }

  /** Sets the vector of the searches that follow. */
  setQuery(vector: Float32Array): void {
    this.#kernelSpace.kernels.setQuery(this.#matrix, vector);
  }

  /** The centroid from `start` to before `end` that is nearest to the vector; ties: the first. */
  nearest(start: number, end: number): Nearest {
    let index = start;
    let closeness = Number.NEGATIVE_INFINITY;
    for (let first = start; first < end; first += SCAN_ROWS_MAX) {
      const scores = this.#score(first, Math.min(first + SCAN_ROWS_MAX, end));
      for (let i = 0; i < scores.length; i++) {
        const score = this.#sign * scores[i];
        if (!(score > closeness)) continue;
        closeness = score;
        index = first + i;
      }
    }
    return { index, closeness };
  }

  /** Puts the nearest of the first `end` into `found`, nearest first; ties: the first. */
  nearestFew(end: number, found: Uint32Array): void {
    const best = new Float64Array(found.length);
    let known = 0;
    for (let first = 0; first < end; first += SCAN_ROWS_MAX) {
      const scores = this.#score(first, Math.min(first + SCAN_ROWS_MAX, end));
      for (let i = 0; i < scores.length; i++) {
        const score = this.#sign * scores[i];
        let at = known;
        while (at > 0 && score > best[at - 1]) at--;
        if (at === found.length) continue;
        known = Math.min(known + 1, found.length);
        best.copyWithin(at + 1, at, known - 1);
        found.copyWithin(at + 1, at, known - 1);
        best[at] = score;
        found[at] = first + i;
      }
    }
  }

  free(): void {
    this.#kernelSpace.memory.free(this.#matrix.block);
  }

  #score(start: number, end: number): Float32Array {
    return this.#kernelSpace.kernels.scoreRange(this.#measure, this.#matrix, start, end);
  }
}

/** A centroid, and how near it is: greater is nearer, and comparable for one vector only. */
export interface Nearest {
  readonly index: number;
  readonly closeness: number;
}

/** Means of vectors, summed in float64 in the order in which they are added. */
export class Means {
  /** Vectors of each mean. */
  readonly counts: Uint32Array;
  readonly #space: VectorSpace;
  readonly #sums: Float64Array;

  constructor(count: number, space: VectorSpace) {
    this.counts = new Uint32Array(count);
    this.#space = space;
    this.#sums = new Float64Array(count * space.dimensions);
  }

  add(index: number, vector: Float32Array, weight: number): void {
    const sums = this.#sums;
    const base = index * vector.length;
    for (let d = 0; d < vector.length; d++) sums[base + d] += vector[d] * weight;
    this.counts[index]++;
  }

  /** Writes a centroid; those of no vectors, and of directions that cancel out, stay. */
  write(index: number, target: Float32Array): void {
    const { dimensions, metric } = this.#space;
    const count = this.counts[index];
    if (count === 0) return;
    const sum = this.#sums.subarray(index * dimensions, (index + 1) * dimensions);
    const mean = Float32Array.from(sum, (value) => value / count);
    if (metric !== "cosine_distance") target.set(mean);
    else if (mean.some((value) => value !== 0)) target.set(unitVector(mean));
  }

  clear(): void {
    this.#sums.fill(0);
    this.counts.fill(0);
  }
}
