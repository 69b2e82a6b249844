/** From bags of stems to how much more often two stems stand together than by chance. */

import type { SparseMatrix } from "./sparse-matrix.ts";
import type { Bag } from "./training-bags.ts";

/** Chance is counted from frequencies to this power (Levy et al. 2015): rare stems count less. */
const SMOOTHING = 0.75;
/** Bags of fewer stems count as if they had so many. */
const BAG_STEMS_MIN = 4;

/**
 * Positive pointwise mutual information of all pairs of stems, the mean of both directions; stems
 * have their places in `places`, others are left out.
 */
export function mutualInformation(
  bags: readonly Bag[],
  places: ReadonlyMap<string, number>,
): SparseMatrix {
  const { size, columns, values } = countPairs(bags, places);
  const sums = values.map((row) => row.reduce((sum, value) => sum + value, 0));
  const smoothed = sums.map((sum) => sum ** SMOOTHING);
  const total = smoothed.reduce((sum, value) => sum + value, 0);
  const kept: { columns: Int32Array[]; values: Float32Array[] } = { columns: [], values: [] };
  for (let row = 0; row < size; row++) {
    const information = values[row].map((together, i) => {
      const column = columns[row][i];
      const there = Math.log((together / sums[row] / smoothed[column]) * total);
      const back = Math.log((together / sums[column] / smoothed[row]) * total);
      return (Math.max(there, 0) + Math.max(back, 0)) / 2;
    });
    kept.columns.push(columns[row].filter((_, i) => information[i] > 0));
    kept.values.push(information.filter((value) => value > 0));
  }
  return { size, ...kept };
}

/** How often each pair is together, by the weights of both in each bag and the bag's size. */
function countPairs(bags: readonly Bag[], places: ReadonlyMap<string, number>): SparseMatrix {
  const size = places.size;
  const kept = bags.map((bag) => placed(bag, places)).filter(({ rows }) => rows.length > 1);
  const bagsOfRow: number[][] = Array.from({ length: size }, () => []);
  kept.forEach(({ rows }, i) => {
    for (const row of rows) bagsOfRow[row].push(i);
  });
  const sums = new Float32Array(size);
  const columns: Int32Array[] = [];
  const values: Float32Array[] = [];
  for (let row = 0; row < size; row++) {
    const met: number[] = [];
    for (const i of bagsOfRow[row]) {
      const { rows, weights } = kept[i];
      const own = weights[rows.indexOf(row)];
      for (let j = 0; j < rows.length; j++) {
        if (rows[j] === row) continue;
        if (sums[rows[j]] === 0) met.push(rows[j]);
        sums[rows[j]] += own * weights[j];
      }
    }
    met.sort((a, b) => a - b);
    columns.push(Int32Array.from(met));
    values.push(Float32Array.from(met, (column) => sums[column]));
    for (const column of met) sums[column] = 0;
  }
  return { size, columns, values };
}

/** Larger bags say less of each pair. */
function placed(bag: Bag, places: ReadonlyMap<string, number>) {
  const known = [...bag].filter(([stem]) => places.has(stem));
  const scale = 1 / Math.sqrt(Math.max(known.length, BAG_STEMS_MIN));
  const rows = Int32Array.from(known, ([stem]) => places.get(stem) ?? 0);
  return { rows, weights: Float32Array.from(known, ([, weight]) => weight * scale) };
}
