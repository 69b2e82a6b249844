/**
 * Tells clusters that mix rows of several groups from others. Where groups of vectors are hardly
 * larger than clusters, k-means leaves clusters with parts of two or three. Their radii are so
 * large that they may have the nearest rows of most queries (ADR 49).
 */

import type { DistanceMetric } from "../model/schema.ts";
import type { VectorReader } from "./vector-rows.ts";

/**
 * Share of the squared distances to the mean that are less from two means, from which on a cluster
 * is loose. Of vectors that lie evenly in two dimensions it is .375, in three .25, so these count
 * as loose; in the many that embeddings lie in it is far less. Of two groups of the same size,
 * whose distance is three times their radius, it is .69.
 */
const LOOSE_SHARE = 0.25;
/** Rows of the smaller part at least: some that lie apart make no group. */
const PART_ROWS_MIN = 8;
/** Rounds of finding the direction in which rows differ most. */
const AXIS_ROUNDS = 3;
/** Rounds of assigning rows to two means, and of averaging. */
const ROUNDS = 4;

/** Whether rows lie around two points much nearer than around one. Cost: some 16 reads of them. */
export function isLoose(reader: VectorReader, rows: Uint32Array, metric: DistanceMetric): boolean {
  const count = rows.length;
  if (count < 2 * PART_ROWS_MIN) return false;
  const { dimensions } = reader;
  const centred = centredRows(reader, rows, metric);
  let squares = 0;
  let farthest = 0;
  let greatest = -1;
  for (let start = 0; start < centred.length; start += dimensions) {
    let squared = 0;
    for (let d = start; d < start + dimensions; d++) squared += centred[d] ** 2;
    squares += squared;
    if (squared > greatest) [greatest, farthest] = [squared, start];
  }
  if (!(squares > 0 && Number.isFinite(squares))) return false;
  let between = longestAxis(centred, centred.slice(farthest, farthest + dimensions));
  let middle = 0;
  let share = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const parts = partAlong(centred, between, middle);
    const [a, b] = parts;
    if (a.count < PART_ROWS_MIN || b.count < PART_ROWS_MIN) return false;
    between = b.mean.map((value, d) => value - a.mean[d]);
    middle = 0;
    let apart = 0;
    for (let d = 0; d < dimensions; d++) {
      middle += (between[d] * (a.mean[d] + b.mean[d])) / 2;
      apart += between[d] ** 2;
    }
    share = (a.count * b.count * apart) / (count * squares);
  }
  return share >= LOOSE_SHARE;
}

/** The rows end to end as they count in means, less their mean. */
function centredRows(
  reader: VectorReader,
  rows: Uint32Array,
  metric: DistanceMetric,
): Float64Array {
  const { dimensions } = reader;
  const vectors = new Float64Array(rows.length * dimensions);
  const mean = new Float64Array(dimensions);
  for (let i = 0; i < rows.length; i++) {
    const vector = reader.at(rows[i]);
    const weight = reader.weightOf(rows[i], metric);
    for (let d = 0; d < dimensions; d++) {
      const value = vector[d] * weight;
      vectors[i * dimensions + d] = value;
      mean[d] += value / rows.length;
    }
  }
  for (let start = 0; start < vectors.length; start += dimensions) {
    for (let d = 0; d < dimensions; d++) vectors[start + d] -= mean[d];
  }
  return vectors;
}

/** About the direction in which centred vectors differ most, by the power method. */
function longestAxis(centred: Float64Array, from: Float64Array): Float64Array {
  const dimensions = from.length;
  let axis = from;
  for (let round = 0; round < AXIS_ROUNDS; round++) {
    const next = new Float64Array(dimensions);
    let squares = 0;
    for (let start = 0; start < centred.length; start += dimensions) {
      let along = 0;
      for (let d = 0; d < dimensions; d++) along += centred[start + d] * axis[d];
      for (let d = 0; d < dimensions; d++) next[d] += along * centred[start + d];
    }
    for (let d = 0; d < dimensions; d++) squares += next[d] ** 2;
    const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0;
    axis = next.map((value) => value * scale);
  }
  return axis;
}

/** Some rows, and their mean. */
interface Part {
  readonly count: number;
  readonly mean: Float64Array;
}

/** The rows up to a place along a direction, and those beyond. */
function partAlong(centred: Float64Array, direction: Float64Array, place: number): [Part, Part] {
  const dimensions = direction.length;
  const means = [new Float64Array(dimensions), new Float64Array(dimensions)];
  const counts = [0, 0];
  for (let start = 0; start < centred.length; start += dimensions) {
    let along = 0;
    for (let d = 0; d < dimensions; d++) along += centred[start + d] * direction[d];
    const part = along > place ? 1 : 0;
    counts[part]++;
    const mean = means[part];
    for (let d = 0; d < dimensions; d++) mean[d] += centred[start + d];
  }
  means.forEach((mean, part) => {
    for (let d = 0; d < dimensions; d++) mean[d] /= Math.max(1, counts[part]);
  });
  return [
    { count: counts[0], mean: means[0] },
    { count: counts[1], mean: means[1] },
  ];
}
