/**
 * Clusters of an attribute's dense vectors, in a segment whose rows are in the order of clusters:
 * each is a range of ordinals, and documents without a vector come last. Packed
 * (`columns-packing.ts`): metric (0 cosine_distance, 1 euclidean_squared); dimensions; the first
 * ordinal of each cluster and, last, the end of the last one (u32); centroids end to end (f32), for
 * cosine_distance of length 1.
 */

import { ArrayPacker, ArrayUnpacker, corrupt } from "../../codec/columns-packing.ts";
import type { ArenaBytes } from "../../kernel/arena.ts";
import type { DistanceMetric } from "../../model/schema.ts";
import type { SectionPlan } from "../format/segment-layout.ts";

/** Kind of the section of clusters. */
export const CLUSTERS_SECTION = 14;

/** By their code. */
const METRICS: readonly DistanceMetric[] = ["cosine_distance", "euclidean_squared"];

/** Clusters as arrays. */
export interface Clusters {
  /** What they were made for. */
  readonly metric: DistanceMetric;
  readonly dimensions: number;
  /**
   * Cluster c has ordinals `starts[c]` to before `starts[c + 1]`. None from `starts[count]` on has
   * a vector.
   */
  readonly starts: Uint32Array;
  /** Centroids end to end. */
  readonly centroids: Float32Array;
}

/** Clusters of one attribute's dense vectors in a segment. */
export interface ClusterView extends Clusters {
  readonly count: number;
  /** Where the centroids lie, for `ArenaKernels`. */
  readonly place: { readonly arena: number; readonly offset: number };
}

/** Plans the section of clusters. */
export function planClusters(attribute: string, clusters: Clusters): SectionPlan {
  const packer = new ArrayPacker();
  packer.word(METRICS.indexOf(clusters.metric));
  packer.word(clusters.dimensions);
  packer.array(clusters.starts);
  packer.array(clusters.centroids);
  const writeTo = (target: Uint8Array) => packer.writeTo(target);
  return { kind: CLUSTERS_SECTION, attribute, bytes: packer.bytes, writeTo };
}

/** Opens the section of clusters of a segment with so many documents. */
export function openClusters(block: ArenaBytes, documentCount: number): ClusterView {
  const what = "clusters";
  const unpacker = new ArrayUnpacker(block.bytes, what);
  const metric = METRICS.at(unpacker.word());
  const dimensions = unpacker.word();
  const starts = unpacker.u32();
  const centroids = unpacker.f32();
  const count = starts.length - 1;
  if (metric === undefined) throw corrupt(what, "their metric is unknown");
  if (count < 0 || centroids.length !== count * dimensions) {
    throw corrupt(what, `${centroids.length} numbers are not ${count} centroids`);
  }
  for (let c = 0; c < count; c++) {
    if (starts[c] > starts[c + 1]) throw corrupt(what, `number ${c} ends before it begins`);
  }
  if (starts[0] !== 0 || starts[count] > documentCount) {
    throw corrupt(what, `they are of ${starts[count]} documents of ${documentCount}`);
  }
  const offset = block.offset + centroids.byteOffset - block.bytes.byteOffset;
  return { metric, dimensions, count, starts, centroids, place: { arena: block.arena, offset } };
}
