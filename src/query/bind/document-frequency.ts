/**
 * How many live documents have a term: exact, so that no score depends on where documents are
 * stored or on what was there before.
 */

import { hasBit } from "../../codec/bitmap.ts";
import { PAGE_ORDINALS } from "../../segment/postings/list-layout.ts";
import type { OrdinalList } from "../../segment/postings/ordinal-list.ts";
import type { SegmentSnapshot, SegmentView } from "../../segment/segment-view.ts";
import { TEXT_INDEX } from "../../segment/text/text-index.ts";
import type { TextView } from "../../segment/text/text-section.ts";
import type { Together } from "../plan/operator.ts";

/** Counts the live documents with the term. Throws `BytesMissing`, for all segments at once. */
export function documentFrequency(
  segments: readonly SegmentSnapshot[],
  { attribute, term }: { readonly attribute: string; readonly term: string },
  together: Together,
): number {
  const counts = together(segments.map((segment) => () => liveCountOf(segment, attribute, term)));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Postings that are counted in the time in which one document is looked up among them. */
const LOOKUP_POSTINGS = 16;

/** Reads postings only where documents are deleted. */
function liveCountOf(segment: SegmentSnapshot, attribute: string, term: string): number {
  const { view, liveCount } = segment;
  const text = view.index(TEXT_INDEX, attribute);
  const count = text?.postingCount(term) ?? 0;
  if (text === undefined || count === 0 || view.documentCount === liveCount) return count;
  const counts = liveCountsOf(segment, attribute);
  const known = counts.get(term);
  if (known !== undefined) return known;
  const counted = countLive(text, term, segment);
  if (counts.size >= LIVE_COUNTS_MAX) counts.clear();
  counts.set(term, counted);
  return counted;
}

/** Terms of an attribute of a segment whose live documents are remembered. */
const LIVE_COUNTS_MAX = 4096;

interface LiveCounts {
  readonly liveVersion: number;
  readonly byTerm: Map<string, number>;
}

/** Per view and attribute, at the last `liveVersion` asked for. */
const LIVE_COUNTS = new WeakMap<SegmentView, Map<string, LiveCounts>>();

/** What is known of the live documents of terms. */
function liveCountsOf(
  { view, liveVersion }: SegmentSnapshot,
  attribute: string,
): Map<string, number> {
  const byAttribute = LIVE_COUNTS.get(view) ?? new Map<string, LiveCounts>();
  const last = byAttribute.get(attribute);
  if (last !== undefined && last.liveVersion === liveVersion) return last.byTerm;
  const byTerm = new Map<string, number>();
  LIVE_COUNTS.set(view, byAttribute.set(attribute, { liveVersion, byTerm }));
  return byTerm;
}

/** Counts the live documents with a term that a segment has where some are deleted. */
function countLive(
  text: TextView,
  term: string,
  { view, liveBitmap, liveCount }: SegmentSnapshot,
): number {
  const deletedCount = view.documentCount - liveCount;
  const ordinals = text.postings(term)?.ordinals;
  if (ordinals === undefined) return 0;
  const count = ordinals.length;
  if (liveBitmap.length + deletedCount * LOOKUP_POSTINGS < count) {
    return count - deletedAmong(ordinals, { liveBitmap, documentCount: view.documentCount });
  }
  return liveAmong(ordinals, liveBitmap);
}

/** How many of the ordinals are of live documents: looks at each. */
function liveAmong(ordinals: OrdinalList, liveBitmap: Uint32Array): number {
  let live = 0;
  let page = 0;
  for (let i = 0; i < ordinals.length; ) {
    page = ordinals.pageOf(i, page);
    const first = page * PAGE_ORDINALS;
    for (const end = ordinals.pageEnd(page); i < end; i++) {
      if (hasBit(liveBitmap, first + ordinals.lows[i])) live++;
    }
  }
  return live;
}

/** How many of the ordinals are of deleted documents: looks each of those up. */
function deletedAmong(
  ordinals: OrdinalList,
  {
    liveBitmap,
    documentCount,
  }: { readonly liveBitmap: Uint32Array; readonly documentCount: number },
): number {
  let deleted = 0;
  for (let w = 0; w < liveBitmap.length; w++) {
    // Bits past the last document are 0, too.
    for (let word = ~liveBitmap[w]; word !== 0; word &= word - 1) {
      const ordinal = (w << 5) + 31 - Math.clz32(word & -word);
      if (ordinal < documentCount && ordinals.includes(ordinal)) deleted++;
    }
  }
  return deleted;
}
