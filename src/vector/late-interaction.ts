import { assert } from "../base/assert.ts";
import type { DistanceMetric } from "../model/schema.ts";
import { vectorDistance } from "./metric.ts";

/**
 * The distance of a query of several vectors from a document of several, which lie end to end in
 * `vectors`: the sum, over the query's vectors, of the distance to the nearest of the document's
 * (ColBERT's MaxSim, Khattab and Zaharia 2020, with distances in place of similarities). Rounded to
 * float32 at the end. A document without vectors is infinitely far. Cost: the product of both
 * counts, times the dimensions; less for a document farther than `most`, of which any number above
 * `most` and no greater than its distance is returned.
 */
export function lateInteractionDistance(
  metric: DistanceMetric,
  queries: readonly Float32Array[],
  vectors: Float32Array,
  most = Number.POSITIVE_INFINITY,
): number {
  let sum = 0;
  for (const query of queries) {
    // No part of the sum is negative, and rounding keeps the order.
    if (Math.fround(sum) > most) break;
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
