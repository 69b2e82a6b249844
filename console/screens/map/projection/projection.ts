/** Vectors as they arrive, and their projection onto the axes along which they differ the most. */

import { seededRandom } from "../../../../src/base/random.ts";
import {
  type PrincipalComponents,
  principalComponents,
  project,
  type VectorMatrix,
} from "./principal-components.ts";

/** Vectors that the components are made of; their directions change little with more. */
const FITTED_MAX = 2048;
/** UMAP sees this many dimensions. */
export const COMPONENTS = 32;

/** A projection of all vectors. */
export interface Projected {
  /** So many numbers for each vector, in the order in which they came. */
  readonly coordinates: Float32Array;
  readonly axes: number;
  /** Share of the variance along each axis. */
  readonly shares: readonly number[];
}

/** See the file's head. */
export class Projection {
  readonly #dims: number;
  readonly #chunks: Float32Array[] = [];
  /** Components for so many axes; a map's two are found several times sooner than UMAP's. */
  readonly #fitted = new Map<number, PrincipalComponents>();

  constructor(dims: number) {
    this.#dims = dims;
  }

  /** Takes vectors, one behind the other; they are kept, not copied. */
  add(vectors: Float32Array): void {
    this.#chunks.push(vectors);
    this.#fitted.clear();
  }

  /** How many vectors there are. */
  get count(): number {
    return this.#chunks.reduce((sum, chunk) => sum + chunk.length / this.#dims, 0);
  }

  /** Projects all of them onto the first `axes` components. The same vectors give the same map. */
  project(axes: number): Projected {
    const fitted =
      this.#fitted.get(axes) ?? principalComponents(this.#spread(), axes, seededRandom(1));
    this.#fitted.set(axes, fitted);
    const coordinates = new Float32Array(this.count * axes);
    let offset = 0;
    for (const chunk of this.#chunks) {
      const part = project(this.#matrix(chunk), fitted, axes);
      coordinates.set(part, offset);
      offset += part.length;
    }
    const { variances, totalVariance } = fitted;
    const shares = variances
      .slice(0, axes)
      .map((variance) => (totalVariance === 0 ? 0 : variance / totalVariance));
    return { coordinates, axes, shares };
  }

  /** Vectors at equal distances over all of them. */
  #spread(): VectorMatrix {
    const { count } = this;
    const fitted = Math.min(count, FITTED_MAX);
    const values = new Float32Array(fitted * this.#dims);
    let taken = 0;
    let before = 0;
    for (const chunk of this.#chunks) {
      const inChunk = chunk.length / this.#dims;
      for (; taken < fitted; taken++) {
        const at = Math.floor((taken * count) / fitted) - before;
        if (at >= inChunk) break;
        const vector = chunk.subarray(at * this.#dims, (at + 1) * this.#dims);
        values.set(vector, taken * this.#dims);
      }
      before += inChunk;
    }
    return { values, count: fitted, dims: this.#dims };
  }

  #matrix(values: Float32Array): VectorMatrix {
    return { values, count: values.length / this.#dims, dims: this.#dims };
  }
}
