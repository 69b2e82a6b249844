/** What a thread knows of the terms of deleted documents, by segment and attribute. */

import { bitmapOrdinals, fullBitmap } from "../../codec/bitmap.ts";
import { decodeTermCounts, type TermCounts } from "../../segment/deletions/counted-deletions.ts";
import type { SegmentSnapshot, SegmentView } from "../../segment/segment-view.ts";

/** The deleted documents of a segment, in three parts, each of which is counted in its own way. */
export interface DeletedTerms {
  /** Counts that the store has. */
  readonly stored: TermCounts;
  /** Which documents were live for those; tells whether they are still the same. */
  readonly liveWhenStored: Uint32Array | undefined;
  /** How many have each term of those whose texts were read here. */
  readonly byText: Map<string, number>;
  /** Documents that are in neither count are live here, or have died since. */
  liveWhenCounted: Uint32Array;
  /** Those that have died, ascending. */
  since: Uint32Array;
  liveVersion: number;
  /** How many of those have a term, as far as somebody asked. */
  readonly byList: Map<string, number>;
  /** There are so many terms that no more texts are to be read. */
  readonly isFull: boolean;
}

/** Terms that are counted by texts: some megabytes of an attribute of a segment. */
const TEXT_TERMS_MAX = 65_536;

/** Per view and attribute, at the last `liveVersion` asked for. */
const KNOWN = new WeakMap<SegmentView, Map<string, DeletedTerms>>();

/** What is known of a segment where some documents are deleted. */
export function deletedTermsOf(segment: SegmentSnapshot, attribute: string): DeletedTerms {
  const { view, liveVersion, counted } = segment;
  const byAttribute = KNOWN.get(view) ?? new Map<string, DeletedTerms>();
  const last = byAttribute.get(attribute);
  if (last !== undefined && last.liveWhenStored === counted?.liveBitmap) {
    if (last.liveVersion === liveVersion) return last;
    if (isWithin(segment.liveBitmap, last.liveWhenCounted)) return follow(last, segment);
    // The snapshot is older than another one that was asked about.
    return begin(segment, attribute);
  }
  const begun = begin(segment, attribute);
  KNOWN.set(view, byAttribute.set(attribute, begun));
  return begun;
}

/** Adds what the texts of all that have died since say. */
export function addDocuments(
  to: DeletedTerms,
  { liveBitmap }: SegmentSnapshot,
  counts: ReadonlyMap<string, number>,
): void {
  for (const [term, count] of counts) to.byText.set(term, (to.byText.get(term) ?? 0) + count);
  to.liveWhenCounted = liveBitmap.slice();
  to.since = new Uint32Array(0);
  to.byList.clear();
}

/** Only what the store has counted is known. */
function begin(segment: SegmentSnapshot, attribute: string): DeletedTerms {
  const { view, liveBitmap, liveVersion, counted } = segment;
  const counts = counted?.terms.get(attribute);
  const isKnown = counts !== undefined && isWithin(liveBitmap, counted?.liveBitmap);
  const liveWhenCounted = isKnown ? counted?.liveBitmap : undefined;
  const byText = new Map<string, number>();
  const begun = {
    stored: isKnown ? decodeTermCounts(counts) : NO_COUNTS,
    liveWhenStored: counted?.liveBitmap,
    byText,
    liveWhenCounted: liveWhenCounted ?? fullBitmap(view.documentCount),
    since: new Uint32Array(0),
    liveVersion,
    byList: new Map<string, number>(),
    get isFull() {
      return byText.size >= TEXT_TERMS_MAX;
    },
  };
  return follow(begun, segment);
}

const NO_COUNTS: TermCounts = { codes: new Uint32Array(0), counts: new Uint32Array(0) };

function follow(known: DeletedTerms, { liveBitmap, liveVersion }: SegmentSnapshot): DeletedTerms {
  const died = known.liveWhenCounted.map((word, w) => word & ~liveBitmap[w]);
  known.since = bitmapOrdinals(died);
  known.liveVersion = liveVersion;
  known.byList.clear();
  return known;
}

/** Whether a set has no more than the other one. */
function isWithin(set: Uint32Array, other: Uint32Array | undefined): boolean {
  if (other === undefined) return false;
  for (let w = 0; w < set.length; w++) if ((set[w] & ~other[w]) !== 0) return false;
  return true;
}
