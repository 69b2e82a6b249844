import type { DistanceMetric } from "../model/schema.ts";
import type { RowClusters } from "./cluster-rows.ts";
import type { VectorRows } from "./vector-rows.ts";

/**
 * How the rows of clusters lie around their means, by cluster. For cosines the rows are of length 1
 * here, and a mean is its cluster's centroid times `lengths`; else it is the centroid.
 */
export interface ClusterShapes {
  /** Lengths of the means for cosines, else 1. */
  readonly lengths: Float32Array;
  /** Mean squared distance of the rows from the mean. */
  readonly radii: Float32Array;
}

/** What codes are made of. */
export interface CodedRows {
  readonly vectors: VectorRows;
  readonly metric: DistanceMetric;
  readonly clusters: RowClusters;
}

/** The mean of all rows, for cosines of rows of length 1; zeros if there are none. */
export function meanOf(rows: CodedRows): Float32Array {
  const { starts, lengths } = rows.clusters;
  const sums = new Float64Array(rows.vectors.dimensions);
  const count = starts[starts.length - 1];
  if (count === 0) return Float32Array.from(sums);
  for (let c = 0; c < starts.length - 1; c++) {
    const share = ((starts[c + 1] - starts[c]) / count) * lengths[c];
    const centroid = centroidOf(rows, c);
    for (let d = 0; d < sums.length; d++) sums[d] += share * centroid[d];
  }
  return Float32Array.from(sums);
}

/** The centroid of a cluster: a view. */
export function centroidOf({ vectors, clusters }: CodedRows, cluster: number): Float32Array {
  const { dimensions } = vectors;
  return clusters.centroids.subarray(cluster * dimensions, (cluster + 1) * dimensions);
}
