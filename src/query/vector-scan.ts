/** Exact distances of a segment's vectors to a query. */

import { assert, must } from "../base/assert.ts";
import type { Ordinal } from "../base/ids.ts";
import { SCAN_ROWS_MAX } from "../base/limits.ts";
import { bitmapOrdinals, hasBit } from "../codec/bitmap.ts";
import type { ArenaKernels, RowMatrix } from "../kernel/arena-kernels.ts";
import type { Column } from "../model/columns.ts";
import type { DistanceMetric } from "../model/schema.ts";
import type { ColumnView, SegmentView, VectorPlace } from "../segment/segment-view.ts";
import { lateInteractionDistance } from "../vector/late-interaction.ts";
import {
  cosineDistance,
  cosineErrorMax,
  measureOf,
  unitVector,
  vectorDistance,
} from "../vector/metric.ts";
import { andBits, type OrdinalBits, presenceBits } from "./ordinal-bits.ts";
import type { VectorTarget } from "./plan.ts";
import type { WorkCounters } from "./work-counters.ts";

/** What a scan works with. */
export interface VectorScan {
  readonly target: VectorTarget;
  /**
   * `scan` reads all rows in order and skips the others' scores, `gather` reads the wanted ones.
   */
  readonly access: "scan" | "gather";
  readonly kernels: ArenaKernels;
  readonly work: WorkCounters;
}

/**
 * Calls `visit` with the distance, rounded to float32, of each document in `within` with a vector.
 */
export function scanVectors(
  scan: VectorScan,
  view: SegmentView,
  within: OrdinalBits,
  visit: (ordinal: number, distance: number) => void,
): void {
  const { target, work } = scan;
  const found = view.column(target.attribute);
  if (found === undefined) return;
  const candidates = andBits(presenceBits(found.column.presence, view.documentCount), within);
  const counted = (ordinal: number, distance: number): void => {
    work.vectorsScored++;
    visit(ordinal, finite(distance));
  };
  if (target.query instanceof Float32Array) {
    const place = must(found.vectors, "dense vectors have no place");
    const rows = { column: found, place, count: view.documentCount };
    scanDense(scan, rows, candidates, counted);
  } else {
    scanMulti(target.query, target.metric, found.column, { candidates, visit: counted });
  }
}

interface Rows {
  readonly column: ColumnView;
  readonly place: VectorPlace;
  readonly count: number;
}

type Visit = (ordinal: number, distance: number) => void;

function scanDense(scan: VectorScan, rows: Rows, candidates: OrdinalBits, visit: Visit): void {
  const { target, kernels } = scan;
  const { metric } = target;
  const matrix = matrixOf(rows);
  const measure = measureOf(metric);
  const query = target.query as Float32Array;
  kernels.setQuery(matrix, metric === "cosine_distance" ? unitVector(query) : query);
  const distance = distanceReader(metric, query, rows);
  if (scan.access === "scan") {
    for (let start = 0; start < rows.count; start += SCAN_ROWS_MAX) {
      const end = Math.min(start + SCAN_ROWS_MAX, rows.count);
      const scores = kernels.scoreRange(measure, matrix, start, end);
      for (let o = start; o < end; o++) {
        if (!hasBit(candidates, o)) continue;
        visit(o, distance(o, scores[o - start]));
      }
    }
    return;
  }
  const ordinals = bitmapOrdinals(candidates);
  for (let start = 0; start < ordinals.length; start += SCAN_ROWS_MAX) {
    const part = ordinals.subarray(start, start + SCAN_ROWS_MAX);
    const scores = kernels.scoreRows(measure, matrix, part);
    for (let i = 0; i < part.length; i++) {
      visit(part[i], distance(part[i], scores[i]));
    }
  }
}

function matrixOf({ column, place, count }: Rows): RowMatrix {
  const { type } = column.column;
  assert(type.kind === "vector", "rows of no dense vectors");
  const { arena, offset, strideBytes } = place;
  return {
    block: { arena, offset, bytes: count * strideBytes },
    start: 0,
    format: type.element,
    dimensions: type.dimensions,
    strideBytes,
  };
}

/** From the kernel's measure to the distance, rounded to float32. */
function distanceReader(
  metric: DistanceMetric,
  query: Float32Array,
  { column, place }: Rows,
): (ordinal: number, score: number) => number {
  if (metric === "euclidean_squared") return (_ordinal, score) => score;
  const { inverseNorms } = place;
  const errorMax = cosineErrorMax(query.length);
  return (ordinal, score) => {
    const distance = cosineDistance(score, inverseNorms[ordinal], errorMax);
    if (distance >= 0) return distance;
    return vectorDistance(metric, query, column.value(ordinal as Ordinal) as Float32Array);
  };
}

/** Documents without any vector have no distance. */
function scanMulti(
  queries: readonly Float32Array[],
  metric: DistanceMetric,
  { data }: Column,
  { candidates, visit }: { readonly candidates: OrdinalBits; readonly visit: Visit },
): void {
  assert(data.kind === "multi_vector", "several query vectors for another type");
  const { offsets, values, dimensions } = data;
  for (const ordinal of bitmapOrdinals(candidates)) {
    const start = offsets[ordinal] * dimensions;
    const end = offsets[ordinal + 1] * dimensions;
    if (start === end) continue;
    visit(ordinal, lateInteractionDistance(metric, queries, values.subarray(start, end)));
  }
}

/** Greatest finite float32. */
const FLOAT32_MAX = 3.4028234663852886e38;

/** Distances that overflow are the farthest, so that they can be ordered and printed. */
function finite(distance: number): number {
  return distance <= FLOAT32_MAX ? distance : FLOAT32_MAX;
}
