/** Stored forms of segments in memory of their own, as tests look at them. */

import type { Schema } from "../../../src/model/schema.ts";
import type { OpenSegment } from "../../../src/segment/segment-reader.ts";
import {
  planStoredSegment,
  writeStoredSegment,
} from "../../../src/segment/stored-segment-writer.ts";
import type { AttributeIndex } from "../../../src/segment/view/attribute-index.ts";

/** The content of a stored segment, and its head. */
export interface StoredSegmentContent {
  readonly content: Uint8Array<ArrayBuffer>;
  readonly head: Uint8Array;
}

/** Makes the content of a segment that is in memory as a whole. */
export function encodeStoredSegment(
  view: OpenSegment,
  schema: Schema,
  indexes?: readonly AttributeIndex[],
): StoredSegmentContent {
  const plan = planStoredSegment(view, schema, indexes);
  const content = new Uint8Array(plan.bytes);
  return { content, head: writeStoredSegment(plan, content) };
}
