/**
 * Counts the terms of a stored segment's deleted documents, to be stored beside its live bitmap.
 * What was counted before stays; of those that were deleted since, the texts are read if they are
 * few, or all posting lists if they are many (ADR 57).
 */

import { MIB } from "../base/byte-sizes.ts";
import { isDatabaseError } from "../base/errors.ts";
import type { SegmentReads } from "../cache/segment-reads.ts";
import { bitmapOrdinals, countBits, fullBitmap, hasBit } from "../codec/bitmap.ts";
import { corrupt } from "../codec/columns-packing.ts";
import type { FullTextOptions } from "../model/full-text-options.ts";
import type { Schema } from "../model/schema.ts";
import { columnOwners } from "../model/stored-columns.ts";
import {
  type CountedDeletions,
  decodeTermCounts,
  encodeTermCounts,
} from "../segment/deletions/counted-deletions.ts";
import { readsDocuments, termsOfDocuments } from "../segment/documents/document-terms.ts";
import { attemptAll } from "../segment/format/bytes-missing.ts";
import type { LiveSegment } from "../segment/memtable/live-segment.ts";
import { PAGE_ORDINALS } from "../segment/postings/list-layout.ts";
import type { OrdinalList } from "../segment/postings/ordinal-list.ts";
import type { OpenSegment } from "../segment/segment-reader.ts";
import { TEXT_INDEX } from "../segment/text/text-index.ts";
import { TEXT_LISTS } from "../segment/text/text-kinds.ts";
import { textFingerprint } from "../segment/text/text-section.ts";
import type { TextView } from "../segment/text/text-view.ts";

/** Documents whose texts are read together: 16 MiB where each is in a window of its own. */
const STEP_DOCUMENTS = 256;
/** Bytes of posting lists that are read together, on an average. */
const STEP_LIST_BYTES = 4 * MIB;

/** What counting needs beside the segment. */
export interface CountOptions {
  readonly schema: Schema;
  readonly reads: SegmentReads;
  /** Lets other work of the process have its turn. */
  readonly yield: () => Promise<void>;
}

/** How deleted documents are counted: `later` leaves it to another fold. */
export type Counting = "texts" | "lists" | "later";

/** All lists are read for one of so many documents: then each takes as long as some texts do. */
const LISTS_SHARE = 1 / 128;

/** Picks the way for documents deleted since the last count, as bytes and time decide. Pure. */
export function pickCounting(of: {
  readonly deletedCount: number;
  readonly documentCount: number;
  /** Of all posting lists of texts. */
  readonly listBytes: number;
  /** The texts give the terms that the indexes have. */
  readonly areTextsSame: boolean;
}): Counting {
  if (of.areTextsSame && readsDocuments(of.deletedCount, of.listBytes)) return "texts";
  return of.deletedCount >= of.documentCount * LISTS_SHARE ? "lists" : "later";
}

/**
 * Undefined if nothing is counted, as in a segment without a text index. What was counted before if
 * it is not time for more, or where the segment cannot be read: queries do without, and whoever
 * needs the segment will say what is wrong with it.
 */
export async function countDeletions(
  { view, liveBitmap, counted }: LiveSegment,
  options: CountOptions,
): Promise<CountedDeletions | undefined> {
  const columns = view.indexedAttributes.filter((column) => view.hasIndex(TEXT_INDEX, column));
  if (columns.length === 0) return undefined;
  const before = counted?.liveBitmap ?? fullBitmap(view.documentCount);
  const deleted = before.map((word, w) => word & ~liveBitmap[w]);
  try {
    const texts: ColumnTexts[] = [];
    for (const column of columns) texts.push(await describeTexts(view, column, options));
    const counting = pickCounting({
      deletedCount: countBits(deleted),
      documentCount: view.documentCount,
      listBytes: texts.reduce((sum, { listBytes }) => sum + listBytes, 0),
      areTextsSame: texts.every(({ analyzed }) => analyzed !== undefined),
    });
    if (counting === "later") return counted;
    const terms = new Map<string, Uint8Array>();
    for (const text of texts) {
      const counts = knownCounts(counted?.terms.get(text.column), text.termCount);
      if (counting === "texts") await addTexts(counts, { view, deleted, ...text }, options);
      else await addLists(counts, { view, deleted, ...text }, options);
      terms.set(text.column, encodeTermCounts(counts));
    }
    return { liveBitmap: liveBitmap.slice(), terms };
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
    return counted;
  }
}

/** What there is to know of a text index. */
interface ColumnTexts {
  readonly column: string;
  readonly termCount: number;
  readonly listBytes: number;
  /** The options that the index was made with; undefined if nobody has them any more. */
  readonly analyzed: FullTextOptions | undefined;
}

async function describeTexts(
  view: OpenSegment,
  column: string,
  { schema, reads }: CountOptions,
): Promise<ColumnTexts> {
  const { termCount, fingerprint } = await reads.run(() => textOf(view, column));
  const listBytes = view.sections(column).entry(TEXT_LISTS.kind)?.bytes ?? 0;
  const text = columnOwners(schema).get(column)?.schema.fullTextSearch;
  const isSame = text !== undefined && textFingerprint(text) === fingerprint;
  return { column, termCount, listBytes, analyzed: isSame ? text : undefined };
}

/** Counts by code, as they were stored. */
function knownCounts(known: Uint8Array | undefined, termCount: number): Uint32Array {
  const counts = new Uint32Array(termCount);
  if (known === undefined) return counts;
  const decoded = decodeTermCounts(known);
  decoded.codes.forEach((code, i) => {
    counts[code] = decoded.counts[i];
  });
  return counts;
}

/** Deleted documents that are to be counted. */
interface ColumnDeletions extends ColumnTexts {
  readonly view: OpenSegment;
  readonly deleted: Uint32Array;
}

function textOf(view: OpenSegment, column: string): TextView {
  const text = view.index(TEXT_INDEX, column);
  if (text === undefined) throw corrupt("a segment", `it has no text index of '${column}'`);
  return text;
}

async function addTexts(
  counts: Uint32Array,
  { view, column, deleted, analyzed }: ColumnDeletions,
  { reads, yield: pause }: CountOptions,
): Promise<void> {
  if (analyzed === undefined) return;
  const ordinals = bitmapOrdinals(deleted);
  const byTerm = new Map<string, number>();
  for (let start = 0; start < ordinals.length; start += STEP_DOCUMENTS) {
    const some = ordinals.subarray(start, start + STEP_DOCUMENTS);
    const found = await reads.run(() => {
      const values = view.column(column);
      return values === undefined ? [] : [...termsOfDocuments(values, analyzed, some)];
    });
    for (const [term, count] of found) byTerm.set(term, (byTerm.get(term) ?? 0) + count);
    await pause();
  }
  const codes = await reads.run(() => {
    const index = textOf(view, column);
    return attemptAll(Array.from(byTerm.keys(), (term) => () => codeOf(index, term)));
  });
  let at = 0;
  for (const count of byTerm.values()) counts[codes[at++]] += count;
}

function codeOf(text: TextView, term: string): number {
  const code = text.lowerBound(term);
  if (code < text.termCount && text.term(code) === term) return code;
  throw corrupt("a text index", "it lacks a term of a document");
}

async function addLists(
  counts: Uint32Array,
  { view, column, deleted, listBytes }: ColumnDeletions,
  { reads, yield: pause }: CountOptions,
): Promise<void> {
  const stepTerms = Math.ceil(STEP_LIST_BYTES / Math.max(1, listBytes / counts.length));
  for (let start = 0; start < counts.length; start += stepTerms) {
    const codes = Array.from(counts.subarray(start, start + stepTerms), (_count, i) => start + i);
    const found = await reads.run(() => {
      const text = textOf(view, column);
      return attemptAll(
        codes.map((code) => () => countIn(text.postingsAt(code).ordinals, deleted)),
      );
    });
    found.forEach((count, i) => {
      counts[start + i] += count;
    });
    await pause();
  }
}

/** How many of the ordinals are in a set. */
function countIn(ordinals: OrdinalList, set: Uint32Array): number {
  let count = 0;
  let page = 0;
  for (let i = 0; i < ordinals.length; ) {
    page = ordinals.pageOf(i, page);
    const start = page * PAGE_ORDINALS;
    for (const end = ordinals.pageEnd(page); i < end; i++) {
      if (hasBit(set, start + ordinals.lows[i])) count++;
    }
  }
  return count;
}
