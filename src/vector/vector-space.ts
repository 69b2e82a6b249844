import type { DistanceMetric } from "../model/schema.ts";

/** What vectors are compared by. */
export interface VectorSpace {
  readonly metric: DistanceMetric;
  readonly dimensions: number;
  /**
   * A point among the vectors, as they count in means: codes are of differences to it. Absent: they
   * are not compared by codes.
   */
  readonly origin?: Float32Array | undefined;
}
