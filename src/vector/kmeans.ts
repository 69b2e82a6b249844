/** Lloyd's k-means over rows of vectors, with randomness from a seed: the same in every run. */

import type { Random } from "../base/random.ts";
import type { Centroids } from "./centroids.ts";
import { Means } from "./means.ts";
import type { VectorReader } from "./vector-rows.ts";

/** Rounds of assigning and averaging at most; balancing moves more vectors than later ones would. */
const ROUNDS_MAX = 8;
/** Share of the rows that a round moves to another centroid, below which it is the last (ADR 63). */
const MOVED_SHARE_MIN = 1 / 256;

/** Some rows of vectors. */
export interface RowSet {
  readonly reader: VectorReader;
  /** Numbers of the rows. */
  readonly rows: Uint32Array;
}

/**
 * Makes centroids `start` to before `end`, which are zeros, those of the rows, of which there is at
 * least one. Rows of few distinct vectors leave centroids that no row is nearest to. Cost: the rows
 * times the centroids times up to `ROUNDS_MAX` distances.
 */
export function trainCentroids(
  { reader, rows }: RowSet,
  centroids: Centroids,
  { start, end }: { readonly start: number; readonly end: number },
  random: Random,
): void {
  const { metric } = centroids.space;
  const one = new Means(1, centroids.space);
  const place = (index: number, row: number) => {
    one.clear();
    one.add(0, reader.at(row), reader.weightOf(row, metric));
    centroids.setMean(index, one, 0);
  };
  const first = sampleRows(rows, end - start, random);
  for (let index = start; index < end; index++) {
    place(index, first[(index - start) % first.length]);
  }
  const means = new Means(end - start, centroids.space);
  const assigned = new Uint32Array(rows.length).fill(end);
  let isLast = false;
  for (let round = 1; !isLast; round++) {
    means.clear();
    let moved = 0;
    for (let from = 0; from < rows.length; from += centroids.batchRows) {
      const part = rows.subarray(from, from + centroids.batchRows);
      centroids.load(reader, part);
      const nearest = centroids.nearest(start, end);
      for (let i = 0; i < part.length; i++) {
        if (assigned[from + i] !== nearest[i]) moved++;
        assigned[from + i] = nearest[i];
        means.add(nearest[i] - start, centroids.loaded(i), reader.weightOf(part[i], metric));
      }
    }
    isLast = round === ROUNDS_MAX || moved < MOVED_SHARE_MIN * rows.length;
    for (let index = start; index < end; index++) {
      if (means.counts[index - start] > 0) centroids.setMean(index, means, index - start);
      else if (!isLast) place(index, rows[random.below(rows.length)]);
    }
  }
}

/** The nearest of all centroids to each of the rows. */
export function nearestOfRows({ reader, rows }: RowSet, centroids: Centroids): Uint32Array {
  const nearest = new Uint32Array(rows.length);
  for (let from = 0; from < rows.length; from += centroids.batchRows) {
    centroids.load(reader, rows.subarray(from, from + centroids.batchRows));
    nearest.set(centroids.nearest(0, centroids.count), from);
  }
  return nearest;
}

/** Draws up to `count` of the rows, each at most once, in their order. */
export function sampleRows(rows: Uint32Array, count: number, random: Random): Uint32Array {
  if (count >= rows.length) return rows;
  const sample = new Uint32Array(count);
  // One pass: each row is taken with the share of what is still wanted of what is still left.
  for (let i = 0, taken = 0; taken < count; i++) {
    if (random.next() * (rows.length - i) < count - taken) sample[taken++] = rows[i];
  }
  return sample;
}
