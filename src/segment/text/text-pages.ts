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
import type { Steps } from "../../base/steps.ts";
import { ArrayPacker, ArrayUnpacker, corrupt } from "../../codec/columns-packing.ts";
import type { AttributeSections } from "../format/attribute-sections.ts";
import { attemptAll } from "../format/bytes-missing.ts";
import { packedSection } from "../format/section-plans.ts";
import type { SectionPlan } from "../format/segment-layout.ts";
import { type BitsetReader, bitsetReader } from "../postings/bitset-section.ts";
import {
  type BlockPlaces,
  type BlockReader,
  blockReader,
  touchBlocksAt,
} from "../postings/block-section.ts";
import type { PostingDirectory } from "../postings/posting-section.ts";
import {
  lastUpTo,
  lowerBoundOf,
  type SortedStrings,
  StringCollector,
  stringCount,
} from "../postings/term-section.ts";
import { type GreatFrequencies, packGreats, unpackGreats } from "./frequencies.ts";
import { TEXT_BITSETS, TEXT_BLOCKS, TEXT_LENGTHS, TEXT_PAGES, TEXT_ROOT } from "./text-kinds.ts";
import { openTextLists, type TextLists } from "./text-lists.ts";

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
const WORD = 2 ** 32;
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
  const { offsets, bytes } = separators.finish();
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

/** The first index of a number that is no less than `wanted`; the count of numbers if none is. */
function firstFrom(ascending: Uint32Array, wanted: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
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
function totalsOf({ lengths, presence }: LengthsPart): TextTotals {
  let documentCount = presence === undefined ? lengths.length : 0;
  let termCount = 0;
  for (let ordinal = 0; ordinal < lengths.length; ordinal++) {
    termCount += lengths[ordinal];
    if (presence !== undefined) documentCount += (presence[ordinal >> 3] >> (ordinal & 7)) & 1;
  }
  return { documentCount, termCount };
}

/** What the head says of a text index with pages. */
interface TextRoot {
  readonly fingerprint: string;
  readonly totals: TextTotals;
  readonly blockPostings: number;
  readonly separators: SortedStrings;
  readonly firstCodes: Uint32Array;
  readonly pageStarts: Uint32Array;
}

function openRoot(section: Uint8Array): TextRoot {
  const unpacker = new ArrayUnpacker(section, "a text index");
  const fingerprint = unpacker.text();
  const documentCount = unpacker.word();
  const termCount = unpacker.word() + WORD * unpacker.word();
  const blockPostings = unpacker.word();
  const separators = { offsets: unpacker.u32(), bytes: unpacker.u8() };
  const totals = { documentCount, termCount };
  const firstCodes = unpacker.u32();
  const pageStarts = unpacker.u32();
  const pages = stringCount(separators);
  if (pages < 1 || firstCodes.length !== pages + 1 || pageStarts.length !== pages + 1) {
    throw corrupt("a text index", "its pages do not fit each other");
  }
  return { fingerprint, totals, blockPostings, separators, firstCodes, pageStarts };
}

/** A page as it is stored. */
interface PageParts {
  readonly directory: PostingDirectory;
  readonly blocks: BlockPlaces;
  readonly bitsets: { readonly first: number; readonly codes: Uint32Array };
  readonly greats: GreatFrequencies;
}

function openPage(section: Uint8Array, blockPostings: number): PageParts {
  const unpacker = new ArrayUnpacker(section, "a page of terms");
  const strings = { offsets: unpacker.u32(), bytes: unpacker.u8() };
  const directory = { strings, starts: unpacker.u32() };
  const blocks = { blockPostings, codes: unpacker.u32(), starts: unpacker.u32() };
  const bitsets = { first: unpacker.word(), codes: unpacker.u32() };
  return { directory, blocks, bitsets, greats: unpackGreats(unpacker) };
}

/** Opens a text index with pages; undefined if there is none. Reads nothing. */
export function openPages(sections: AttributeSections): PagedText | undefined {
  const root = sections.headBytes(TEXT_ROOT);
  return root === undefined ? undefined : new PagedText(sections, openRoot(root));
}

/** All pages as one, with codes of the whole index. */
export interface WholeDictionary {
  readonly directory: PostingDirectory;
  readonly blocks: BlockPlaces;
  readonly bitsets: Uint32Array;
  readonly greats: GreatFrequencies;
}

/** A text index with pages. It keeps what it has opened of pages and lengths. */
export class PagedText implements TextPages, LengthsPart {
  readonly fingerprint: string;
  readonly totals: TextTotals;
  readonly #sections: AttributeSections;
  readonly #root: TextRoot;
  readonly #pages: (TextPage | undefined)[] = [];
  #lengths: LengthsPart | undefined;

  constructor(sections: AttributeSections, root: TextRoot) {
    this.fingerprint = root.fingerprint;
    this.totals = root.totals;
    this.#sections = sections;
    this.#root = root;
  }

  get termCount(): number {
    return this.#root.firstCodes[this.#pageCount];
  }

  get lengths(): TextLengths {
    return this.#openLengths().lengths;
  }

  get presence(): Uint8Array | undefined {
    return this.#openLengths().presence;
  }

  pageOf(code: number): TextPage {
    return this.#page(firstFrom(this.#root.firstCodes, code + 1) - 1);
  }

  pageWith(term: Uint8Array): TextPage {
    return this.#page(this.#indexWith(term));
  }

  codesNear(term: Uint8Array): CodeRange {
    const { firstCodes } = this.#root;
    const p = this.#indexWith(term);
    return { start: firstCodes[p], end: firstCodes[p + 1] };
  }

  touch(start: Uint8Array, end: Uint8Array): void {
    const last = this.#indexWith(end);
    const looks: (() => void)[] = [];
    for (let p = this.#indexWith(start); p <= last; p++) looks.push(() => void this.#page(p));
    attemptAll(looks);
  }

  /** Looks at all lists, and bounds of lists, of all pages. */
  touchParts(): void {
    attemptAll(
      Array.from({ length: this.#pageCount }, (_, p) => () => {
        const page = this.#page(p);
        const { blocks } = this.#parts(p);
        attemptAll([
          () => page.lists.touchAll(),
          () => touchBlocksAt(this.#sections, TEXT_BLOCKS, blocks),
        ]);
      }),
    );
  }

  /** Joins all pages, which must be in memory. Throws `corrupt` where they do not fit the root. */
  whole(): WholeDictionary {
    const { firstCodes, pageStarts } = this.#root;
    if (firstCodes[0] !== 0 || pageStarts[0] !== 0) {
      throw corrupt("a text index", "its first page is not where it begins");
    }
    const parts = Array.from({ length: this.#pageCount }, (_, p) => this.#checkedParts(p));
    const { blockPostings } = this.#root;
    const strings = joinStrings(parts.map(({ directory }) => directory.strings));
    const codes = (pick: (part: PageParts) => Uint32Array) => this.#joinCodes(parts.map(pick));
    return {
      directory: { strings, starts: joinStarts(parts.map(({ directory }) => directory.starts)) },
      blocks: {
        blockPostings,
        codes: codes(({ blocks }) => blocks.codes),
        starts: joinStarts(parts.map(({ blocks }) => blocks.starts)),
      },
      bitsets: codes(({ bitsets }) => bitsets.codes),
      greats: {
        codes: codes(({ greats }) => greats.codes),
        indexes: joinWords(parts.map(({ greats }) => greats.indexes)),
        values: joinWords(parts.map(({ greats }) => greats.values)),
      },
    };
  }

  /** Throws `corrupt` unless what the root says is true of all pages together, and of lengths. */
  check({ directory, bitsets }: WholeDictionary): void {
    const { separators, firstCodes, totals } = this.#root;
    const { strings } = directory;
    for (let p = 0; p < this.#pageCount; p++) {
      const separator = separators.bytes.subarray(separators.offsets[p], separators.offsets[p + 1]);
      if (lowerBoundOf(strings, separator) !== firstCodes[p]) {
        throw corrupt("a text index", `the separator of page ${p} is not between its terms`);
      }
      if (this.#parts(p).bitsets.first !== firstFrom(bitsets, firstCodes[p])) {
        throw corrupt("a text index", `page ${p} does not have its bitmaps`);
      }
    }
    const { documentCount, termCount } = totalsOf(this);
    if (documentCount !== totals.documentCount || termCount !== totals.termCount) {
      throw corrupt("a text index", "its totals are not those of its texts");
    }
  }

  get #pageCount(): number {
    return this.#root.pageStarts.length - 1;
  }

  #indexWith(term: Uint8Array): number {
    return Math.max(0, lastUpTo(this.#root.separators, term));
  }

  #page(index: number): TextPage {
    const known = this.#pages[index];
    if (known !== undefined) return known;
    const sections = this.#sections;
    const { directory, blocks, bitsets, greats } = this.#parts(index);
    const page = {
      firstCode: this.#root.firstCodes[index],
      strings: directory.strings,
      lists: openTextLists(sections, directory, greats),
      blocks: blockReader(sections, TEXT_BLOCKS, blocks),
      bitsets: bitsetReader(sections, TEXT_BITSETS, bitsets),
    };
    this.#pages[index] = page;
    return page;
  }

  #parts(index: number): PageParts {
    const { pageStarts, blockPostings } = this.#root;
    const section = this.#sections.part(TEXT_PAGES, pageStarts[index], pageStarts[index + 1]);
    return openPage(section, blockPostings);
  }

  #checkedParts(index: number): PageParts {
    const { firstCodes, pageStarts } = this.#root;
    const bytes = this.#sections.entry(TEXT_PAGES)?.bytes ?? 0;
    if (pageStarts[index] >= pageStarts[index + 1] || pageStarts[index + 1] > bytes) {
      throw corrupt("a text index", `page ${index} is not there`);
    }
    const parts = this.#parts(index);
    const { directory, blocks, bitsets, greats } = parts;
    const count = firstCodes[index + 1] - firstCodes[index];
    const isWhole =
      count >= 0 &&
      stringCount(directory.strings) === count &&
      directory.starts.length === count + 1 &&
      blocks.starts.length === blocks.codes.length + 1;
    const codes = [...blocks.codes, ...bitsets.codes, ...greats.codes];
    if (!isWhole || codes.some((code) => code >= count)) {
      throw corrupt("a text index", `page ${index} does not have its terms`);
    }
    return parts;
  }

  #joinCodes(parts: readonly Uint32Array[]): Uint32Array {
    const { firstCodes } = this.#root;
    return joinWords(parts.map((codes, p) => codes.map((code) => code + firstCodes[p])));
  }

  #openLengths(): LengthsPart {
    if (this.#lengths !== undefined) return this.#lengths;
    const section = this.#sections.bytes(TEXT_LENGTHS);
    if (section === undefined) throw corrupt("a text index", "its lengths are missing");
    const unpacker = new ArrayUnpacker(section, "lengths of texts");
    const lengths = unpacker.word() === 1 ? unpacker.u8() : unpacker.u32();
    this.#lengths = { lengths, presence: unpacker.word() === 1 ? unpacker.u8() : undefined };
    return this.#lengths;
  }
}

function joinWords(parts: readonly Uint32Array[]): Uint32Array {
  const joined = new Uint32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** Joins starts, of which each part but the first begins where the one before ends. */
function joinStarts(parts: readonly Uint32Array[]): Uint32Array {
  parts.forEach((starts, p) => {
    if (p > 0 && starts[0] !== parts[p - 1].at(-1)) {
      throw corrupt("a text index", `page ${p} does not follow the one before`);
    }
  });
  return joinWords(parts.map((starts, p) => (p === 0 ? starts : starts.subarray(1))));
}

function joinStrings(parts: readonly SortedStrings[]): SortedStrings {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.bytes.length, 0));
  let at = 0;
  const offsets = parts.map((part) => {
    const from = at;
    bytes.set(part.bytes, from);
    at += part.bytes.length;
    return part.offsets.map((offset) => offset + from);
  });
  return { offsets: joinStarts(offsets), bytes };
}
