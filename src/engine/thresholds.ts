/** When background work of a namespace begins. */

import {
  CHECKPOINT_TAIL_BYTES,
  CHECKPOINT_TAIL_ENTRIES,
  INDEX_INLINE_DOCUMENTS_MAX,
  SEGMENTS_UNMERGED_MAX,
} from "../base/limits.ts";

/** Sizes that tests make small, so that a few writes lead through all of it. */
export interface Thresholds {
  readonly checkpointTailBytes: number;
  readonly checkpointTailEntries: number;
  readonly indexInlineDocumentsMax: number;
  readonly segmentsUnmergedMax: number;
}

/** Those of a server. */
export const THRESHOLDS: Thresholds = {
  checkpointTailBytes: CHECKPOINT_TAIL_BYTES,
  checkpointTailEntries: CHECKPOINT_TAIL_ENTRIES,
  indexInlineDocumentsMax: INDEX_INLINE_DOCUMENTS_MAX,
  segmentsUnmergedMax: SEGMENTS_UNMERGED_MAX,
};
