/** When background work of a namespace begins, and when requests wait for it. */

import { MIB } from "../base/byte-sizes.ts";
import { UNINDEXED_BYTES_MAX } from "../model/contract-limits.ts";

/** Documents up to which a new index is built before the write that asks for it answers. */
const INDEX_INLINE_DOCUMENTS_MAX = 20_000;
/** WAL bytes after which a namespace is indexed: an opening replays this much in about 1 s. */
const INDEX_TAIL_BYTES = 16 * MIB;
/** WAL entries after which a namespace is indexed: an opening reads them in about 1 s. */
const INDEX_TAIL_ENTRIES = 1_000;
/** WAL bytes that are folded when writes pause; a namespace of less stays as it is. */
const FOLD_BYTES_MIN = 2 * MIB;
/** The same of documents in the log; far fewer than an exact search of 10 ms looks at. */
const FOLD_DOCUMENTS_MIN = 5_000;
/** When a write that met backpressure may try again; our choice. */
export const UNINDEXED_RETRY_MS = 1_000;
/** Segments of a namespace above which merging them goes before further commits; our choice. */
const SEGMENTS_UNMERGED_MAX = 128;

/** Sizes that tests make small, so that a few writes lead through all of it. */
export interface Thresholds {
  readonly indexTailBytes: number;
  readonly indexTailEntries: number;
  readonly foldBytesMin: number;
  readonly foldDocumentsMin: number;
  readonly indexInlineDocumentsMax: number;
  readonly segmentsUnmergedMax: number;
  readonly unindexedBytesMax: number;
}

/** Those of a server. */
export const THRESHOLDS: Thresholds = {
  indexTailBytes: INDEX_TAIL_BYTES,
  indexTailEntries: INDEX_TAIL_ENTRIES,
  foldBytesMin: FOLD_BYTES_MIN,
  foldDocumentsMin: FOLD_DOCUMENTS_MIN,
  indexInlineDocumentsMax: INDEX_INLINE_DOCUMENTS_MAX,
  segmentsUnmergedMax: SEGMENTS_UNMERGED_MAX,
  unindexedBytesMax: UNINDEXED_BYTES_MAX,
};
