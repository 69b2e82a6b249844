import { runSteps } from "../../../src/base/steps.ts";
import type { DocumentColumns } from "../../../src/model/columns.ts";
import type { Schema } from "../../../src/model/schema.ts";
import type { SegmentPlan } from "../../../src/segment/format/segment-layout.ts";
import { planSegment as planInSteps } from "../../../src/segment/segment-writer.ts";
import type { AttributeIndex } from "../../../src/segment/view/attribute-index.ts";

/** Plans a segment in one go. */
export function planSegment(
  documents: DocumentColumns,
  schema: Schema,
  indexes?: readonly AttributeIndex[],
): SegmentPlan {
  return runSteps(planInSteps(documents, schema, indexes));
}
