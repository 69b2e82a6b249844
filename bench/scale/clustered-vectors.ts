/** Vectors around centres, as those of embeddings are, drawn one after the other. */

import { type Random, seededRandom } from "../../src/base/random.ts";

/** As many documents lie around each centre, however many there are. */
const DOCUMENTS_PER_CENTRE = 250;
/** Directions that they lie in, far fewer than their dimensions. */
const LATENT = 32;
const SPACE_SEED = 21;

/** A vector of length 1, and the centre that it was drawn around. */
export interface ClusteredVector {
  readonly vector: Float32Array;
  readonly centre: number;
}

/** A space of vectors. */
export interface VectorSpace {
  readonly dimensions: number;
  readonly centres: number;
}

/** How many centres so many documents have. */
export function centresOf(documents: number): number {
  return Math.ceil(documents / DOCUMENTS_PER_CENTRE);
}

/** Draws of one space; the seed says which draws. */
export class ClusteredVectors {
  readonly #dimensions: number;
  readonly #centreCount: number;
  readonly #random: Random;
  /** By latent direction, then by dimension. */
  readonly #directions: Float32Array;
  readonly #centres: Float32Array;

  constructor({ dimensions, centres }: VectorSpace, seed: number) {
    const space = seededRandom(SPACE_SEED);
    this.#dimensions = dimensions;
    this.#centreCount = centres;
    this.#random = seededRandom(seed);
    this.#directions = Float32Array.from({ length: LATENT * dimensions }, () => normal(space));
    this.#centres = Float32Array.from({ length: centres * LATENT }, () => normal(space));
  }

  next(): ClusteredVector {
    const random = this.#random;
    const dimensions = this.#dimensions;
    const centre = random.below(this.#centreCount);
    const vector = new Float32Array(dimensions);
    for (let d = 0; d < dimensions; d++) vector[d] = 0.5 * normal(random);
    for (let i = 0; i < LATENT; i++) {
      const share = this.#centres[centre * LATENT + i] + 0.6 * normal(random);
      const from = i * dimensions;
      for (let d = 0; d < dimensions; d++) vector[d] += share * this.#directions[from + d];
    }
    let squares = 0;
    for (let d = 0; d < dimensions; d++) squares += vector[d] * vector[d];
    const scale = 1 / Math.sqrt(squares);
    for (let d = 0; d < dimensions; d++) vector[d] *= scale;
    return { vector, centre };
  }
}

/** Nearly normal, with a deviation of a half. */
function normal(random: Random): number {
  return random.next() + random.next() + random.next() - 1.5;
}
