/** What a thread knows of the terms of deleted documents, by segment and attribute. */

import { fullBitmap, popCount } from "../../codec/bitmap.ts";
import { decodeTermCounts, type TermCounts } from "../../segment/deletions/counted-deletions.ts";
import type { SegmentSnapshot, SegmentView } from "../../segment/view/segment-view.ts";

/** The deleted documents of a segment, in three parts, each of which is counted in its own way. */
export interface DeletedTerms {
  /** Counts that the store has. */
  readonly stored: TermCounts;
  /** Which documents were live for those; tells whether they are still the same. */
  readonly liveWhenStored: Uint32Array | undefined;
  /** How many have each term of those whose texts were read here. */
  readonly byText: Map<string, number>;
  /** Documents that are in neither count are live here, or were deleted since. */
  liveWhenCounted: Uint32Array;
  /** Those that were, ascending. */
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
    const since = deletedSince(last.liveWhenCounted, segment.liveBitmap);
    // Else the snapshot is older than another one that was asked about.
    return since === undefined ? begin(segment, attribute) : follow(last, since, liveVersion);
  }
  const begun = begin(segment, attribute);
  KNOWN.set(view, byAttribute.set(attribute, begun));
  return begun;
}

/** Adds what the texts of all that were deleted since say. */
export function addDocuments(
  to: DeletedTerms,
  { liveBitmap }: SegmentSnapshot,
  counts: ReadonlyMap<string, number>,
): void {
  for (const [term, count] of counts) to.byText.set(term, (to.byText.get(term) ?? 0) + count);
  to.liveWhenCounted = liveBitmap.slice();
  to.since = NO_ORDINALS;
  to.byList.clear();
}

/** Only what the store has counted is known. */
function begin(segment: SegmentSnapshot, attribute: string): DeletedTerms {
  const { view, liveBitmap, liveVersion, counted } = segment;
  const counts = counted?.terms.get(attribute);
  const sinceStored =
    counted === undefined || counts === undefined
      ? undefined
      : deletedSince(counted.liveBitmap, liveBitmap);
  const isStored = sinceStored !== undefined && counted !== undefined && counts !== undefined;
  const liveWhenCounted = isStored ? counted.liveBitmap : fullBitmap(view.documentCount);
  const byText = new Map<string, number>();
  return {
    stored: isStored ? decodeTermCounts(counts) : NO_COUNTS,
    liveWhenStored: counted?.liveBitmap,
    byText,
    liveWhenCounted,
    since: sinceStored ?? deletedSince(liveWhenCounted, liveBitmap) ?? NO_ORDINALS,
    liveVersion,
    byList: new Map(),
    get isFull() {
      return byText.size >= TEXT_TERMS_MAX;
    },
  };
}

const NO_ORDINALS = new Uint32Array(0);
const NO_COUNTS: TermCounts = { codes: NO_ORDINALS, counts: NO_ORDINALS };

function follow(known: DeletedTerms, since: Uint32Array, liveVersion: number): DeletedTerms {
  known.since = since;
  known.liveVersion = liveVersion;
  known.byList.clear();
  return known;
}

/** What was live before and is no more, ascending; undefined if something is live that was not. */
function deletedSince(before: Uint32Array, now: Uint32Array): Uint32Array | undefined {
  let count = 0;
  for (let w = 0; w < now.length; w++) {
    if ((now[w] & ~before[w]) !== 0) return undefined;
    if (now[w] !== before[w]) count += popCount(now[w] ^ before[w]);
  }
  const deleted = new Uint32Array(count);
  for (let w = 0, at = 0; at < count; w++) {
    for (let word = now[w] ^ before[w]; word !== 0; word &= word - 1) {
      deleted[at++] = (w << 5) + 31 - Math.clz32(word & -word);
    }
  }
  return deleted;
}
