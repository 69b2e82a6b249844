/**
 * Clusters of an attribute's dense vectors: each is a range of positions in the order of clusters.
 * In one section positions are ordinals: the segment's rows are in the order of these clusters, and
 * documents without a vector come last. Packed (`columns-packing.ts`): metric (0 cosine_distance, 1
 * euclidean_squared); dimensions; the first position of each cluster and, last, the end of the last
 * one (u32); centroids end to end (f32), for cosine_distance of length 1. In the other, of
 * attributes in whose order the rows are not, the ordinal at each position follows (u32): those of
 * all documents with a vector, each once.
 */

import { ArrayPacker, ArrayUnpacker, corrupt } from "../../codec/columns-packing.ts";
import type { DistanceMetric } from "../../model/schema.ts";
import type { AttributeSections } from "../format/attribute-sections.ts";
import type { SectionPlan } from "../format/segment-layout.ts";

/** Kinds of the sections; an attribute has one of them at most. */
export const CLUSTER_SECTIONS = { inOrder: 14, withOrdinals: 20 } as const;

/** By their code. */
const METRICS: readonly DistanceMetric[] = ["cosine_distance", "euclidean_squared"];

/** Clusters as arrays. */
export interface Clusters {
  /** What they were made for. */
  readonly metric: DistanceMetric;
  readonly dimensions: number;
  /** Cluster c has positions `starts[c]` to before `starts[c + 1]`; all with a vector have one. */
  readonly starts: Uint32Array;
  /** By position; undefined where positions are ordinals. */
  readonly ordinals?: Uint32Array | undefined;
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
  const { ordinals } = clusters;
  if (ordinals !== undefined) packer.array(ordinals);
  const kind = ordinals === undefined ? CLUSTER_SECTIONS.inOrder : CLUSTER_SECTIONS.withOrdinals;
  const writeTo = (target: Uint8Array) => packer.writeTo(target);
  return { kind, attribute, bytes: packer.bytes, writeTo };
}

/** Opens the clusters of an attribute; undefined if it has none. Throws `BytesMissing`. */
export function openClusters(sections: AttributeSections): ClusterView | undefined {
  const withOrdinals = sections.place(CLUSTER_SECTIONS.withOrdinals);
  const block = withOrdinals ?? sections.place(CLUSTER_SECTIONS.inOrder);
  if (block === undefined) return undefined;
  const what = "clusters";
  const unpacker = new ArrayUnpacker(block.bytes, what);
  const metric = METRICS.at(unpacker.word());
  const dimensions = unpacker.word();
  const starts = unpacker.u32();
  const centroids = unpacker.f32();
  const ordinals = withOrdinals && unpacker.u32();
  const count = starts.length - 1;
  if (metric === undefined) throw corrupt(what, "their metric is unknown");
  if (count < 0 || centroids.length !== count * dimensions) {
    throw corrupt(what, `${centroids.length} numbers are not ${count} centroids`);
  }
  for (let c = 0; c < count; c++) {
    if (starts[c] > starts[c + 1]) throw corrupt(what, `number ${c} ends before it begins`);
  }
  const { documentCount } = sections;
  if (starts[0] !== 0 || starts[count] > documentCount) {
    throw corrupt(what, `they are of ${starts[count]} documents of ${documentCount}`);
  }
  if (ordinals !== undefined && ordinals.length !== starts[count]) {
    throw corrupt(what, `${ordinals.length} ordinals are not those of ${starts[count]} documents`);
  }
  const offset = block.offset + centroids.byteOffset - block.bytes.byteOffset;
  const place = { arena: block.arena, offset };
  return { metric, dimensions, count, starts, centroids, ordinals, place };
}

/** Checks that a segment of so many documents has those at the positions, each once. */
export function checkOrdinals(ordinals: Uint32Array, documentCount: number): void {
  const isTaken = new Uint8Array(documentCount);
  for (const ordinal of ordinals) {
    if (ordinal >= documentCount || isTaken[ordinal] === 1) {
      throw corrupt("clusters", `document ${ordinal} of ${documentCount} is not in one of them`);
    }
    isTaken[ordinal] = 1;
  }
}
