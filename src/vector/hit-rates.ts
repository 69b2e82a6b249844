/**
 * How often rows of a cluster are among the nearest to a vector, by how far away the cluster is.
 * Far means the gap between the cluster's mean and the ball around the query that has the results,
 * (√distance − √worst) / √radius, in the length that the cluster's rows have from their mean. How
 * often rows across so wide a gap are hits depends on the data: whether they lie in groups, how
 * many of them are in a cluster, and how many dimensions count. So it is measured, with rows as
 * queries.
 */

import { KIB, MIB } from "../base/byte-sizes.ts";
import { KthLeast } from "../base/numbers/kth-least.ts";
import { seededRandom } from "../base/random.ts";
import type { Steps } from "../base/steps.ts";
import { SCAN_ROWS_MAX } from "../kernel/kernel.ts";
import { BINS_PER_GAP, FIRST_GAP, RATE_BINS } from "../kernel/rate-scan.ts";
import type { KernelSpace } from "./centroids.ts";
import type { ClusterShapes, CodedRows } from "./coded-rows.ts";
import { measureOf } from "./metric.ts";
import { BOUND_DEVIATIONS, boundShare, rotatedDimensions } from "./one-bit-codes.ts";
import { VectorReader } from "./vector-rows.ts";

/** Rows that are taken as queries; each is compared with all. */
const SAMPLE_ROWS = 128;
/** Rows that are compared with all at once: what is read from memory serves each of them. */
const QUERIES_AT_ONCE = 8;
/** Distances that are kept for that; of many rows, those of fewer queries. */
const DISTANCES_BYTES_MAX = 16 * MIB;
/** Bytes of rows that they are compared with in turn: they stay in a core's second cache. */
const ROWS_AT_ONCE_BYTES = 256 * KIB;
/** How many of the nearest are looked for, in turns: a segment has a share of what is wanted. */
const WANTED = [2, 10] as const;
/** Hits that a bin has beside those that were seen, so that none seems to be impossible. */
const UNSEEN_HITS = 0.5 / RATE_BINS;
/** Clusters of each segment that a walk looks into first, by distance: no rate tells of them. */
export const FIRST_CLUSTERS = 4;
/**
 * How far estimates are off from row to row, as a share of the deviation that bounds are told by:
 * with this one as many results are missed as are expected, also where vectors have no structure
 * and the worst result is the least of thousands of bounds (ADR 50).
 */
const NOISE_SHARE = 0.7;
/** Upper bounds by draw, in the unit of what bounds are above estimates. */
const BOUND_DRAWS = boundDraws(1_021);
/** Clusters that are counted between two pauses. */
const CLUSTERS_PER_STEP = 64;

/** The bin of a gap; what float32 cannot tell is in the first one. */
export function rateBin(gap: number): number {
  const bin = (gap - FIRST_GAP) * BINS_PER_GAP;
  if (bin >= RATE_BINS) return RATE_BINS - 1;
  return bin > 0 ? bin | 0 : 0;
}

/**
 * Measures the rates of rows that are in an arena; of others all may be hits. Cost: the distances
 * of SAMPLE_ROWS rows from all, `atOnceMax` of which are measured together; they are the same then.
 */
export function* measureHitRates(
  rows: CodedRows,
  shapes: ClusterShapes,
  { kernels }: KernelSpace,
  atOnceMax = QUERIES_AT_ONCE,
): Steps<Float32Array> {
  const { vectors, clusters } = rows;
  const { order, starts } = clusters;
  if (vectors.place === undefined || order.length === 0) return new Float32Array(RATE_BINS).fill(1);
  const samples = samplesOf(rows);
  const counts = new RateCounts();
  const all = Math.floor(vectors.bytes.length / vectors.strideBytes);
  const fitting = Math.floor(DISTANCES_BYTES_MAX / (all * Float64Array.BYTES_PER_ELEMENT));
  const atOnce = Math.max(1, Math.min(fitting, atOnceMax));
  const distances = Array.from({ length: atOnce }, () => new Float64Array(all));
  let own = 0;
  for (let first = 0; first < samples.length; first += atOnce) {
    const group = samples.slice(first, first + atOnce);
    yield* measureDistances(rows, { group, distances }, kernels);
    for (const [i, { at, query, wanted }] of group.entries()) {
      distances[i][order[at]] = Number.POSITIVE_INFINITY; // The row itself.
      while (starts[own + 1] <= at) own++;
      yield* counts.add(rows, shapes, { query, own, distances: distances[i], wanted });
    }
  }
  return counts.rates();
}

/** A row that is taken as a query. */
interface Sample {
  /** Its position in the order of clusters. */
  readonly at: number;
  /** For cosines of length 1. */
  readonly query: Float32Array;
  /** How many of the nearest are looked for. */
  readonly wanted: number;
}

function samplesOf({ vectors, metric, clusters: { order } }: CodedRows): Sample[] {
  const reader = new VectorReader(vectors);
  const samples: Sample[] = [];
  const step = Math.max(1, Math.floor(order.length / SAMPLE_ROWS));
  for (let at = step >> 1, turn = 0; at < order.length; at += step, turn++) {
    const weight = reader.weightOf(order[at], metric);
    if (weight === 0) continue;
    const query = reader.at(order[at]).map((value) => value * weight);
    samples.push({ at, query, wanted: WANTED[turn % WANTED.length] });
  }
  return samples;
}

/** Fills in the squared distances of all rows from each query, some rows for all queries in turn. */
function* measureDistances(
  { vectors, metric }: CodedRows,
  { group, distances }: { group: readonly Sample[]; distances: readonly Float64Array[] },
  kernels: KernelSpace["kernels"],
): Steps<void> {
  const { dimensions, strideBytes, format, bytes, place, inverseNorms } = vectors;
  if (place === undefined) return;
  const block = { ...place, bytes: bytes.length };
  const matrix = { block, start: 0, format, dimensions, strideBytes } as const;
  const all = distances[0].length;
  const rowsAtOnce = Math.min(SCAN_ROWS_MAX, Math.ceil(ROWS_AT_ONCE_BYTES / strideBytes));
  for (let start = 0; start < all; start += rowsAtOnce) {
    const end = Math.min(start + rowsAtOnce, all);
    for (const [q, { query }] of group.entries()) {
      kernels.setQuery(matrix, query);
      const scores = kernels.scoreRange(measureOf(metric), matrix, start, end);
      const target = distances[q];
      if (metric !== "cosine_distance") target.set(scores, start);
      else
        for (let i = start; i < end; i++) target[i] = 2 - 2 * scores[i - start] * inverseNorms[i];
    }
    yield;
  }
}

/** Rows and hits by bin. */
class RateCounts {
  readonly #rows = new Float64Array(RATE_BINS);
  readonly #hits = new Float64Array(RATE_BINS).fill(UNSEEN_HITS);

  /** Counts what a query finds, whose squared distances from all rows are known. */
  *add(
    { clusters }: CodedRows,
    shapes: ClusterShapes,
    of: {
      readonly query: Float32Array;
      /** Its own cluster. */
      readonly own: number;
      readonly distances: Float64Array;
      readonly wanted: number;
    },
  ): Steps<void> {
    const { starts, order, centroids } = clusters;
    const { query, distances } = of;
    const count = starts.length - 1;
    const fars = new Float64Array(count);
    const nearest = new KthLeast(of.wanted);
    const bounds = new KthLeast(of.wanted);
    const share = boundShare(rotatedDimensions(query.length));
    for (let c = 0; c < count; c++) {
      const length = shapes.lengths[c];
      let far = 0;
      for (let d = 0, i = c * query.length; d < query.length; d++, i++) {
        const difference = query[d] - length * centroids[i];
        far += difference * difference;
      }
      // As far as it would be if the row were not one of those that the mean is of.
      const size = starts[c + 1] - starts[c];
      if (c === of.own && size > 1) far *= (size / (size - 1)) ** 2;
      fars[c] = far;
      const error = share * Math.sqrt(far * shapes.radii[c]);
      for (let at = starts[c]; at < starts[c + 1]; at++) {
        nearest.offer(distances[order[at]]);
        bounds.offer(distances[order[at]] + error * BOUND_DRAWS[at % BOUND_DRAWS.length]);
      }
      if (c % CLUSTERS_PER_STEP === 0) yield;
    }
    if (bounds.worst === Number.POSITIVE_INFINITY) return;
    const first = new KthLeast(Math.min(count, FIRST_CLUSTERS));
    for (const far of fars) first.offer(far);
    // A walk knows the worst result by its bound.
    const worst = Math.sqrt(Math.max(bounds.worst, 0));
    for (let c = 0; c < count; c++) {
      if (fars[c] <= first.worst) continue;
      const bin = rateBin((Math.sqrt(fars[c]) - worst) / Math.sqrt(shapes.radii[c]));
      this.#rows[bin] += starts[c + 1] - starts[c];
      for (let at = starts[c]; at < starts[c + 1]; at++) {
        if (distances[order[at]] <= nearest.worst) this.#hits[bin]++;
      }
      if (c % CLUSTERS_PER_STEP === 0) yield;
    }
  }

  /** Falling rates: bins that would rise are joined (pool adjacent violators). */
  rates(): Float32Array {
    const pools: { hits: number; rows: number; bins: number }[] = [];
    for (let bin = 0; bin < RATE_BINS; bin++) {
      let pool = { hits: this.#hits[bin], rows: this.#rows[bin], bins: 1 };
      for (let last = pools.at(-1); last !== undefined && isRise(last, pool); last = pools.at(-1)) {
        pools.pop();
        pool = {
          hits: last.hits + pool.hits,
          rows: last.rows + pool.rows,
          bins: last.bins + pool.bins,
        };
      }
      pools.push(pool);
    }
    const rates = new Float32Array(RATE_BINS);
    let bin = 0;
    for (const { hits, rows, bins } of pools) {
      rates.fill(rows === 0 ? 1 : Math.min(1, hits / rows), bin, bin + bins);
      bin += bins;
    }
    return rates;
  }
}

function isRise(
  before: { readonly hits: number; readonly rows: number },
  after: { readonly hits: number; readonly rows: number },
): boolean {
  return before.hits * after.rows <= after.hits * before.rows;
}

/** What bounds are above true distances, where estimates are off by normal numbers. */
function boundDraws(count: number): Float64Array {
  const random = seededRandom(1);
  return Float64Array.from({ length: count }, () => {
    // Box and Muller's transform.
    const radius = Math.sqrt(-2 * Math.log(1 - random.next()));
    const noise = radius * Math.cos(2 * Math.PI * random.next());
    return 1 + (NOISE_SHARE * noise) / BOUND_DEVIATIONS;
  });
}
