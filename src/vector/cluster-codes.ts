/** One-bit codes of rows that were clustered, and how the rows of each cluster lie. */

import { seededRandom } from "../base/random.ts";
import type { Steps } from "../base/steps.ts";
import { CODE_BLOCK_ROWS, codeBlockBytes } from "../kernel/code-scan.ts";
import { ROTATED_MULTIPLE } from "../kernel/rotation.ts";
import type { DistanceMetric } from "../model/schema.ts";
import { Centroids, type KernelSpace } from "./centroids.ts";
import type { RowClusters } from "./cluster-rows.ts";
import { CodeEncoder, DIRECTIONS_MAX } from "./code-encoder.ts";
import { VectorReader, type VectorRows } from "./vector-rows.ts";

/** Rounds of a rotation: with four, single large elements are spread over all. */
const ROUNDS = 4;
/** Segments whose vectors have as many dimensions are rotated alike. */
const SEED = 0x726f74;
/** Clusters around one that its rows' spread is measured towards. */
const NEIGHBOURS = DIRECTIONS_MAX;
/** Clusters before and after one that are compared: near ones mostly follow each other. */
const NEIGHBOUR_WINDOW = 64;
/** Rows of a cluster that the spread is measured of, about. */
const SPREAD_ROWS = 32;
/** Rows that are coded between two pauses, in some 4 µs each. */
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
    const { vectors, metric, clusters } = this.#rows;
    const space = { metric, dimensions: vectors.dimensions };
    const table = new Centroids(clusters.starts.length - 1, space, this.#kernels);
    try {
      table.values.set(clusters.centroids);
      const encoder = new CodeEncoder(this, this.#kernels);
      try {
        yield* this.#write(target, { table, encoder });
      } finally {
        encoder.free();
      }
    } finally {
      table.free();
    }
  }

  *#write(
    target: Uint8Array,
    { table, encoder }: { readonly table: Centroids; readonly encoder: CodeEncoder },
  ): Steps<void> {
    const { vectors, metric, clusters } = this.#rows;
    const { starts, order, lengths } = clusters;
    const reader = new VectorReader(vectors);
    this.shapes.lengths.set(lengths);
    encoder.clearBlock();
    for (let c = 0; c < starts.length - 1; c++) {
      const neighbours = this.#neighbours(c, table);
      const scaled = [c, ...neighbours].map((other) => multiplied(table.at(other), lengths[c]));
      encoder.setCluster(scaled[0], scaled.slice(1));
      const shape = new ClusterShape(starts[c + 1] - starts[c]);
      for (let at = starts[c]; at < starts[c + 1]; at++) {
        if (at % ROWS_PER_STEP === 0) yield;
        const position = at % CODE_BLOCK_ROWS;
        const weight = reader.weightOf(order[at], metric);
        // The zero vector is not of length 1.
        if (weight === 0) encoder.writeUnknown(position);
        else shape.add(encoder.write(reader.at(order[at]), weight, position), encoder);
        if (position < CODE_BLOCK_ROWS - 1 && at < order.length - 1) continue;
        target.set(encoder.block, Math.floor(at / CODE_BLOCK_ROWS) * encoder.block.length);
        encoder.clearBlock();
      }
      shape.writeTo(this.shapes, c);
    }
  }

  /** Some of the nearest clusters. */
  #neighbours(cluster: number, table: Centroids): number[] {
    const start = Math.max(0, cluster - NEIGHBOUR_WINDOW);
    const end = Math.min(table.count, cluster + NEIGHBOUR_WINDOW + 1);
    table.loadCentroid(cluster);
    // A cluster is the nearest to itself; what fills up the list where others lack is, too.
    table.clearLists(NEIGHBOURS + 1, cluster);
    const found = [...table.addNearest(NEIGHBOURS + 1, { start, end })];
    return found.filter((other) => other !== cluster).slice(0, NEIGHBOURS);
  }
}

/** What is measured of the rows of one cluster. */
class ClusterShape {
  readonly #step: number;
  #count = 0;
  #squared = 0;
  #fourth = 0;
  #along = 0;
  #alongCount = 0;

  constructor(rowCount: number) {
    this.#step = Math.max(1, Math.floor(rowCount / SPREAD_ROWS));
  }

  /** Adds the row that the encoder has written last, at the distance whose square is given. */
  add(squared: number, encoder: CodeEncoder): void {
    this.#squared += squared;
    this.#fourth += squared * squared;
    if (this.#count++ % this.#step !== 0) return;
    for (const product of encoder.along()) {
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

function multiplied(vector: Float32Array, factor: number): Float32Array {
  const product = new Float32Array(vector.length);
  for (let d = 0; d < vector.length; d++) product[d] = vector[d] * factor;
  return product;
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
