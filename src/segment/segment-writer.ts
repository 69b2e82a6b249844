/**
 * Documents → the bytes of one segment: what is stored as it is, and the indexes that the schema
 * asks for.
 */

import type { Steps } from "../base/steps.ts";
import { logicalBytesInSteps } from "../codec/columns-size.ts";
import { hasAnyValue } from "../codec/columns-value.ts";
import type { DocumentColumns } from "../model/columns.ts";
import type { Schema } from "../model/schema.ts";
import { columnOwners } from "../model/stored-columns.ts";
import { ATTRIBUTE_INDEXES } from "./attribute-indexes.ts";
import { planBlock } from "./format/segment-format.ts";
import type { SectionPlan, SegmentPlan } from "./format/segment-layout.ts";
import { planIds } from "./ids/id-section.ts";
import type { AttributeIndex } from "./view/attribute-index.ts";

/**
 * Plans a segment of documents with unique ids. Indexes are built here; the plan is written once,
 * straight to where the segment stays; until then the documents' arrays must not change.
 */
export function* planSegment(
  documents: DocumentColumns,
  schema: Schema,
  indexes: readonly AttributeIndex[] = ATTRIBUTE_INDEXES,
): Steps<SegmentPlan> {
  const sections = yield* planIds(documents.ids, documents.count);
  const lastSections: SectionPlan[] = [];
  const owners = columnOwners(schema);
  for (const [name, column] of documents.attributes) {
    if (!hasAnyValue(column)) continue;
    const values = { attribute: name, schema: owners.get(name)?.schema, column };
    for (const index of indexes) {
      if (!index.isWanted(column.type, values.schema)) continue;
      const planned = yield* index.build(values);
      (index.isLast === true ? lastSections : sections).push(...planned);
      yield;
    }
  }
  const facts = {
    documentCount: documents.count,
    idType: documents.idType,
    logicalBytes: yield* logicalBytesInSteps(documents),
  };
  return planBlock(facts, [...sections, ...lastSections]);
}
