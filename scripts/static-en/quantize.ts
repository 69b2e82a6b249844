/** Four bits for each element: the nearest of 16 levels, which fit the elements best. */

import { LEVELS } from "../../src/embed/static/meaning-vectors.ts";

const ROUNDS = 30;
/** Elements that the levels are fitted to: every seventh, some hundred thousand. */
const SAMPLE_STEP = 7;

/** Levels by Lloyd's algorithm, from those of a uniform grid; and two codes a byte. */
export function quantize(elements: Float32Array): {
  readonly levels: Float32Array;
  readonly codes: Uint8Array;
} {
  const levels = fitLevels(elements);
  const codes = new Uint8Array(elements.length / 2);
  for (let i = 0; i < codes.length; i++) {
    const low = nearestLevel(levels, elements[2 * i]);
    codes[i] = low | (nearestLevel(levels, elements[2 * i + 1]) << 4);
  }
  return { levels, codes };
}

function fitLevels(elements: Float32Array): Float32Array {
  const sample = elements.filter((value, i) => i % SAMPLE_STEP === 0 && value !== 0);
  const deviation = Math.sqrt(sample.reduce((sum, x) => sum + x * x, 0) / sample.length);
  let levels = Float32Array.from(
    { length: LEVELS },
    (_, i) => deviation * 3 * ((2 * i + 1) / LEVELS - 1),
  );
  for (let round = 0; round < ROUNDS; round++) {
    const sums = new Float64Array(LEVELS);
    const counts = new Float64Array(LEVELS);
    for (const value of sample) {
      const level = nearestLevel(levels, value);
      sums[level] += value;
      counts[level]++;
    }
    const before = levels;
    levels = before.map((level, i) => (counts[i] === 0 ? level : sums[i] / counts[i]));
  }
  return levels;
}

/** Levels are ascending. */
function nearestLevel(levels: Float32Array, value: number): number {
  let level = 0;
  while (level + 1 < LEVELS && value > (levels[level] + levels[level + 1]) / 2) level++;
  return level;
}
