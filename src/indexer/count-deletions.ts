/**
 * Counts the terms of a stored segment's deleted documents, to be stored beside its live bitmap.
 * What was counted before stays; of those that died since, either the texts are read or all posting
 * lists, whichever is less.
 */

import { MIB } from "../base/byte-sizes.ts";
import { isDatabaseError } from "../base/errors.ts";
import type { SegmentReads } from "../cache/segment-reads.ts";
import { bitmapOrdinals, fullBitmap, hasBit } from "../codec/bitmap.ts";
import { corrupt } from "../codec/columns-packing.ts";
import type { FullTextOptions } from "../model/full-text-options.ts";
import type { Schema } from "../model/schema.ts";
import { columnOwners } from "../model/stored-columns.ts";
import {
  type CountedDeletions,
  decodeTermCounts,
  encodeTermCounts,
} from "../segment/deletions/counted-deletions.ts";
import { readsDocuments, termsOfDocuments } from "../segment/deletions/document-terms.ts";
import { attemptAll } from "../segment/format/bytes-missing.ts";
import type { LiveSegment } from "../segment/memtable/live-segment.ts";
import { PAGE_ORDINALS } from "../segment/postings/list-layout.ts";
import type { OrdinalList } from "../segment/postings/ordinal-list.ts";
import type { OpenSegment } from "../segment/segment-reader.ts";
import { TEXT_INDEX } from "../segment/text/text-index.ts";
import { TEXT_LISTS, WORD_TEXT_LISTS } from "../segment/text/text-kinds.ts";
import { type TextView, textFingerprint } from "../segment/text/text-section.ts";

/** Documents whose texts are read together: 16 MiB where each is in a window of its own. */
const STEP_DOCUMENTS = 256;
/** Bytes of posting lists that are read together, on an average. */
const STEP_LIST_BYTES = 4 * MIB;
/** Sections with posting lists of texts. */
const LIST_SECTIONS: readonly number[] = [TEXT_LISTS.kind, ...Object.values(WORD_TEXT_LISTS)];

/** What counting needs beside the segment. */
export interface CountOptions {
  readonly schema: Schema;
  readonly reads: SegmentReads;
  /** Lets other work of the process have its turn. */
  readonly yield: () => Promise<void>;
}

/**
 * Undefined if the segment has no text index. Where it cannot be read, what was counted before:
 * queries do without, and whoever needs the segment will say what is wrong with it.
 */
export async function countDeletions(
  { view, liveBitmap, counted }: LiveSegment,
  options: CountOptions,
): Promise<CountedDeletions | undefined> {
  const before = counted?.liveBitmap ?? fullBitmap(view.documentCount);
  const since = before.map((word, w) => word & ~liveBitmap[w]);
  const terms = new Map<string, Uint8Array>();
  try {
    for (const column of view.indexedAttributes) {
      if (!view.hasIndex(TEXT_INDEX, column)) continue;
      const known = counted?.terms.get(column);
      // Without counts of before all that are deleted are to be counted.
      const deleted = known === undefined ? invert(liveBitmap, view.documentCount) : since;
      const found = await countColumn(view, { column, deleted, known }, options);
      terms.set(column, encodeTermCounts(found));
    }
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
    return counted;
  }
  return terms.size === 0 ? undefined : { liveBitmap: liveBitmap.slice(), terms };
}

function invert(liveBitmap: Uint32Array, documentCount: number): Uint32Array {
  return fullBitmap(documentCount).map((word, w) => word & ~liveBitmap[w]);
}

/** Documents of a column that are to be counted. */
interface ColumnDeletions {
  readonly column: string;
  readonly deleted: Uint32Array;
  /** Counts to which theirs are added. */
  readonly known: Uint8Array | undefined;
}

/** Counts by code. */
async function countColumn(
  view: OpenSegment,
  deletions: ColumnDeletions,
  options: CountOptions,
): Promise<Uint32Array> {
  const { column, deleted, known } = deletions;
  const { termCount, fingerprint } = await options.reads.run(() => textOf(view, column));
  const counts = new Uint32Array(termCount);
  if (known !== undefined) {
    const decoded = decodeTermCounts(known);
    decoded.codes.forEach((code, i) => {
      counts[code] = decoded.counts[i];
    });
  }
  const ordinals = bitmapOrdinals(deleted);
  const listBytes = view
    .sections(column)
    .entries.reduce((sum, { kind, bytes }) => sum + (LIST_SECTIONS.includes(kind) ? bytes : 0), 0);
  const text = columnOwners(options.schema).get(column)?.schema.fullTextSearch;
  const isSame = text !== undefined && textFingerprint(text) === fingerprint;
  if (isSame && readsDocuments(ordinals.length, listBytes)) {
    await addTexts(counts, { view, column, ordinals, text }, options);
  } else {
    await addLists(counts, { view, column, deleted, listBytes }, options);
  }
  return counts;
}

function textOf(view: OpenSegment, column: string): TextView {
  const text = view.index(TEXT_INDEX, column);
  if (text === undefined) throw corrupt("a segment", `it has no text index of '${column}'`);
  return text;
}

async function addTexts(
  counts: Uint32Array,
  from: {
    readonly view: OpenSegment;
    readonly column: string;
    readonly ordinals: Uint32Array;
    readonly text: FullTextOptions;
  },
  { reads, yield: pause }: CountOptions,
): Promise<void> {
  const { view, column, ordinals, text } = from;
  const byTerm = new Map<string, number>();
  for (let start = 0; start < ordinals.length; start += STEP_DOCUMENTS) {
    const some = ordinals.subarray(start, start + STEP_DOCUMENTS);
    const found = await reads.run(() => {
      const values = view.column(column);
      return values === undefined ? [] : [...termsOfDocuments(values, text, some)];
    });
    for (const [term, count] of found) byTerm.set(term, (byTerm.get(term) ?? 0) + count);
    await pause();
  }
  const codes = await reads.run(() => {
    const index = textOf(view, column);
    return Array.from(byTerm.keys(), (term) => codeOf(index, term));
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
  from: {
    readonly view: OpenSegment;
    readonly column: string;
    readonly deleted: Uint32Array;
    readonly listBytes: number;
  },
  { reads, yield: pause }: CountOptions,
): Promise<void> {
  const { view, column, deleted, listBytes } = from;
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
