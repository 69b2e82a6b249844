import { type Random, seededRandom } from "../../../src/base/random.ts";

/** Draws one vector. */
export type DrawVector = (random: Random, dimensions: number) => Float32Array;

/** A vector of what `element` gives for each dimension. */
export function vectorOf(dimensions: number, element: (d: number) => number): Float32Array {
  const vector = new Float32Array(dimensions);
  for (let d = 0; d < dimensions; d++) vector[d] = element(d);
  return vector;
}

/** Elements between -0.5 and 0.5. */
export function uniformVector(random: Random, dimensions: number): Float32Array {
  return vectorOf(dimensions, () => random.next() - 0.5);
}

/** What vectors may be like. */
export const VECTOR_KINDS: Readonly<Record<string, DrawVector>> = {
  anywhere: uniformVector,
  "few different ones": (random, dimensions) => {
    const same = seededRandom(random.below(3));
    return vectorOf(dimensions, () => same.next() - 0.5);
  },
  "nearly one": (random, dimensions) =>
    vectorOf(dimensions, (d) => Math.sin(d) + 1e-6 * (random.next() - 0.5)),
  "half of them zero": (random, dimensions) =>
    random.below(2) === 0 ? new Float32Array(dimensions) : uniformVector(random, dimensions),
  "of all lengths": (random, dimensions) => {
    const size = 10 ** (random.below(61) - 30);
    return uniformVector(random, dimensions).map((value) => value * size);
  },
  "too long for distances": (random, dimensions) =>
    uniformVector(random, dimensions).map((value) => value * 1e30),
  whole: (random, dimensions) => vectorOf(dimensions, () => random.below(3)),
};

/** The vector with its elements rounded to float16, and none that is infinite there. */
export function roundedToF16(vector: Float32Array): Float32Array {
  return new Float32Array(new Float16Array(vector.map((x) => Math.max(-6e4, Math.min(x, 6e4)))));
}
