/** One-bit codes of rows that were clustered, and how the rows of each cluster lie. */

import { seededRandom } from "../base/random.ts";
import type { Steps } from "../base/steps.ts";
import type { ArenaBytes } from "../kernel/arena.ts";
import type { RotationSigns } from "../kernel/arena-kernels.ts";
import { CODE_BLOCK_ROWS, codeBlockBytes } from "../kernel/code-scan.ts";
import { ROTATED_MULTIPLE } from "../kernel/rotation.ts";
import type { DistanceMetric } from "../model/schema.ts";
import type { KernelSpace } from "./centroids.ts";
import type { RowClusters } from "./cluster-rows.ts";
import { unitVector } from "./metric.ts";
import { CodeWriter } from "./one-bit-codes.ts";
import { VectorReader, type VectorRows } from "./vector-rows.ts";

/** Rounds of a rotation: with four, single large elements are spread over all. */
const ROUNDS = 4;
/** Segments whose vectors have as many dimensions are rotated alike. */
const SEED = 0x726f74;
/** Clusters around one that its rows' spread is measured towards. */
const NEIGHBOURS = 8;
/** Clusters before and after one that are compared: near ones mostly follow each other. */
const NEIGHBOUR_WINDOW = 64;
/** Rows of a cluster that the spread is measured of, about. */
const SPREAD_ROWS = 32;
/** Rows that are coded between two pauses, in some 10 µs each. */
const ROWS_PER_STEP = 32;

/**
 * How the rows of clusters lie around their means, by cluster. For cosines the rows are of length 1
 * here, and a mean is its cluster's centroid times `lengths`; else it is the centroid.
 */
export interface ClusterShapes {
  /** Lengths of the means for cosines, else 1. */
  readonly lengths: Float32Array;
  /** Mean squared distance of the rows from the mean. */
  readonly radii: Float32Array;
  /** Standard deviation of the squared distances. */
  readonly deviations: Float32Array;
  /** Mean square of the rows' differences to the mean along directions to others. */
  readonly spreads: Float32Array;
}

/** What codes are made of. */
export interface CodedRows {
  readonly vectors: VectorRows;
  readonly metric: DistanceMetric;
  readonly clusters: RowClusters;
}

/** See the file's head. */
export class ClusterCodes {
  readonly rotatedDimensions: number;
  readonly rounds = ROUNDS;
  readonly signs: Uint8Array;
  /** Subtracted from each vector. */
  readonly origin: Float32Array;
  readonly shapes: ClusterShapes;
  readonly #rows: CodedRows;
  readonly #kernels: KernelSpace;

  constructor(rows: CodedRows, kernels: KernelSpace) {
    const { dimensions } = rows.vectors;
    const count = rows.clusters.starts.length - 1;
    this.rotatedDimensions = Math.ceil(dimensions / ROTATED_MULTIPLE) * ROTATED_MULTIPLE;
    this.signs = seededRandom(SEED).bytes((this.rotatedDimensions / 8) * ROUNDS);
    this.origin = originOf(rows);
    this.shapes = {
      lengths: new Float32Array(count).fill(1),
      radii: new Float32Array(count),
      deviations: new Float32Array(count),
      spreads: new Float32Array(count),
    };
    this.#rows = rows;
    this.#kernels = kernels;
  }

  /** Of the codes of all rows. */
  get bytes(): number {
    const blocks = Math.ceil(this.#rows.clusters.order.length / CODE_BLOCK_ROWS);
    return blocks * codeBlockBytes(this.rotatedDimensions / 4);
  }

  /** Writes all codes, and fills in `shapes`. */
  *writeTo(target: Uint8Array): Steps<void> {
    target.fill(0, 0, this.bytes);
    const { memory } = this.#kernels;
    const place = memory.allocate(this.signs.length);
    try {
      place.bytes.set(this.signs);
      yield* this.#write(target, this.#rotation(place));
    } finally {
      memory.free({ ...place, bytes: this.signs.length });
    }
  }

  #rotation({ arena, offset, bytes }: ArenaBytes): RotationSigns {
    const block = { arena, offset, bytes: bytes.length };
    return { block, start: 0, dimensions: this.rotatedDimensions, rounds: ROUNDS };
  }

  *#write(target: Uint8Array, rotation: RotationSigns): Steps<void> {
    const { vectors, metric, clusters } = this.#rows;
    const { kernels } = this.#kernels;
    const { dimensions } = vectors;
    const reader = new VectorReader(vectors);
    const writer = new CodeWriter(this.rotatedDimensions);
    const blockBytes = codeBlockBytes(this.rotatedDimensions / 4);
    const factorsAt = (this.rotatedDimensions / 4) * 16;
    const difference = new Float32Array(dimensions);
    const residual = new Float32Array(this.rotatedDimensions);
    const centroid = new Float32Array(this.rotatedDimensions);
    const rotate = (vector: Float32Array, scale: number, rotated: Float32Array): void => {
      for (let d = 0; d < dimensions; d++) difference[d] = vector[d] * scale - this.origin[d];
      kernels.rotate(rotation, difference, rotated);
    };
    for (let c = 0; c < clusters.starts.length - 1; c++) {
      const { lengths } = this.shapes;
      lengths[c] = this.#lengthOf(c, reader);
      rotate(this.#centroid(c), lengths[c], centroid);
      const directions = this.#neighbours(c).map((other) => {
        const direction = new Float32Array(this.rotatedDimensions);
        rotate(other, lengths[c], direction);
        return unitVector(direction.map((value, d) => value - centroid[d]));
      });
      const shape = new ClusterShape(directions, clusters.starts[c + 1] - clusters.starts[c]);
      for (let at = clusters.starts[c]; at < clusters.starts[c + 1]; at++) {
        if (at % ROWS_PER_STEP === 0) yield;
        const start = Math.floor(at / CODE_BLOCK_ROWS) * blockBytes;
        const bytes = target.subarray(start, start + factorsAt);
        const factors = new Float32Array(target.buffer, bytes.byteOffset + factorsAt, 96);
        const row = clusters.order[at];
        const scale = reader.weightOf(row, metric);
        if (scale === 0) {
          // The zero vector is not of length 1.
          writer.writeUnknown({ bytes, factors }, at % CODE_BLOCK_ROWS);
          continue;
        }
        rotate(reader.at(row), scale, residual);
        for (let d = 0; d < residual.length; d++) residual[d] -= centroid[d];
        writer.write({ bytes, factors }, at % CODE_BLOCK_ROWS, { residual, centroid });
        shape.add(residual);
      }
      shape.writeTo(this.shapes, c);
    }
  }

  /** The mean of rows of length 1 along their centroid. */
  #lengthOf(cluster: number, reader: VectorReader): number {
    const { metric, clusters } = this.#rows;
    const { starts, order } = clusters;
    const count = starts[cluster + 1] - starts[cluster];
    if (metric !== "cosine_distance" || count === 0) return 1;
    const centroid = this.#centroid(cluster);
    let sum = 0;
    for (let at = starts[cluster]; at < starts[cluster + 1]; at++) {
      const row = reader.at(order[at]);
      let product = 0;
      for (let d = 0; d < row.length; d++) product += row[d] * centroid[d];
      sum += product * reader.weightOf(order[at], metric);
    }
    return sum / count;
  }

  #centroid(cluster: number): Float32Array {
    const { dimensions } = this.#rows.vectors;
    const { centroids } = this.#rows.clusters;
    return centroids.subarray(cluster * dimensions, (cluster + 1) * dimensions);
  }

  /** Centroids of some of the nearest clusters. */
  #neighbours(cluster: number): Float32Array[] {
    const own = this.#centroid(cluster);
    const count = this.#rows.clusters.starts.length - 1;
    const end = Math.min(count, cluster + NEIGHBOUR_WINDOW + 1);
    const others: { readonly distance: number; readonly centroid: Float32Array }[] = [];
    for (let c = Math.max(0, cluster - NEIGHBOUR_WINDOW); c < end; c++) {
      const centroid = this.#centroid(c);
      let distance = 0;
      for (let d = 0; d < own.length; d++) distance += (own[d] - centroid[d]) ** 2;
      // Equal centroids are in no direction.
      if (c !== cluster && distance > 0) others.push({ distance, centroid });
    }
    others.sort((a, b) => a.distance - b.distance);
    return others.slice(0, NEIGHBOURS).map(({ centroid }) => centroid);
  }
}

/** What is measured of the rows of one cluster. */
class ClusterShape {
  readonly #directions: readonly Float32Array[];
  readonly #step: number;
  #count = 0;
  #squared = 0;
  #fourth = 0;
  #along = 0;
  #alongCount = 0;

  /** `directions` are of length 1. */
  constructor(directions: readonly Float32Array[], rowCount: number) {
    this.#directions = directions;
    this.#step = Math.max(1, Math.floor(rowCount / SPREAD_ROWS));
  }

  add(residual: Float32Array): void {
    let squared = 0;
    for (const value of residual) squared += value * value;
    this.#squared += squared;
    this.#fourth += squared * squared;
    if (this.#count++ % this.#step !== 0) return;
    for (const direction of this.#directions) {
      let product = 0;
      for (let d = 0; d < residual.length; d++) product += residual[d] * direction[d];
      this.#along += product * product;
      this.#alongCount++;
    }
  }

  writeTo({ radii, deviations, spreads }: ClusterShapes, cluster: number): void {
    if (this.#count === 0) return;
    const mean = this.#squared / this.#count;
    radii[cluster] = mean;
    deviations[cluster] = Math.sqrt(Math.max(0, this.#fourth / this.#count - mean * mean));
    spreads[cluster] = this.#alongCount === 0 ? mean : this.#along / this.#alongCount;
  }
}

/** The mean of all rows; for cosines there is none, since queries are of length 1 as they are. */
function originOf({ vectors: { dimensions }, metric, clusters }: CodedRows): Float32Array {
  const sums = new Float64Array(dimensions);
  const { starts, centroids } = clusters;
  const count = starts[starts.length - 1];
  if (metric === "cosine_distance" || count === 0) return new Float32Array(dimensions);
  for (let c = 0; c < starts.length - 1; c++) {
    const share = (starts[c + 1] - starts[c]) / count;
    for (let d = 0; d < dimensions; d++) sums[d] += share * centroids[c * dimensions + d];
  }
  return Float32Array.from(sums);
}
