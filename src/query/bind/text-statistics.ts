/**
 * What BM25 knows of a namespace: counts over its live documents, exact, so that no score depends
 * on where documents are stored or on what was there before.
 */

import { countBits, hasBit } from "../../codec/bitmap.ts";
import type { SegmentSnapshot, SegmentView } from "../../segment/segment-view.ts";
import { TEXT_INDEX } from "../../segment/text/text-index.ts";
import { andBits, forEachBit, presenceBits } from "../ordinal-bits.ts";
import type { Together } from "../plan/operator.ts";

/** Length statistics of one text attribute. */
export interface TextStatistics {
  /** Live documents with a value. */
  readonly documentCount: number;
  /** Terms of their values. */
  readonly termCount: number;
}

interface CachedStatistics extends TextStatistics {
  readonly liveVersion: number;
}

/** Per view and attribute, at the newest `liveVersion` asked for. */
const CACHE = new WeakMap<SegmentView, Map<string, CachedStatistics>>();

/**
 * Counts the live documents with a value for the attribute, and their terms. Throws `BytesMissing`,
 * for all segments at once.
 */
export function textStatistics(
  segments: readonly SegmentSnapshot[],
  attribute: string,
  together: Together,
): TextStatistics {
  let documentCount = 0;
  let termCount = 0;
  const parts = together(segments.map((segment) => () => segmentStatistics(segment, attribute)));
  for (const statistics of parts) {
    documentCount += statistics.documentCount;
    termCount += statistics.termCount;
  }
  return { documentCount, termCount };
}

/** Counts the live documents with the term. Throws `BytesMissing`, for all segments at once. */
export function documentFrequency(
  segments: readonly SegmentSnapshot[],
  { attribute, term }: { readonly attribute: string; readonly term: string },
  together: Together,
): number {
  const counts = together(segments.map((segment) => () => liveCountOf(segment, attribute, term)));
  return counts.reduce((sum, count) => sum + count, 0);
}

function liveCountOf(
  { view, liveBitmap, liveCount }: SegmentSnapshot,
  attribute: string,
  term: string,
): number {
  const ordinals = view.index(TEXT_INDEX, attribute)?.postings(term)?.ordinals;
  if (ordinals === undefined) return 0;
  if (liveCount === view.documentCount) return ordinals.length;
  let count = 0;
  for (let i = 0; i < ordinals.length; i++) if (hasBit(liveBitmap, ordinals[i])) count++;
  return count;
}

function segmentStatistics(segment: SegmentSnapshot, attribute: string): TextStatistics {
  const { view, liveBitmap, liveVersion } = segment;
  const cached = CACHE.get(view)?.get(attribute);
  if (cached?.liveVersion === liveVersion) return cached;
  const text = view.index(TEXT_INDEX, attribute);
  if (text === undefined) return { documentCount: 0, termCount: 0 };
  const { lengths, presence } = text;
  const bits = andBits(presenceBits(presence, view.documentCount), liveBitmap);
  let termCount = 0;
  forEachBit(bits, (ordinal) => {
    termCount += lengths[ordinal];
  });
  const statistics = { documentCount: countBits(bits), termCount, liveVersion };
  const byAttribute = CACHE.get(view) ?? new Map<string, CachedStatistics>();
  CACHE.set(view, byAttribute.set(attribute, statistics));
  return statistics;
}
