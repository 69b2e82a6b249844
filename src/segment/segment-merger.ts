/**
 * Several segments → one, without their deleted documents and dropped attributes. Stored values are
 * copied; indexes are joined where the inputs have them as the schema wants them, and built again
 * from the stored values where not.
 */

import { assert } from "../base/assert.ts";
import type { Steps } from "../base/steps.ts";
import { bitmapOrdinals, hasBit } from "../codec/bitmap.ts";
import { gatherData } from "../codec/columns-gather.ts";
import { dataLogicalBytes } from "../codec/columns-size.ts";
import { emptyData, idAttributeType } from "../codec/columns-value.ts";
import type { Schema } from "../model/schema.ts";
import { columnOwners } from "../model/stored-columns.ts";
import { ATTRIBUTE_INDEXES } from "./attribute-indexes.ts";
import { AttributeMerge } from "./attribute-merge.ts";
import { planBlock } from "./format/segment-format.ts";
import type { SectionPlan, SegmentPlan } from "./format/segment-layout.ts";
import { planIds } from "./ids/id-section.ts";
import { DELETED } from "./postings/posting-section.ts";
import type { OpenSegment } from "./segment-reader.ts";
import type { AttributeIndex, OrderedInput, PlannedClusters } from "./view/attribute-index.ts";

/** One input of a merge. */
export interface MergeInput {
  readonly view: OpenSegment;
  /** As in `SegmentSnapshot`. Must not change before the plan is written. */
  readonly liveBitmap: Uint32Array;
}

/** What documents in their new order are made a segment by. */
export interface OrderOptions {
  readonly schema: Schema;
  /** At most those of one attribute have no ordinals: the documents are in their order. */
  readonly clusters?: readonly AttributeClusters[] | undefined;
  readonly indexes?: readonly AttributeIndex[] | undefined;
}

/** Clusters of an attribute's vectors. */
export interface AttributeClusters extends PlannedClusters {
  readonly attribute: string;
}

/**
 * Plans the merge of segments with one id type and no live document in common. Live documents keep
 * their order, inputs one after the other. The inputs must stay until the plan is written.
 */
export function planMerge(
  inputs: readonly MergeInput[],
  schema: Schema,
  indexes?: readonly AttributeIndex[],
): Steps<SegmentPlan> {
  assert(inputs.length > 0, "there is nothing to merge");
  return planOrdered(numberInputs(inputs), { schema, indexes });
}

/**
 * Plans a segment of the rows of `inputs`, one after the other, with the indexes that the schema
 * asks for. The inputs must stay until the plan is written.
 */
export function* planOrdered(
  inputs: readonly OrderedInput<OpenSegment>[],
  { schema, clusters, indexes = ATTRIBUTE_INDEXES }: OrderOptions,
): Steps<SegmentPlan> {
  const { idType } = inputs[0].view;
  const documentCount = inputs.reduce((sum, { ordinals }) => sum + ordinals.length, 0);
  const ids = yield* gatherData(
    emptyData(idAttributeType(idType)),
    inputs.map(({ view, ordinals }) => ({ data: view.ids, ordinals })),
  );
  let logicalBytes = dataLogicalBytes(ids, 0, documentCount);
  const sections = yield* planIds(ids, documentCount);
  const lastSections: SectionPlan[] = [];
  const owners = columnOwners(schema);
  for (const name of new Set(inputs.flatMap(({ view }) => view.attributes))) {
    const attribute = owners.get(name)?.schema;
    if (attribute === undefined && schema.dropCount !== undefined) continue;
    const own = clusters?.find((some) => some.attribute === name);
    const merge = new AttributeMerge(name, {
      schema: attribute,
      inputs,
      documentCount,
      clusters: own,
    });
    yield;
    yield* merge.gather();
    if (!merge.hasValues) continue;
    logicalBytes += merge.logicalBytes;
    for (const index of indexes) {
      if (!index.isWanted(merge.type, attribute)) continue;
      const planned = yield* index.merge(merge);
      (index.isLast === true ? lastSections : sections).push(...planned);
    }
  }
  return planBlock({ documentCount, idType, logicalBytes }, [...sections, ...lastSections]);
}

function numberInputs(inputs: readonly MergeInput[]): OrderedInput<OpenSegment>[] {
  let next = 0;
  return inputs.map(({ view, liveBitmap }) => {
    const newOrdinals = new Uint32Array(view.documentCount);
    for (let o = 0; o < newOrdinals.length; o++)
      newOrdinals[o] = hasBit(liveBitmap, o) ? next++ : DELETED;
    return { view, ordinals: bitmapOrdinals(liveBitmap), newOrdinals };
  });
}
