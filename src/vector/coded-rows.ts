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

/** The centroid of a cluster: a view. */
export function centroidOf({ vectors, clusters }: CodedRows, cluster: number): Float32Array {
  const { dimensions } = vectors;
  return clusters.centroids.subarray(cluster * dimensions, (cluster + 1) * dimensions);
}
