/**
 * One-bit codes of the clusters' means, so that a search estimates how far all clusters are and
 * reads the centroids of few. Means are coded in groups of neighbours, as rows are in clusters: as
 * their difference from the mean of the group's means.
 */

import type { Steps } from "../base/steps.ts";
import { CODE_BLOCK_ROWS, codeBlockBytes } from "../kernel/code-scan.ts";
import type { KernelSpace } from "./centroids.ts";
import { CodeEncoder, type EncoderOptions } from "./code-encoder.ts";
import type { CodedRows } from "./coded-rows.ts";

/** Means of a group: four blocks of codes. */
export const MEAN_GROUP = 4 * CODE_BLOCK_ROWS;

/** Groups of so many means. */
export function meanGroups(count: number): number {
  return Math.ceil(count / MEAN_GROUP);
}

/** Bytes of the codes of so many means. */
export function meanCodeBytes(count: number, rotatedDimensions: number): number {
  return Math.ceil(count / CODE_BLOCK_ROWS) * codeBlockBytes(rotatedDimensions / 4);
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
    return meanCodeBytes(this.count, this.#options.rotatedDimensions);
  }

  /** Writes all codes. */
  *writeTo(target: Uint8Array): Steps<void> {
    const encoder = new CodeEncoder(this.#options, this.#kernels);
    const { dimensions } = this.#rows.vectors;
    try {
      encoder.clearBlock();
      for (let c = 0; c < this.count; c++) {
        const position = c % CODE_BLOCK_ROWS;
        const group = Math.floor(c / MEAN_GROUP) * dimensions;
        if (c % MEAN_GROUP === 0) encoder.setMean(this.groups.slice(group, group + dimensions));
        encoder.write(this.#centroid(c), this.#rows.clusters.lengths[c], position);
        if (position < CODE_BLOCK_ROWS - 1 && c < this.count - 1) continue;
        target.set(encoder.block, Math.floor(c / CODE_BLOCK_ROWS) * encoder.block.length);
        encoder.clearBlock();
        yield;
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
        const centroid = this.#centroid(c);
        const share = this.#rows.clusters.lengths[c] / (end - start);
        for (let d = 0; d < dimensions; d++) sums[d] += share * centroid[d];
      }
      groups.set(sums, (start / MEAN_GROUP) * dimensions);
    }
    return groups;
  }

  #centroid(cluster: number): Float32Array {
    const { dimensions } = this.#rows.vectors;
    const { centroids } = this.#rows.clusters;
    return centroids.subarray(cluster * dimensions, (cluster + 1) * dimensions);
  }
}
