/**
 * A large text index by pages of its terms, so that a query reads only the pages with its terms,
 * whose places it knows before it reads anything. In three sections, all packed
 * (`columns-packing.ts`). The root, in the segment's head:
 *
 * - the fingerprint of the options that its terms come from (text);
 * - how many documents have a value; how many terms those have, low and high half (words);
 * - postings of a block of bounds (a word, 0 if no list has bounds);
 * - separators, one for each page: offsets and bytes (`term-section.ts`). That of the first page is
 *   empty; any other is no more than the first term of its page and more than the last one before;
 * - the code of the first term of each page, then the count of terms;
 * - where each page begins in its section, then where the last one ends, in bytes.
 *
 * The pages end to end. Codes count from the first term of the page:
 *
 * - its terms: offsets and bytes;
 * - where the list of each begins, then where the last one ends, in units (`compact-section.ts`);
 * - codes of lists with bounds; where those begin, then where the last ones end, in words
 *   (`block-section.ts`);
 * - the place of its first bitmap (a word); codes of lists with bitmaps (`bitset-section.ts`);
 * - great frequencies (`frequencies.ts`).
 *
 * The lengths:
 *
 * - bytes of each, 1 or 4 (a word); the count of terms of each document;
 * - 1 and the bitmap of the documents with a value, as columns have it, or 0 if all have one.
 */

import { KIB } from "../../base/byte-sizes.ts";
import { firstFrom } from "../../base/numbers/first-from.ts";
import type { Steps } from "../../base/steps.ts";
import { ArrayPacker } from "../../codec/columns-packing.ts";
import { packedSection } from "../format/section-plans.ts";
import type { SectionPlan } from "../format/segment-layout.ts";
import type { BitsetReader } from "../postings/bitset-section.ts";
import type { BlockPlaces, BlockReader } from "../postings/block-section.ts";
import type { PostingDirectory } from "../postings/posting-section.ts";
import { type SortedStrings, StringCollector, stringCount } from "../postings/term-section.ts";
import { type GreatFrequencies, packGreats } from "./frequencies.ts";
import { TEXT_LENGTHS, TEXT_PAGES, TEXT_ROOT } from "./text-kinds.ts";
import type { TextLists } from "./text-lists.ts";

/** Codes of terms from `start` to before `end`. */
export interface CodeRange {
  readonly start: number;
  readonly end: number;
}

/** Counts of terms by document. */
export type TextLengths = Uint8Array | Uint32Array;

/** What is known of all texts of a segment, deleted ones too. */
export interface TextTotals {
  /** Documents with a value. */
  readonly documentCount: number;
  /** Terms of their values. */
  readonly termCount: number;
}

/** Which documents have a value, and how long it is. */
export interface LengthsPart {
  readonly lengths: TextLengths;
  /** Bitmap of the documents with a value; undefined if all have one. */
  readonly presence: Uint8Array | undefined;
}

/** Some terms that follow each other, and what is beside them. Codes count from the first one. */
export interface TextPage {
  readonly firstCode: number;
  readonly strings: SortedStrings;
  readonly lists: TextLists;
  readonly blocks: BlockReader;
  readonly bitsets: BitsetReader;
}

/** All terms of a text index. Whatever reads may throw `BytesMissing`. */
export interface TextPages {
  readonly termCount: number;
  /** The page of a code. */
  pageOf(code: number): TextPage;
  /** The page that a term is in if any is: the last one that begins with it or before it. */
  pageWith(term: Uint8Array): TextPage;
  /** The codes of all terms on that page; reads nothing. */
  codesNear(term: Uint8Array): CodeRange;
  /** Looks at all pages with terms from `start` to before `end`, at once. */
  touch(start: Uint8Array, end: Uint8Array): void;
}

/** How pages are cut. */
export interface PageExtent {
  /** An index whose terms and lengths take no more has no pages: it is read as a whole. */
  readonly plainBytesMax: number;
  /** A page has so many bytes at least, about. */
  readonly pageBytesMin: number;
  /** So there are no more, and heads stay small; then they are larger. */
  readonly pagesMax: number;
  /** A page begins only where its separator is no longer: terms may have any length. */
  readonly separatorBytesMax: number;
}

/**
 * A reader of a store loads windows of 64 KiB, so that smaller indexes are best read at once, and
 * pages of a quarter lie in one mostly. 128 pages add 2 to 3 KB to a head, of an index of 2 MiB or
 * more (ADR 61).
 */
export const PAGE_EXTENT: PageExtent = {
  plainBytesMax: 64 * KIB,
  pageBytesMin: 16 * KIB,
  pagesMax: 128,
  separatorBytesMax: 32,
};

/** Bytes of a term in a page beside its own: where it begins, and where its list does. */
const TERM_BYTES = 8;
/** Terms that one step of a build looks at. */
const STEP_TERMS = 16_384;
/** The high half of a number counts so much. */
export const WORD = 2 ** 32;
/** The longest text of those that are counted in a byte. */
const BYTE_MAX = 255;

/** A text index that is planned. */
export interface PlannedPages {
  readonly fingerprint: string;
  readonly lengths: Uint32Array;
  readonly presence: Uint8Array | undefined;
  /** Starts are in units. */
  readonly directory: PostingDirectory;
  readonly greats: GreatFrequencies;
  readonly blocks: BlockPlaces | undefined;
  /** Codes of lists with bitmaps. */
  readonly bitsets: Uint32Array | undefined;
}

/** Tells whether an index of these terms and lengths has pages. */
export function hasPages(
  { offsets, bytes }: SortedStrings,
  lengths: Uint32Array,
  { plainBytesMax }: PageExtent,
): boolean {
  const termBytes = bytes.length + TERM_BYTES * offsets.length;
  return termBytes + lengths.byteLength > plainBytesMax;
}

/** Plans the three sections. */
export function* planPages(
  attribute: string,
  index: PlannedPages,
  extent: PageExtent,
): Steps<SectionPlan[]> {
  const { strings } = index.directory;
  const firstCodes = yield* cutPages(strings, extent);
  const separators = new StringCollector();
  const pageStarts = [0];
  const packers: ArrayPacker[] = [];
  for (let p = 0; p + 1 < firstCodes.length; p++) {
    const start = strings.offsets[firstCodes[p]];
    separators.addBytes(strings.bytes, start, start + separatorBytes(strings, firstCodes[p]));
    const packer = packPage(index, firstCodes[p], firstCodes[p + 1]);
    packers.push(packer);
    pageStarts.push(pageStarts[p] + packer.bytes);
    yield;
  }
  const root = new ArrayPacker();
  root.text(index.fingerprint);
  const totals = totalsOf(index);
  root.word(totals.documentCount);
  root.word(totals.termCount % WORD);
  root.word(Math.floor(totals.termCount / WORD));
  root.word(index.blocks?.blockPostings ?? 0);
  const { offsets, bytes } = yield* separators.finish();
  root.array(offsets);
  root.array(bytes);
  root.array(Uint32Array.from(firstCodes));
  root.array(Uint32Array.from(pageStarts));
  return [
    { ...packedSection(TEXT_ROOT, attribute, root), isInHead: true },
    pagesSection(attribute, packers, pageStarts),
    packedSection(TEXT_LENGTHS, attribute, packLengths(index)),
  ];
}

function pagesSection(
  attribute: string,
  packers: readonly ArrayPacker[],
  starts: readonly number[],
): SectionPlan {
  return {
    kind: TEXT_PAGES,
    attribute,
    bytes: starts[packers.length],
    *writeTo(target) {
      for (const [p, packer] of packers.entries()) {
        yield* packer.writeTo(target.subarray(starts[p], starts[p + 1]));
      }
    },
  };
}

/** The code of the first term of each page, then the count of terms. */
function* cutPages(strings: SortedStrings, extent: PageExtent): Steps<number[]> {
  const { offsets } = strings;
  const count = stringCount(strings);
  const bytesTo = (code: number) => offsets[code] + TERM_BYTES * code;
  const pageBytes = Math.max(extent.pageBytesMin, Math.ceil(bytesTo(count) / extent.pagesMax));
  const firstCodes = [0];
  let first = 0;
  for (let code = 1; code < count; code++) {
    if (code % STEP_TERMS === 0) yield;
    if (bytesTo(code) - bytesTo(first) < pageBytes) continue;
    if (separatorBytes(strings, code) > extent.separatorBytesMax) continue;
    firstCodes.push(code);
    first = code;
  }
  firstCodes.push(count);
  return firstCodes;
}

/** How many first bytes of a term tell it from the one before; none of the first term. */
function separatorBytes({ offsets, bytes }: SortedStrings, code: number): number {
  if (code === 0) return 0;
  const before = offsets[code - 1];
  const start = offsets[code];
  let shared = 0;
  while (before + shared < start && bytes[before + shared] === bytes[start + shared]) shared++;
  return shared + 1;
}

function packPage(
  { directory, greats, blocks, bitsets }: PlannedPages,
  start: number,
  end: number,
): ArrayPacker {
  const { strings, starts } = directory;
  const from = strings.offsets[start];
  const packer = new ArrayPacker();
  packer.array(strings.offsets.slice(start, end + 1).map((offset) => offset - from));
  packer.array(strings.bytes.subarray(from, strings.offsets[end]));
  packer.array(starts.subarray(start, end + 1));
  const bounded = rangeOf(blocks?.codes, start, end);
  packer.array(localCodes(blocks?.codes, bounded, start));
  packer.array(blocks?.starts.subarray(bounded.from, bounded.to + 1) ?? new Uint32Array(1));
  const having = rangeOf(bitsets, start, end);
  packer.word(having.from);
  packer.array(localCodes(bitsets, having, start));
  const great = rangeOf(greats.codes, start, end);
  packGreats(packer, {
    codes: localCodes(greats.codes, great, start),
    indexes: greats.indexes.subarray(great.from, great.to),
    values: greats.values.subarray(great.from, great.to),
  });
  return packer;
}

interface IndexSpan {
  readonly from: number;
  readonly to: number;
}

/** Where those of ascending codes are that lie from `start` to before `end`. */
function rangeOf(codes: Uint32Array | undefined, start: number, end: number): IndexSpan {
  if (codes === undefined) return { from: 0, to: 0 };
  return { from: firstFrom(codes, start), to: firstFrom(codes, end) };
}

function localCodes(codes: Uint32Array | undefined, { from, to }: IndexSpan, first: number) {
  return (codes ?? new Uint32Array(0)).slice(from, to).map((code) => code - first);
}

function packLengths({ lengths, presence }: LengthsPart): ArrayPacker {
  const packer = new ArrayPacker();
  const isShort = lengths.every((length) => length <= BYTE_MAX);
  packer.word(isShort ? 1 : 4);
  packer.array(isShort ? new Uint8Array(lengths) : lengths);
  packer.word(presence === undefined ? 0 : 1);
  if (presence !== undefined) packer.array(presence);
  return packer;
}

/** Adds up what `lengths` and `presence` say. */
export function totalsOf({ lengths, presence }: LengthsPart): TextTotals {
  let documentCount = presence === undefined ? lengths.length : 0;
  let termCount = 0;
  for (let ordinal = 0; ordinal < lengths.length; ordinal++) {
    termCount += lengths[ordinal];
    if (presence !== undefined) documentCount += (presence[ordinal >> 3] >> (ordinal & 7)) & 1;
  }
  return { documentCount, termCount };
}
