/**
 * Indexes of segments in memory, where queries search them. Merges make no clusters, which take
 * longer to make than such a segment is there, but byte codes: a quarter of the bytes of float32.
 * The codes' origin is zero, so that those of a vector are the same in every segment, and merges
 * copy what their inputs have.
 */

import { oneStep } from "../../base/steps.ts";
import type { DistanceMetric, Schema } from "../../model/schema.ts";
import { ATTRIBUTE_INDEXES } from "../attribute-indexes.ts";
import type { OpenSegment } from "../segment-reader.ts";
import { TEXT_INDEX, textIndex } from "../text/text-index.ts";
import { BYTE_CODE_INDEX, mergeByteCodes } from "../vectors/byte-code-index.ts";
import {
  BYTE_CODE_SECTIONS,
  type ByteCodeDescription,
  byteCodesPay,
} from "../vectors/byte-code-section.ts";
import type { AttributeIndex, MergedValues } from "../view/attribute-index.ts";

/**
 * Documents from which on a merged segment has byte codes. What is smaller is merged again soon:
 * each vector is coded once, sooner or later. Segments that a commit writes have none, as making
 * them then would slow ingestion down by a tenth (ADR 59).
 */
const CODED_DOCUMENTS_MIN = 256;

/**
 * What segments in memory have for each attribute, where queries search them. Phrases are checked
 * on their texts: with positions they would take a sixth longer to build and to merge (ADR 60).
 */
export const MEMTABLE_INDEXES: readonly AttributeIndex[] = ATTRIBUTE_INDEXES.map((index) =>
  index === TEXT_INDEX
    ? textIndex({ positions: { documentsMin: Number.POSITIVE_INFINITY } })
    : index,
);

/** What a merge of segments in memory makes for each attribute. */
export function memtableIndexes({ distanceMetric }: Schema): readonly AttributeIndex[] {
  return MEMTABLE_INDEXES.map((index) =>
    index === BYTE_CODE_INDEX ? codesOfMerges(distanceMetric) : index,
  );
}

/** Tells whether a segment has byte codes of some attribute. */
export function hasByteCodes({ entries }: Pick<OpenSegment, "entries">): boolean {
  return entries.some(({ kind }) => kind === BYTE_CODE_SECTIONS.codes);
}

/** `metric` is the namespace's, for attributes that have none of their own. */
function codesOfMerges(metric: DistanceMetric | undefined): AttributeIndex {
  return {
    ...BYTE_CODE_INDEX,
    merge: (values) =>
      oneStep(() => {
        const description = describeCodes(values, metric);
        return description === undefined ? [] : mergeByteCodes(values, description);
      }),
  };
}

/** Undefined where codes save too little, or where no query can compare vectors. */
function describeCodes(
  { type, schema, documentCount }: MergedValues,
  namespaceMetric: DistanceMetric | undefined,
): ByteCodeDescription | undefined {
  const metric = schema?.ann?.distanceMetric ?? namespaceMetric;
  if (type.kind !== "vector" || metric === undefined) return undefined;
  const { dimensions, element: format } = type;
  if (documentCount < CODED_DOCUMENTS_MIN || !byteCodesPay({ dimensions, format }))
    return undefined;
  return { metric, dimensions, origin: new Float32Array(dimensions) };
}
