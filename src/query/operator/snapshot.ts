/** What one query sees, and all subqueries of a multi-query with it. */

import type { SequenceNumber } from "../../base/ids.ts";
import type { Schema } from "../../model/schema.ts";
import type { SegmentSnapshot } from "../../segment/view/segment-view.ts";

/** A namespace at one sequence number. Each live document is in exactly one segment. */
export interface Snapshot {
  readonly sequence: SequenceNumber;
  readonly schema: Schema;
  /** In no meaningful order: no answer depends on how documents are split into segments. */
  readonly segments: readonly SegmentSnapshot[];
  /** Live documents that some index lacks; see `IndexStatus`. */
  readonly unindexedCount: number;
  /** Logical bytes of the namespace, for billing. */
  readonly logicalBytes: number;
}
