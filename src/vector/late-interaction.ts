import { assert } from "../base/assert.ts";
import type { DistanceMetric } from "../model/schema.ts";
import { isNearCosine, vectorDistance } from "./metric.ts";

/**
 * The distances of a query of several vectors from documents of several: the sum, over the query's
 * vectors, of the distance to the nearest of the document's (ColBERT's MaxSim, Khattab and Zaharia
 * 2020, with distances in place of similarities), each as `vectorDistance` gives it.
 */
export class LateInteraction {
  readonly #metric: DistanceMetric;
  readonly #queries: readonly Float32Array[];
  /** Sums of the squares of each query vector, and of the vectors of a document. */
  readonly #querySquares: Float64Array;
  #squares = new Float64Array(64);

  constructor(metric: DistanceMetric, queries: readonly Float32Array[]) {
    this.#metric = metric;
    this.#queries = queries;
    this.#querySquares = Float64Array.from(queries, (query) => squaresOf(query, 0, query.length));
  }

  /**
   * The distance of a document whose vectors lie end to end in `values`, from `start` to before
   * `end`, rounded to float32 at the end; infinite where there are none. Cost: the product of both
   * counts, times the dimensions; less for a document farther than `most`, of which any number
   * above `most` and no greater than its distance is returned.
   */
  distance(
    values: Float32Array,
    { start, end }: { readonly start: number; readonly end: number },
    most = Number.POSITIVE_INFINITY,
  ): number {
    const isCosine = this.#metric === "cosine_distance";
    const dimensions = this.#queries[0].length;
    assert((end - start) % dimensions === 0, "vectors of other dimensions than the query's");
    if (isCosine) this.#measure(values, start, end);
    let sum = 0;
    for (let q = 0; q < this.#queries.length; q++) {
      // No part of the sum is negative, and rounding keeps the order.
      if (Math.fround(sum) > most) break;
      sum += isCosine
        ? this.#nearestCosine(q, values, start, end)
        : nearestSquared(this.#queries[q], values, start, end);
    }
    return Math.fround(sum);
  }

  #measure(values: Float32Array, start: number, end: number): void {
    const dimensions = this.#queries[0].length;
    const count = (end - start) / dimensions;
    if (this.#squares.length < count) this.#squares = new Float64Array(2 * count);
    for (let i = 0, at = start; i < count; i++, at += dimensions) {
      this.#squares[i] = squaresOf(values, at, at + dimensions);
    }
  }

  #nearestCosine(q: number, values: Float32Array, start: number, end: number): number {
    const query = this.#queries[q];
    const ownSquares = this.#querySquares[q];
    let nearest = Number.POSITIVE_INFINITY;
    for (let at = start, i = 0; at < end; i++) {
      const squares = this.#squares[i];
      let dot = 0;
      for (let d = 0; d < query.length; d++, at++) dot += query[d] * values[at];
      if (ownSquares === 0 || squares === 0) {
        nearest = Math.min(nearest, 1);
        continue;
      }
      const distance = 1 - dot / Math.sqrt(ownSquares * squares);
      // Those need more than the product.
      const exact = isNearCosine(distance)
        ? vectorDistance("cosine_distance", query, values.subarray(at - query.length, at))
        : Math.fround(Math.min(distance, 2));
      nearest = Math.min(nearest, exact);
    }
    return nearest;
  }
}

function nearestSquared(
  query: Float32Array,
  values: Float32Array,
  start: number,
  end: number,
): number {
  let nearest = Number.POSITIVE_INFINITY;
  for (let at = start; at < end; ) {
    let sum = 0;
    for (let d = 0; d < query.length; d++, at++) {
      const difference = query[d] - values[at];
      sum += difference * difference;
    }
    nearest = Math.min(nearest, Math.fround(sum));
  }
  return nearest;
}

function squaresOf(values: Float32Array, start: number, end: number): number {
  let sum = 0;
  for (let at = start; at < end; at++) sum += values[at] * values[at];
  return sum;
}
