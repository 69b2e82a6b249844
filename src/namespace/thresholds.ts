/** When background work of a namespace begins, and when requests wait for it. */

import {
  INDEX_INLINE_DOCUMENTS_MAX,
  INDEX_TAIL_BYTES,
  INDEX_TAIL_ENTRIES,
  SEGMENTS_UNMERGED_MAX,
  UNINDEXED_BYTES_MAX,
} from "../base/limits.ts";

/** Sizes that tests make small, so that a few writes lead through all of it. */
export interface Thresholds {
  readonly indexTailBytes: number;
  readonly indexTailEntries: number;
  readonly indexInlineDocumentsMax: number;
  readonly segmentsUnmergedMax: number;
  readonly unindexedBytesMax: number;
}

/** Those of a server. */
export const THRESHOLDS: Thresholds = {
  indexTailBytes: INDEX_TAIL_BYTES,
  indexTailEntries: INDEX_TAIL_ENTRIES,
  indexInlineDocumentsMax: INDEX_INLINE_DOCUMENTS_MAX,
  segmentsUnmergedMax: SEGMENTS_UNMERGED_MAX,
  unindexedBytesMax: UNINDEXED_BYTES_MAX,
};
