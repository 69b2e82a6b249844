/** UMAP (McInnes, Healy and Melville, 2018) of points that are already in few dimensions. */

import { UMAP } from "umap-js";
import type { Random } from "../../../../src/base/random.ts";

/** Neighbours that the shape is made of, and how close points may come: UMAP's usual values. */
const NEIGHBOURS = 15;
const CLOSEST = 0.1;
/** Distances between two tellings: some tenths of a second. */
const DISTANCES_PER_TELLING = 2_000_000;
/** Fewer points have no neighbourhoods. */
const UMAP_POINTS_MIN = 5;

/** What is told while it runs. */
export interface UmapProgress {
  /** Neighbours are looked for; so many distances were computed. */
  readonly onDistances: (count: number) => void;
  /** Round `epoch` of `epochs` is over; `positions` gives two numbers a point, as they are now. */
  readonly onEpoch: (epoch: number, epochs: number, positions: () => Float32Array) => void;
}

/**
 * Places points in the plane so that near ones are near; `axes` numbers a point in, two out. The
 * same randomness gives the same map. Points that are all the same are placed once: the library
 * takes quadratic time for many of them.
 */
export function runUmap(
  coordinates: Float32Array,
  axes: number,
  { random, onDistances, onEpoch }: UmapProgress & { readonly random: Random },
): Float32Array {
  const { rows, rowOf } = distinctRows(coordinates, axes);
  if (rows.length < UMAP_POINTS_MIN) {
    throw new Error(
      `UMAP needs ${UMAP_POINTS_MIN} different vectors, and there are ${rows.length}`,
    );
  }
  let distances = 0;
  const umap = new UMAP({
    nNeighbors: Math.min(NEIGHBOURS, rows.length - 1),
    minDist: CLOSEST,
    random: random.next,
    distanceFn: (a, b) => {
      if (++distances % DISTANCES_PER_TELLING === 0) onDistances(distances);
      return euclidean(a, b);
    },
  });
  const epochs = umap.initializeFit(rows);
  const positions = () => spreadOut(umap.getEmbedding(), rowOf);
  for (let epoch = 1; epoch <= epochs; epoch++) {
    umap.step();
    onEpoch(epoch, epochs, positions);
  }
  return positions();
}

/** Each different point once, and for every point which of them it is. */
export function distinctRows(
  coordinates: Float32Array,
  axes: number,
): { readonly rows: number[][]; readonly rowOf: Uint32Array } {
  const rows: number[][] = [];
  const known = new Map<string, number>();
  const rowOf = Uint32Array.from({ length: coordinates.length / axes }, (_, i) => {
    const row = coordinates.subarray(i * axes, (i + 1) * axes);
    const key = row.join();
    const before = known.get(key);
    if (before !== undefined) return before;
    known.set(key, rows.length);
    return rows.push([...row]) - 1;
  });
  return { rows, rowOf };
}

function spreadOut(embedding: readonly (readonly number[])[], rowOf: Uint32Array): Float32Array {
  const positions = new Float32Array(rowOf.length * 2);
  rowOf.forEach((row, i) => {
    positions[i * 2] = embedding[row][0];
    positions[i * 2 + 1] = embedding[row][1];
  });
  return positions;
}

function euclidean(a: readonly number[], b: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] - b[i]) ** 2;
  return Math.sqrt(sum);
}
