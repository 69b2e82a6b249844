/**
 * How many live documents have a term: exact, so that no score depends on where documents are
 * stored or on what was there before. The dictionary counts all documents of a segment. How many of
 * the deleted ones have the term, the store says of those that were deleted when their terms were
 * counted; those that were deleted since are looked up in the term's list if that is in memory, and
 * where it is not, their texts are read if that is less than the list (ADR 57).
 */

import { hasBit } from "../../codec/bitmap.ts";
import { corrupt } from "../../codec/columns-packing.ts";
import type { FullTextOptions } from "../../model/full-text-options.ts";
import { countOf } from "../../segment/deletions/counted-deletions.ts";
import { readsDocuments, termsOfDocuments } from "../../segment/documents/document-terms.ts";
import { BytesMissing } from "../../segment/format/bytes-missing.ts";
import { PAGE_ORDINALS } from "../../segment/postings/list-layout.ts";
import type { OrdinalList } from "../../segment/postings/ordinal-list.ts";
import { TEXT_INDEX } from "../../segment/text/text-index.ts";
import { textFingerprint } from "../../segment/text/text-section.ts";
import type { TextView } from "../../segment/text/text-view.ts";
import type { SegmentSnapshot } from "../../segment/view/segment-view.ts";
import type { Together } from "../operator/operator.ts";
import { addDocuments, type DeletedTerms, deletedTermsOf } from "./deleted-terms.ts";

/** A term of an attribute. */
export interface AttributeTerm {
  readonly attribute: string;
  readonly term: string;
  /** Those of the attribute; without them texts are not read. */
  readonly options?: FullTextOptions | undefined;
}

/** Counts the live documents with the term. Throws `BytesMissing`, for all segments at once. */
export function documentFrequency(
  segments: readonly SegmentSnapshot[],
  term: AttributeTerm,
  together: Together,
): number {
  const counts = together(segments.map((segment) => () => liveCountOf(segment, term)));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Postings that are counted in the time in which one document is looked up among them. */
const LOOKUP_POSTINGS = 16;
/** Bytes of a posting list for each posting, about: two for its ordinal and one for its number. */
const POSTING_BYTES = 3;
/** Terms of an attribute of a segment that are remembered by their lists. */
const LIST_COUNTS_MAX = 4096;

function liveCountOf(segment: SegmentSnapshot, wanted: AttributeTerm): number {
  const { view, liveCount } = segment;
  const { attribute, term } = wanted;
  const text = view.index(TEXT_INDEX, attribute);
  const count = text?.postingCount(term) ?? 0;
  if (text === undefined || count === 0 || view.documentCount === liveCount) return count;
  const deleted = deletedTermsOf(segment, attribute);
  const known = storedCount(text, term, deleted) + (deleted.byText.get(term) ?? 0);
  const live = count - known - countSince(segment, { deleted, text, count }, wanted);
  if (live < 0) {
    throw corrupt("counts of deleted terms", `more are deleted than the ${count} with '${term}'`);
  }
  return live;
}

/** How many had the term of those that were deleted when the store's counts were made. */
function storedCount(text: TextView, term: string, { stored }: DeletedTerms): number {
  if (stored.codes.length === 0) return 0;
  const code = text.lowerBound(term);
  return code < text.termCount && text.term(code) === term ? countOf(stored, code) : 0;
}

/** How many have the term of those that are in no count yet; it may count them all. */
function countSince(
  segment: SegmentSnapshot,
  known: { readonly deleted: DeletedTerms; readonly text: TextView; readonly count: number },
  { attribute, term, options }: AttributeTerm,
): number {
  const { deleted, text, count } = known;
  const { since, byList } = deleted;
  if (since.length === 0) return 0;
  const remembered = byList.get(term);
  if (remembered !== undefined) return remembered;
  try {
    const found = countInList(text, term, { deleted, liveBitmap: segment.liveBitmap });
    if (byList.size >= LIST_COUNTS_MAX) byList.clear();
    byList.set(term, found);
    return found;
  } catch (error) {
    if (!(error instanceof BytesMissing) || deleted.isFull) throw error;
    if (!readsDocuments(since.length, count * POSTING_BYTES)) throw error;
    if (options === undefined || textFingerprint(options) !== text.fingerprint) throw error;
    const column = segment.view.column(attribute);
    if (column === undefined) throw error;
    const before = deleted.byText.get(term) ?? 0;
    addDocuments(deleted, segment, termsOfDocuments(column, options, since));
    return (deleted.byText.get(term) ?? 0) - before;
  }
}

/** How many of those that were deleted since have the term. */
function countInList(
  text: TextView,
  term: string,
  among: { readonly deleted: DeletedTerms; readonly liveBitmap: Uint32Array },
): number {
  const ordinals = text.postings(term)?.ordinals;
  if (ordinals === undefined) return 0;
  const { deleted, liveBitmap } = among;
  const { since, liveWhenCounted } = deleted;
  if (since.length * LOOKUP_POSTINGS < ordinals.length) {
    let found = 0;
    for (const ordinal of since) if (ordinals.includes(ordinal)) found++;
    return found;
  }
  return countOnlyIn(ordinals, liveWhenCounted, liveBitmap);
}

/** How many of the ordinals are in the first set and not in the second: looks at each. */
function countOnlyIn(ordinals: OrdinalList, first: Uint32Array, second: Uint32Array): number {
  let count = 0;
  let page = 0;
  for (let i = 0; i < ordinals.length; ) {
    page = ordinals.pageOf(i, page);
    const start = page * PAGE_ORDINALS;
    for (const end = ordinals.pageEnd(page); i < end; i++) {
      const ordinal = start + ordinals.lows[i];
      if (hasBit(first, ordinal) && !hasBit(second, ordinal)) count++;
    }
  }
  return count;
}
