import { unitVector } from "./metric.ts";
import type { VectorSpace } from "./vector-space.ts";

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

  /**
   * Writes a centroid; those of no vectors, and of directions that cancel out, stay. Returns what
   * the centroid is multiplied by to be the mean: its length for cosines, else 1.
   */
  write(index: number, target: Float32Array): number {
    const { dimensions, metric } = this.#space;
    const count = this.counts[index];
    if (count === 0) return 1;
    const mean = new Float32Array(dimensions);
    for (let d = 0; d < dimensions; d++) mean[d] = this.#sums[index * dimensions + d] / count;
    if (metric !== "cosine_distance") {
      target.set(mean);
      return 1;
    }
    let squared = 0;
    for (let d = 0; d < dimensions; d++) squared += mean[d] * mean[d];
    if (squared > 0) target.set(unitVector(mean));
    return Math.sqrt(squared);
  }

  clear(): void {
    this.#sums.fill(0);
    this.counts.fill(0);
  }
}
