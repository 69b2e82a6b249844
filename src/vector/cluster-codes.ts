/** One-bit codes of rows that were clustered, and how the rows of each cluster lie. */

import { seededRandom } from "../base/random.ts";
import type { Steps } from "../base/steps.ts";
import { codeBytes } from "../kernel/code-scan.ts";
import { RATE_BINS } from "../kernel/rate-scan.ts";
import type { KernelSpace } from "./centroids.ts";
import { CodeEncoder } from "./code-encoder.ts";
import { type ClusterShapes, type CodedRows, centroidOf, meanOf } from "./coded-rows.ts";
import { measureHitRates } from "./hit-rates.ts";
import { MeanCodes } from "./mean-codes.ts";
import { rotatedDimensions } from "./one-bit-codes.ts";
import { VectorReader } from "./vector-rows.ts";

/** Rounds of a rotation: with four, single large elements are spread over all. */
const ROUNDS = 4;
/** Segments whose vectors have as many dimensions are rotated alike. */
const SEED = 0x726f74;
/** Rows that are coded between two pauses, in some 4 µs each. */
const ROWS_PER_STEP = 32;

/** See the file's head. */
export class ClusterCodes {
  readonly rotatedDimensions: number;
  readonly rounds = ROUNDS;
  readonly signs: Uint8Array;
  /** Subtracted from each vector. */
  readonly origin: Float32Array;
  readonly shapes: ClusterShapes;
  readonly means: MeanCodes;
  /** How often rows of clusters are hits: see `hit-rates.ts`. */
  readonly rates = new Float32Array(RATE_BINS);
  readonly #rows: CodedRows;
  readonly #kernels: KernelSpace;

  constructor(rows: CodedRows, kernels: KernelSpace) {
    const { dimensions } = rows.vectors;
    const count = rows.clusters.starts.length - 1;
    this.rotatedDimensions = rotatedDimensions(dimensions);
    this.signs = seededRandom(SEED).bytes((this.rotatedDimensions / 8) * ROUNDS);
    this.origin = originOf(rows);
    this.shapes = {
      lengths: new Float32Array(count).fill(1),
      radii: new Float32Array(count),
    };
    this.means = new MeanCodes(rows, this, kernels);
    this.#rows = rows;
    this.#kernels = kernels;
  }

  /** Of the codes of all rows. */
  get bytes(): number {
    return codeBytes(this.#rows.clusters.order.length, this.rotatedDimensions / 4);
  }

  /** Writes all codes, and fills in `shapes` and `rates`. */
  *writeTo(target: Uint8Array): Steps<void> {
    const encoder = new CodeEncoder(this, this.#kernels);
    try {
      yield* this.#write(target, encoder);
    } finally {
      encoder.free();
    }
    this.rates.set(yield* measureHitRates(this.#rows, this.shapes, this.#kernels));
  }

  *#write(target: Uint8Array, encoder: CodeEncoder): Steps<void> {
    const { vectors, metric, clusters } = this.#rows;
    const { starts, order, lengths } = clusters;
    const reader = new VectorReader(vectors);
    this.shapes.lengths.set(lengths);
    encoder.begin(target, order.length);
    for (let c = 0; c < starts.length - 1; c++) {
      encoder.setMean(centroidOf(this.#rows, c).map((value) => value * lengths[c]));
      let sum = 0;
      let count = 0;
      for (let at = starts[c]; at < starts[c + 1]; at++) {
        if (at % ROWS_PER_STEP === 0) yield;
        const weight = reader.weightOf(order[at], metric);
        // The zero vector is not of length 1.
        if (weight === 0) encoder.writeUnknown();
        else {
          sum += encoder.write(reader.at(order[at]), weight);
          count++;
        }
      }
      if (count > 0) this.shapes.radii[c] = sum / count;
    }
  }
}

/** The mean of all rows; for cosines there is none, since queries are of length 1 as they are. */
function originOf(rows: CodedRows): Float32Array {
  const isCosine = rows.metric === "cosine_distance";
  return isCosine ? new Float32Array(rows.vectors.dimensions) : meanOf(rows);
}
