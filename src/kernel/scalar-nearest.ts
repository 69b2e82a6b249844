import type { Measure } from "./kernel.ts";
import type { NearestScan } from "./nearest-scan.ts";

const LANES = 4;
/** Elements that go to lane sums at a time. */
const STEP = 8;

/** The same as the kernels' search for the nearest rows, in plain TypeScript. */
export function nearestRows(buffer: ArrayBufferLike, measure: Measure, scan: NearestScan): void {
  const { dimensions, count, rowCount, few } = scan;
  const gather = new Uint32Array(buffer, scan.gather, count);
  const lanes = new Float32Array(LANES);
  for (let r = 0; r < rowCount; r++) {
    const row = new Float32Array(buffer, scan.rows + 4 * r * dimensions, dimensions);
    for (const v of gather) {
      const vector = new Float32Array(buffer, scan.vectors + 4 * v * dimensions, dimensions);
      const sum = sumOf(measure, { vector, row, lanes });
      insertNearest(measure === "dot" ? sum : -sum, scan.firstRow + r, {
        closenesses: new Float32Array(buffer, scan.closenesses + 4 * v * few, few),
        found: new Uint32Array(buffer, scan.found + 4 * v * few, few),
      });
    }
  }
}

/** Puts a row into a list of the nearest ones, where it is nearer than the last. */
export function insertNearest(
  closeness: number,
  row: number,
  list: { readonly closenesses: Float32Array; readonly found: Uint32Array },
): void {
  const { closenesses, found } = list;
  let at = closenesses.length - 1;
  if (!(closeness > closenesses[at])) return;
  for (; at > 0 && closeness > closenesses[at - 1]; at--) {
    closenesses[at] = closenesses[at - 1];
    found[at] = found[at - 1];
  }
  closenesses[at] = closeness;
  found[at] = row;
}

function sumOf(
  measure: Measure,
  pair: { readonly vector: Float32Array; readonly row: Float32Array; readonly lanes: Float32Array },
): number {
  const { vector, row, lanes } = pair;
  const { fround } = Math;
  const term = (i: number) => {
    if (measure === "dot") return fround(vector[i] * row[i]);
    const difference = fround(vector[i] - row[i]);
    return fround(difference * difference);
  };
  const lanesEnd = row.length - (row.length % STEP);
  lanes.fill(0);
  // A sum stored to a Float32Array is rounded, so only the rest needs Math.fround.
  for (let i = 0; i < lanesEnd; i++) lanes[i % LANES] += term(i);
  const joined = fround(fround(lanes[0] + lanes[2]) + fround(lanes[1] + lanes[3]));
  if (lanesEnd === row.length) return joined;
  let rest = 0;
  for (let i = lanesEnd; i < row.length; i++) rest = fround(rest + term(i));
  return fround(joined + rest);
}
