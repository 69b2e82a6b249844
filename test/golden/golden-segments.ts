/** The segments in the golden files, as they are written. Never changed: a new version gets new ones. */

import type { SegmentId } from "../../src/base/ids.ts";
import { runSteps } from "../../src/base/steps.ts";
import { buildDocuments } from "../../src/codec/columns-builder.ts";
import type { AttributeClusters } from "../../src/segment/segment-merger.ts";
import { openSegment } from "../../src/segment/segment-reader.ts";
import { planReordered } from "../../src/segment/segment-reorder.ts";
import { sealSegment } from "../../src/segment/segment-seal.ts";
import type { AttributeIndex } from "../../src/segment/view/attribute-index.ts";
import { blockIndexes } from "../support/segments/block-indexes.ts";
import { encodeStoredSegment } from "../support/segments/encode-stored-segment.ts";
import { pageIndexes, SHORT_PAGES } from "../support/segments/page-indexes.ts";
import { planSegment } from "../support/segments/plan-segment.ts";
import { positionIndexes } from "../support/segments/position-indexes.ts";
import { GOLDEN_DOCUMENTS, GOLDEN_SCHEMA, goldenColumns } from "./golden-documents.ts";

const PLACE = { arena: 0, offset: 0 };

/** Two clusters, whose rows are the documents with the vector. */
export const CLUSTER_ORDER = Uint32Array.of(3, 0, 1, 2, 4, 5);
/** Those clusters. */
export const CLUSTERS = {
  metric: "euclidean_squared",
  dimensions: 3,
  starts: Uint32Array.of(0, 1, 2),
  centroids: Float32Array.of(3, 4, 0, 1, -2, 0.25),
} as const;

/** Clusters of another attribute, of which one document has a vector. */
export const FURTHER_CLUSTERS = {
  metric: "cosine_distance",
  dimensions: 4,
  starts: Uint32Array.of(0, 1),
  centroids: Float32Array.of(0, 0, 0, 1),
  ordinals: Uint32Array.of(1),
} as const;

/** What is subtracted from vectors before they are coded. */
export const BYTE_ORIGIN = Float32Array.of(0.5, 1, 0.25);

/** Indexes with bounds even of lists that two documents share. */
const BOUNDED = blockIndexes(1);
/** The same with terms on several pages, and with bitmaps of lists that two documents share. */
const PAGED = pageIndexes(SHORT_PAGES, {
  blockPostings: 1,
  bitsets: { documentsMin: 1, documentsPerPosting: 4 },
});

/** Indexes with positions even in segments of few documents. */
const POSITIONED = positionIndexes(1);

/** The golden files of segments that are the same bytes in each run, by name. */
export function goldenSegments(): Readonly<Record<string, Uint8Array>> {
  const clusters = [{ attribute: "[3]f32", ...CLUSTERS }];
  const coded = [{ attribute: "[3]f32", ...CLUSTERS, byteOrigin: BYTE_ORIGIN }];
  return {
    "segment.bin": plainSegment(),
    "clustered-segment.bin": clusteredSegment(clusters),
    "further-clusters-segment.bin": clusteredSegment([
      ...clusters,
      { attribute: "[4]f32", ...FURTHER_CLUSTERS },
    ]),
    "byte-codes-segment.bin": clusteredSegment(coded),
    "bounded-segment.bin": boundedSegment(BOUNDED),
    "paged-segment.bin": boundedSegment(PAGED),
    "positions-segment.bin": boundedSegment(POSITIONED),
  };
}

/** The content of a stored segment; how well it is compressed is not part of the format. */
export function goldenStoredSegment(): Uint8Array {
  const segment = openSegment("golden" as SegmentId, plainSegment(), PLACE);
  return encodeStoredSegment(segment, GOLDEN_SCHEMA).content;
}

function plainSegment(): Uint8Array {
  const plan = planSegment(goldenColumns(), GOLDEN_SCHEMA);
  const block = new Uint8Array(plan.bytes);
  runSteps(plan.writeTo(block));
  return sealSegment(openSegment("golden" as SegmentId, block, PLACE));
}

function boundedSegment(indexes: readonly AttributeIndex[]): Uint8Array {
  const more = [...GOLDEN_DOCUMENTS, { id: "fox", attributes: new Map([["string", "fox"]]) }];
  const types = new Map([...GOLDEN_SCHEMA.attributes].map(([name, { type }]) => [name, type]));
  const plan = planSegment(buildDocuments("string", types, more), GOLDEN_SCHEMA, indexes);
  const block = new Uint8Array(plan.bytes);
  runSteps(plan.writeTo(block));
  return sealSegment(openSegment("golden" as SegmentId, block, PLACE));
}

function clusteredSegment(clusters: readonly AttributeClusters[]): Uint8Array {
  const near = openSegment("golden" as SegmentId, plainSegment(), PLACE);
  const plan = planReordered(near, CLUSTER_ORDER, { schema: GOLDEN_SCHEMA, clusters });
  const block = new Uint8Array(plan.bytes);
  runSteps(plan.writeTo(block));
  return sealSegment(openSegment("golden" as SegmentId, block, PLACE));
}
