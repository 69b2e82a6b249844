/**
 * Clusters of an attribute's vectors: each is a range of positions in the order of clusters.
 * In one section positions are ordinals: the segment's rows are in the order of these clusters, and
 * documents without a vector come last. Packed (`columns-packing.ts`): metric (0 cosine_distance, 1
 * euclidean_squared); dimensions; the first position of each cluster and, last, the end of the last
 * one (u32); centroids end to end (f32), for cosine_distance of length 1. In the second, of
 * attributes in whose order the rows are not, the ordinal at each position follows (u32): those of
 * all documents with a vector, each once. The third is like it, but of inner vectors, those of
 * documents that have several: an ordinal is there once for each vector of the document.
 */

import { ArrayPacker, ArrayUnpacker, corrupt } from "../../codec/columns-packing.ts";
import type { AttributeType } from "../../model/attribute-type.ts";
import type { AttributeSchema, DistanceMetric } from "../../model/schema.ts";
import type { AttributeSections } from "../format/attribute-sections.ts";
import { packedSection } from "../format/section-plans.ts";
import type { SectionKind, SectionPlan } from "../format/segment-layout.ts";
import type { Clusters } from "../view/attribute-index.ts";

/** Kinds of the sections; an attribute has one of them at most. */
export const CLUSTER_SECTIONS = { inOrder: 14, withOrdinals: 20, ofInner: 32 } as const;

/** By their code. */
const METRICS: readonly DistanceMetric[] = ["cosine_distance", "euclidean_squared"];

/** Clusters of one attribute's vectors in a segment. */
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
  return packedSection(sectionOf(clusters), attribute, packer);
}

function sectionOf({ ordinals, isInner }: Clusters): SectionKind {
  if (isInner) return CLUSTER_SECTIONS.ofInner;
  return ordinals === undefined ? CLUSTER_SECTIONS.inOrder : CLUSTER_SECTIONS.withOrdinals;
}

/** Tells whether values of a type are to have clusters, where there are enough vectors. */
export function hasClusters(type: AttributeType, schema: AttributeSchema | undefined): boolean {
  if (type.kind === "multi_vector") return schema?.ann?.lateInteraction === true;
  return type.kind === "vector";
}

/** Opens the clusters of an attribute; undefined if it has none. Throws `BytesMissing`. */
export function openClusters(sections: AttributeSections): ClusterView | undefined {
  const inner = sections.place(CLUSTER_SECTIONS.ofInner);
  const withOrdinals = inner ?? sections.place(CLUSTER_SECTIONS.withOrdinals);
  const block = withOrdinals ?? sections.place(CLUSTER_SECTIONS.inOrder);
  if (block === undefined) return undefined;
  const isInner = inner !== undefined;
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
  if (starts[0] !== 0 || (!isInner && starts[count] > documentCount)) {
    throw corrupt(what, `they are of ${starts[count]} documents of ${documentCount}`);
  }
  if (ordinals !== undefined && ordinals.length !== starts[count]) {
    throw corrupt(what, `${ordinals.length} ordinals are not those of ${starts[count]} vectors`);
  }
  const offset = block.offset + centroids.byteOffset - block.bytes.byteOffset;
  const place = { arena: block.arena, offset };
  return { metric, dimensions, count, starts, centroids, ordinals, isInner, place };
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

/**
 * Checks that inner vectors at the positions are those of the documents, of which number o has
 * `offsets[o + 1] - offsets[o]`.
 */
export function checkInnerOrdinals(ordinals: Uint32Array, offsets: Uint32Array): void {
  const documentCount = offsets.length - 1;
  const left = new Uint32Array(documentCount);
  for (let o = 0; o < documentCount; o++) left[o] = offsets[o + 1] - offsets[o];
  for (const ordinal of ordinals) {
    if (ordinal >= documentCount || left[ordinal]-- === 0) {
      throw corrupt("clusters", `document ${ordinal} of ${documentCount} has not as many vectors`);
    }
  }
  const total = offsets[documentCount] - offsets[0];
  if (ordinals.length !== total) {
    throw corrupt("clusters", `they are of ${ordinals.length} inner vectors of ${total}`);
  }
}
