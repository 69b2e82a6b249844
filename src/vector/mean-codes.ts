/**
 * One-bit codes of the clusters' means, so that a search estimates how far all clusters are and
 * reads the centroids of few. Means are coded in groups of neighbours, as rows are in clusters: as
 * their difference from the mean of the group's means.
 */

import type { Steps } from "../base/steps.ts";
import { CODE_BLOCK_ROWS, codeBytes } from "../kernel/code-scan.ts";
import type { KernelSpace } from "./centroids.ts";
import { CodeEncoder, type EncoderOptions } from "./code-encoder.ts";
import { type CodedRows, centroidOf } from "./coded-rows.ts";

/** Means of a group: four blocks of codes. */
export const MEAN_GROUP = 4 * CODE_BLOCK_ROWS;
/** Means that are coded between two pauses, in some 4 µs each. */
const MEANS_PER_STEP = 32;

/** Groups of so many means. */
export function meanGroups(count: number): number {
  return Math.ceil(count / MEAN_GROUP);
}

/** See the file's head. */
export class MeanCodes {
  readonly count: number;
  /** The means of the groups' means, end to end. */
  readonly groups: Float32Array;
  readonly #rows: CodedRows;
  readonly #options: EncoderOptions;
  readonly #kernels: KernelSpace;

  constructor(rows: CodedRows, options: EncoderOptions, kernels: KernelSpace) {
    this.count = rows.clusters.lengths.length;
    this.#rows = rows;
    this.#options = options;
    this.#kernels = kernels;
    this.groups = this.#groupMeans();
  }

  /** Of all codes. */
  get bytes(): number {
    return codeBytes(this.count, this.#options.rotatedDimensions / 4);
  }

  /** Writes all codes. */
  *writeTo(target: Uint8Array): Steps<void> {
    const encoder = new CodeEncoder(this.#options, this.#kernels);
    const { dimensions } = this.#rows.vectors;
    try {
      encoder.begin(target, this.count);
      for (let c = 0; c < this.count; c++) {
        const group = Math.floor(c / MEAN_GROUP) * dimensions;
        if (c % MEAN_GROUP === 0) encoder.setMean(this.groups.slice(group, group + dimensions));
        encoder.write(centroidOf(this.#rows, c), this.#rows.clusters.lengths[c]);
        if (c % MEANS_PER_STEP === 0) yield;
      }
    } finally {
      encoder.free();
    }
  }

  #groupMeans(): Float32Array {
    const { dimensions } = this.#rows.vectors;
    const groups = new Float32Array(meanGroups(this.count) * dimensions);
    const sums = new Float64Array(dimensions);
    for (let start = 0; start < this.count; start += MEAN_GROUP) {
      const end = Math.min(start + MEAN_GROUP, this.count);
      sums.fill(0);
      for (let c = start; c < end; c++) {
        const centroid = centroidOf(this.#rows, c);
        const share = this.#rows.clusters.lengths[c] / (end - start);
        for (let d = 0; d < dimensions; d++) sums[d] += share * centroid[d];
      }
      groups.set(sums, (start / MEAN_GROUP) * dimensions);
    }
    return groups;
  }
}
