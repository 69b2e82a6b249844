import { assert } from "../base/assert.ts";
import type { DistanceMetric } from "../model/schema.ts";
import { vectorDistance } from "./metric.ts";

/**
 * The distance of a query of several vectors from a document of several, which lie end to end in
 * `vectors`: the sum, over the query's vectors, of the distance to the nearest of the document's
 * (ColBERT's MaxSim, Khattab and Zaharia 2020, with distances in place of similarities). Rounded to
 * float32 at the end. A document without vectors is infinitely far. Cost: the product of both
 * counts, times the dimensions.
 */
export function lateInteractionDistance(
  metric: DistanceMetric,
  queries: readonly Float32Array[],
  vectors: Float32Array,
): number {
  let sum = 0;
  for (const query of queries) {
    assert(vectors.length % query.length === 0, "vectors of other dimensions than the query's");
    let nearest = Number.POSITIVE_INFINITY;
    for (let start = 0; start < vectors.length; start += query.length) {
      const vector = vectors.subarray(start, start + query.length);
      nearest = Math.min(nearest, vectorDistance(metric, query, vector));
    }
    sum += nearest;
  }
  return Math.fround(sum);
}

/**
 * The same from kernel scores turned to distances: `distances` holds, for each query vector in
 * turn, the distance to each of the `count` vectors of one document.
 */
export function sumOfNearest(distances: Float32Array, count: number): number {
  assert(count > 0 && distances.length % count === 0, "distances of a broken shape");
  let sum = 0;
  for (let start = 0; start < distances.length; start += count) {
    let nearest = distances[start];
    for (let i = start + 1; i < start + count; i++) nearest = Math.min(nearest, distances[i]);
    sum += nearest;
  }
  return Math.fround(sum);
}
