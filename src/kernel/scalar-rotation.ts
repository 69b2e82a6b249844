import { transformedCount, transformScale } from "./rotation.ts";

const ROOT_HALF = Math.fround(Math.SQRT1_2);

/** The same as the kernels' rotation, in plain TypeScript: changes the vector; see `rotation.ts`. */
export function rotateVector(vector: Float32Array, signs: Uint8Array, rounds: number): void {
  const dimensions = vector.length;
  const count = transformedCount(dimensions);
  for (let round = 0; round < rounds; round++) {
    const bits = signs.subarray((round * dimensions) / 8);
    for (let i = 0; i < dimensions; i++) {
      if ((bits[i >> 3] >> (i & 7)) & 1) vector[i] = -vector[i];
    }
    const first = round % 2 === 1 ? dimensions - count : 0;
    transform(vector.subarray(first, first + count));
    if (count < dimensions) mixHalves(vector);
  }
}

// What is stored to a Float32Array is rounded.
function transform(vector: Float32Array): void {
  const count = vector.length;
  const scale = transformScale(count);
  for (let step = 1; step < count; step *= 2) {
    for (let i = 0; i < count; i++) {
      if ((i & step) !== 0) continue;
      const [a, b] = [vector[i], vector[i + step]];
      vector[i] = a + b;
      vector[i + step] = a - b;
    }
  }
  for (let i = 0; i < count; i++) vector[i] *= scale;
}

function mixHalves(vector: Float32Array): void {
  const half = vector.length / 2;
  for (let i = 0; i < half; i++) {
    const [a, b] = [vector[i], vector[i + half]];
    vector[i] = Math.fround(a + b) * ROOT_HALF;
    vector[i + half] = Math.fround(a - b) * ROOT_HALF;
  }
}
