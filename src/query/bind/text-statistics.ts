/**
 * What BM25 knows of the lengths of texts in a namespace: counts over its live documents, exact, so
 * that no score depends on where documents are stored or on what was there before.
 */

import { fullBitmap } from "../../codec/bitmap.ts";
import { TEXT_INDEX } from "../../segment/text/text-index.ts";
import type { TextView } from "../../segment/text/text-view.ts";
import type { SegmentSnapshot, SegmentView } from "../../segment/view/segment-view.ts";
import type { OrdinalBits } from "../documents/ordinal-bits.ts";
import type { Together } from "../operator/operator.ts";

/** Length statistics of one text attribute. */
export interface TextStatistics {
  /** Live documents with a value. */
  readonly documentCount: number;
  /** Terms of their values. */
  readonly termCount: number;
}

interface CountedStatistics extends TextStatistics {
  /** Which documents were counted; these bits never change. */
  readonly liveBitmap: OrdinalBits;
}

interface CachedStatistics extends CountedStatistics {
  readonly liveVersion: number;
}

/** Per view and attribute, at the last `liveVersion` asked for. */
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

function segmentStatistics(segment: SegmentSnapshot, attribute: string): TextStatistics {
  const { view, liveBitmap, liveVersion } = segment;
  const cached = CACHE.get(view)?.get(attribute);
  if (cached?.liveVersion === liveVersion) return cached;
  const text = view.index(TEXT_INDEX, attribute);
  if (text === undefined) return { documentCount: 0, termCount: 0 };
  const counted =
    cached ?? (text.totals && { ...text.totals, liveBitmap: fullBitmap(view.documentCount) });
  const statistics = { ...recounted(counted, liveBitmap, text), liveVersion, liveBitmap };
  const byAttribute = CACHE.get(view) ?? new Map<string, CachedStatistics>();
  CACHE.set(view, byAttribute.set(attribute, statistics));
  return statistics;
}

/** Looks only at the documents that have come or gone since others were counted. */
function recounted(
  last: CountedStatistics | undefined,
  liveBitmap: OrdinalBits,
  text: Pick<TextView, "lengths" | "presence">,
): TextStatistics {
  const before = last?.liveBitmap ?? new Uint32Array(liveBitmap.length);
  let { documentCount, termCount } = last ?? { documentCount: 0, termCount: 0 };
  for (let w = 0; w < liveBitmap.length; w++) {
    if (liveBitmap[w] === before[w]) continue;
    // Of texts that are all live, totals are enough.
    const { lengths, presence } = text;
    for (let word = liveBitmap[w] ^ before[w]; word !== 0; word &= word - 1) {
      const bit = word & -word;
      const ordinal = (w << 5) + 31 - Math.clz32(bit);
      if (presence !== undefined && !isPresent(presence, ordinal)) continue;
      const sign = (liveBitmap[w] & bit) === 0 ? -1 : 1;
      documentCount += sign;
      termCount += sign * lengths[ordinal];
    }
  }
  return { documentCount, termCount };
}

/** Whether a document has a value, by the bitmap of bytes that columns have. */
function isPresent(presence: Uint8Array, ordinal: number): boolean {
  return ((presence[ordinal >>> 3] >> (ordinal & 7)) & 1) === 1;
}
