/**
 * Bounds of posting lists by block, for queries that pass over postings which cannot matter. Lists
 * that are longer than one block have them, so most lists have none. In two sections: one packed
 * (`columns-packing.ts`) with
 *
 * - blockPostings: postings of each block of a list, of which the last one has the rest (a word);
 * - codes: which lists have blocks, ascending;
 * - starts: where the words of each of them begin in the other section (count + 1);
 *
 * and one of u32 words, end to end. Of a list with B blocks:
 *
 * | words | meaning                                                         |
 * |-------|-----------------------------------------------------------------|
 * | B     | the last ordinal of each block                                  |
 * | B     | where the pairs of each block end, in pairs from the list's own |
 * | 2·P   | pairs of numbers, which bound the postings of their block       |
 *
 * What a pair says of a posting is the index's business.
 */

import { firstFrom } from "../../base/numbers/first-from.ts";
import type { Steps } from "../../base/steps.ts";
import { WordList } from "../../base/word-list.ts";
import { checkOffsets } from "../../codec/columns-check.ts";
import { ArrayPacker, ArrayUnpacker, corrupt } from "../../codec/columns-packing.ts";
import type { AttributeSections } from "../format/attribute-sections.ts";
import type { ByteSource } from "../format/byte-source.ts";
import { packedSection, wordSection } from "../format/section-plans.ts";
import type { SectionEntry, SectionKind, SectionPlan } from "../format/segment-layout.ts";
import { PostingBuffer, type PostingLists, type StoredLists } from "./posting-section.ts";
import { touchLists } from "./touch-lists.ts";

/**
 * Postings of a block. With 64 a query of five words touches a sixth fewer, and bounds take twice
 * the bytes; with 256 a query of one word touches half as many again (ADR 28).
 */
export const BLOCK_POSTINGS = 128;

const WORD_BYTES = 4;

/** Kinds of the sections that hold bounds. */
export interface BlockKinds {
  readonly directory: SectionKind;
  readonly words: SectionKind;
}

/** Adds pairs that bound the postings from `start` to before `end`; at least one. */
export type BoundBlock = (start: number, end: number, pairs: number[]) => void;

/** Which lists have bounds, and where their words begin in the section of bounds. */
export interface BlockPlaces {
  readonly blockPostings: number;
  readonly codes: Uint32Array;
  readonly starts: Uint32Array;
}

/** Bounds of all lists of an attribute. */
export interface PostingBlocks extends BlockPlaces {
  readonly words: Uint32Array;
}

/** Bounds of one list. */
export interface ListBlocks {
  /** Postings of each block but the last. */
  readonly blockPostings: number;
  readonly lastOrdinals: Uint32Array;
  /** Where the pairs of each block end. */
  readonly pairEnds: Uint32Array;
  /** Two words for each pair. */
  readonly pairs: Uint32Array;
}

/**
 * Finds the bounds of a list by its code and its count of postings; undefined if it has none.
 * Throws `BytesMissing`.
 */
export type BlockReader = (code: number, postingCount: number) => ListBlocks | undefined;

/** Blocks that one step of a build bounds. */
const STEP_BLOCKS = 128;
/** Lists that one step of a build looks at. */
const STEP_LISTS = 16_384;

/** Bounds all blocks of lists that have more than one; undefined if there is no such list. */
export function* buildBlocks(
  { starts: lists, ordinals }: PostingLists,
  blockPostings: number,
  bound: BoundBlock,
): Steps<PostingBlocks | undefined> {
  if (ordinals.length <= blockPostings) return undefined;
  const codes: number[] = [];
  const starts: number[] = [0];
  const words = new WordList();
  let blockCount = 0;
  for (let code = 0; code + 1 < lists.length; code++) {
    if (code % STEP_LISTS === STEP_LISTS - 1) yield;
    const start = lists[code];
    const end = lists[code + 1];
    if (end - start <= blockPostings) continue;
    const pairEnds: number[] = [];
    const pairs: number[] = [];
    for (let at = start; at < end; at += blockPostings) {
      const blockEnd = Math.min(at + blockPostings, end);
      words.add(ordinals[blockEnd - 1]);
      bound(at, blockEnd, pairs);
      pairEnds.push(pairs.length / 2);
      if (++blockCount % STEP_BLOCKS === 0) yield;
    }
    for (const end of pairEnds) words.add(end);
    for (const word of pairs) words.add(word);
    codes.push(code);
    starts.push(words.count);
  }
  if (codes.length === 0) return undefined;
  const arrays = { codes: Uint32Array.from(codes), starts: Uint32Array.from(starts) };
  return { blockPostings, ...arrays, words: words.words };
}

/** Plans the sections of bounds; none where there are no bounds. */
export function planBlocks(
  attribute: string,
  blocks: PostingBlocks | undefined,
  kinds: BlockKinds,
): SectionPlan[] {
  if (blocks === undefined) return [];
  const { blockPostings, codes, starts, words } = blocks;
  const packer = new ArrayPacker();
  packer.word(blockPostings);
  packer.array(codes);
  packer.array(starts);
  return [
    packedSection(kinds.directory, attribute, packer),
    wordSection(kinds.words, attribute, words),
  ];
}

/** Opens the bounds of an attribute, if it has any; throws `BytesMissing` for their directory. */
export function openBlocks(sections: AttributeSections, kinds: BlockKinds): BlockReader {
  const places = openDirectory(sections, kinds);
  return places === undefined ? () => undefined : blockReader(sections, kinds, places);
}

/** Opens bounds that are at those places; reads nothing. */
export function blockReader(
  sections: AttributeSections,
  kinds: BlockKinds,
  { blockPostings, codes, starts }: BlockPlaces,
): BlockReader {
  if (codes.length === 0) return () => undefined;
  const entry = wordsEntry(sections, kinds);
  const { source } = sections;
  return (code, postingCount) => {
    const at = indexOf(codes, code);
    if (at === undefined) return undefined;
    const words = readWords(source, entry, { start: starts[at], end: starts[at + 1] });
    const count = Math.ceil(postingCount / blockPostings);
    const lastOrdinals = words.subarray(0, count);
    const pairEnds = words.subarray(count, 2 * count);
    return { blockPostings, lastOrdinals, pairEnds, pairs: words.subarray(2 * count) };
  };
}

/** The words from `start` to before `end` of a section. Throws `BytesMissing`. */
function readWords(
  source: ByteSource,
  section: SectionEntry,
  { start, end }: { readonly start: number; readonly end: number },
): Uint32Array {
  if (start === end) return new Uint32Array(0);
  const from = section.offset + start * WORD_BYTES;
  const { bytes } = source.place(from, from + (end - start) * WORD_BYTES);
  return new Uint32Array(bytes.buffer, bytes.byteOffset, end - start);
}

/** Looks at the bounds of all lists, as queries do. Throws one `BytesMissing`. */
export function touchBlocks(sections: AttributeSections, kinds: BlockKinds): void {
  const places = openDirectory(sections, kinds);
  if (places !== undefined) touchBlocksAt(sections, kinds, places);
}

/** The same of bounds that are at those places. */
export function touchBlocksAt(
  sections: AttributeSections,
  kinds: BlockKinds,
  { codes, starts }: BlockPlaces,
): void {
  if (codes.length === 0) return;
  const entry = wordsEntry(sections, kinds);
  touchLists(sections.source, entry, { starts, unitBytes: WORD_BYTES });
}

/** A posting to be bounded. */
export interface BoundedPosting {
  readonly ordinal: number;
  readonly number: number;
}

/** Tells whether the pair that begins at a word of `pairs` bounds a posting. */
export type BoundsPosting = (posting: BoundedPosting, pairs: Uint32Array, at: number) => boolean;

/** What bounds from a store are checked against. */
export interface BoundedLists {
  readonly lists: StoredLists;
  readonly isBound: BoundsPosting;
}

/** Throws `corrupt` unless bounds from a store are of their posting lists, and bound them. */
export function checkBlocks(
  sections: AttributeSections,
  kinds: BlockKinds,
  of: BoundedLists,
): void {
  const places = openDirectory(sections, kinds);
  if (places !== undefined) checkBlocksAt(sections, kinds, places, of);
}

/** The same of bounds that are at those places. */
export function checkBlocksAt(
  sections: AttributeSections,
  kinds: BlockKinds,
  places: BlockPlaces,
  { lists, isBound }: BoundedLists,
): void {
  const { blockPostings, codes, starts } = places;
  if (codes.length === 0) return;
  const isRising = codes.every((code, i) => i === 0 || code > codes[i - 1]);
  if (blockPostings === 0 || !isRising) throw corrupt("blocks of postings", "their lists repeat");
  checkOffsets(starts, codes.length, undefined);
  const { bytes } = wordsEntry(sections, kinds);
  if (starts[codes.length] * Uint32Array.BYTES_PER_ELEMENT > bytes) {
    throw corrupt("blocks of postings", "some are missing");
  }
  const read = blockReader(sections, kinds, places);
  const buffer = new PostingBuffer();
  for (const code of codes) {
    const count = code < lists.listCount ? lists.decode(code, buffer) : 0;
    const blocks = count > 0 ? read(code, count) : undefined;
    if (blocks === undefined || !isOfList(blocks, buffer.ordinals.subarray(0, count))) {
      throw corrupt("blocks of postings", `those of list ${code} are not of its postings`);
    }
    if (!isAllBound(blocks, { buffer, count }, isBound)) {
      throw corrupt("blocks of postings", `a posting of list ${code} is out of its bounds`);
    }
  }
}

function openDirectory(sections: AttributeSections, kinds: BlockKinds): BlockPlaces | undefined {
  const section = sections.bytes(kinds.directory);
  if (section === undefined) return undefined;
  const unpacker = new ArrayUnpacker(section, "blocks of postings");
  const blockPostings = unpacker.word();
  return { blockPostings, codes: unpacker.u32(), starts: unpacker.u32() };
}

/** The section of bounds, which is there where some lists have bounds. */
function wordsEntry(sections: AttributeSections, { words }: BlockKinds): SectionEntry {
  const entry = sections.entry(words);
  if (entry !== undefined) return entry;
  throw corrupt("blocks of postings", `those of \`${sections.attribute}\` are missing`);
}

/** Whether a list of these ordinals has just these blocks, each with a pair or more. */
function isOfList(blocks: ListBlocks, ordinals: Uint32Array): boolean {
  const { blockPostings, lastOrdinals, pairEnds, pairs } = blocks;
  const count = Math.ceil(ordinals.length / blockPostings);
  if (pairEnds.length !== count || pairEnds[count - 1] * 2 !== pairs.length) return false;
  return lastOrdinals.every((ordinal, b) => {
    const last = Math.min((b + 1) * blockPostings, ordinals.length) - 1;
    return ordinal === ordinals[last] && pairEnds[b] > (b === 0 ? 0 : pairEnds[b - 1]);
  });
}

/** Whether each posting is bounded by a pair of its block. */
function isAllBound(
  { blockPostings, pairEnds, pairs }: ListBlocks,
  { buffer, count }: { readonly buffer: PostingBuffer; readonly count: number },
  isBound: BoundsPosting,
): boolean {
  for (let i = 0; i < count; i++) {
    const block = Math.floor(i / blockPostings);
    const pairEnd = 2 * pairEnds[block];
    const posting = { ordinal: buffer.ordinals[i], number: buffer.numbers[i] };
    let at = block === 0 ? 0 : 2 * pairEnds[block - 1];
    while (at < pairEnd && !isBound(posting, pairs, at)) at += 2;
    if (at === pairEnd) return false;
  }
  return true;
}

/** The position of `code` in ascending codes; undefined if it is not there. */
function indexOf(codes: Uint32Array, code: number): number | undefined {
  const index = firstFrom(codes, code);
  return codes[index] === code ? index : undefined;
}
