/**
 * Bitmaps (`codec/bitmap.ts`) of the documents in long posting lists, beside the lists: to join one
 * with a set goes over a word for 32 documents, where a list has a posting for each of its own. In
 * two sections: one packed (`columns-packing.ts`) with
 *
 * - codes: which lists have a bitmap, ascending;
 *
 * and one of their bitmaps, in that order, end to end.
 */

import type { Steps } from "../../base/steps.ts";
import { bitmapWords, setBit } from "../../codec/bitmap.ts";
import { ArrayPacker, ArrayUnpacker, corrupt } from "../../codec/columns-packing.ts";
import type { AttributeSections } from "../format/attribute-sections.ts";
import { packedSection, wordSection } from "../format/section-plans.ts";
import type { SectionKind, SectionPlan } from "../format/segment-layout.ts";
import { PostingBuffer, type PostingLists, type StoredLists } from "./posting-section.ts";

/** Kinds of the sections that hold bitmaps of lists. */
export interface BitsetKinds {
  readonly directory: SectionKind;
  readonly bitmaps: SectionKind;
}

/** Which lists have bitmaps. */
export interface BitsetExtent {
  /** Documents of the smallest segment with any: of few, lists are short. */
  readonly documentsMin: number;
  /** Those of lists that one in so many documents is in, or more. */
  readonly documentsPerPosting: number;
}

/** With one in eight bitmaps take a third of the bytes of their lists at most (ADR 56). */
export const BITSETS: BitsetExtent = { documentsMin: 8192, documentsPerPosting: 8 };

/** Bitmaps of all lists that have one. */
export interface PostingBitsets {
  readonly codes: Uint32Array;
  readonly bitmaps: Uint32Array;
}

/** The documents of a list by its code; undefined if it has no bitmap. Throws `BytesMissing`. */
export type BitsetReader = (code: number) => Uint32Array | undefined;

/** Lists that one step of a build looks at, and postings that it sets. */
const STEP_LISTS = 16_384;
const STEP_POSTINGS = 65_536;
const WORD_BYTES = Uint32Array.BYTES_PER_ELEMENT;

/** Makes the bitmaps of lists that are long enough; undefined if none is. */
export function* buildBitsets(
  { starts, ordinals }: PostingLists,
  documentCount: number,
  { documentsMin, documentsPerPosting }: BitsetExtent,
): Steps<PostingBitsets | undefined> {
  if (documentCount < documentsMin) return undefined;
  const codes: number[] = [];
  for (let code = 0; code + 1 < starts.length; code++) {
    if (code % STEP_LISTS === STEP_LISTS - 1) yield;
    const length = starts[code + 1] - starts[code];
    if (length * documentsPerPosting >= documentCount) codes.push(code);
  }
  if (codes.length === 0) return undefined;
  const words = bitmapWords(documentCount);
  const bitmaps = new Uint32Array(codes.length * words);
  for (const [i, code] of codes.entries()) {
    const bitmap = bitmaps.subarray(i * words, (i + 1) * words);
    for (let at = starts[code]; at < starts[code + 1]; at++) {
      setBit(bitmap, ordinals[at]);
      if (at % STEP_POSTINGS === STEP_POSTINGS - 1) yield;
    }
  }
  return { codes: Uint32Array.from(codes), bitmaps };
}

/** Plans the sections of bitmaps; none where there are no bitmaps. */
export function planBitsets(
  attribute: string,
  bitsets: PostingBitsets | undefined,
  kinds: BitsetKinds,
): SectionPlan[] {
  if (bitsets === undefined) return [];
  const { codes, bitmaps } = bitsets;
  const packer = new ArrayPacker();
  packer.array(codes);
  return [
    packedSection(kinds.directory, attribute, packer),
    wordSection(kinds.bitmaps, attribute, bitmaps),
  ];
}

/** Opens the bitmaps of an attribute, if it has any; throws `BytesMissing` for their directory. */
export function openBitsets(sections: AttributeSections, kinds: BitsetKinds): BitsetReader {
  const codes = openDirectory(sections, kinds);
  return codes === undefined ? () => undefined : bitsetReader(sections, kinds, { codes, first: 0 });
}

/** Which lists have bitmaps, ascending, and the place of the first one among all bitmaps. */
export interface BitsetPlaces {
  readonly codes: Uint32Array;
  readonly first: number;
}

/** Opens bitmaps that are at those places; reads nothing. */
export function bitsetReader(
  sections: AttributeSections,
  kinds: BitsetKinds,
  { codes, first }: BitsetPlaces,
): BitsetReader {
  if (codes.length === 0) return () => undefined;
  checkThere(sections, kinds);
  const places = new Map(Array.from(codes, (code, i) => [code, first + i]));
  const bytes = bitmapWords(sections.documentCount) * WORD_BYTES;
  return (code) => {
    const place = places.get(code);
    if (place === undefined) return undefined;
    const part = sections.part(kinds.bitmaps, place * bytes, (place + 1) * bytes);
    return new Uint32Array(part.buffer, part.byteOffset, part.length / WORD_BYTES);
  };
}

/** Throws `corrupt` unless bitmaps from a store have the documents of their lists. */
export function checkBitsets(
  sections: AttributeSections,
  kinds: BitsetKinds,
  lists: StoredLists,
): void {
  const codes = openDirectory(sections, kinds);
  if (codes !== undefined) checkBitsetsOf(sections, kinds, codes, lists);
}

/** The same of the bitmaps of those lists. */
export function checkBitsetsOf(
  sections: AttributeSections,
  kinds: BitsetKinds,
  codes: Uint32Array,
  lists: StoredLists,
): void {
  if (codes.length === 0) return;
  const { documentCount } = sections;
  const bytes = codes.length * bitmapWords(documentCount) * WORD_BYTES;
  if ((sections.entry(kinds.bitmaps)?.bytes ?? 0) < bytes) {
    throw corrupt("bitmaps of postings", "some are missing");
  }
  const read = bitsetReader(sections, kinds, { codes, first: 0 });
  const buffer = new PostingBuffer();
  codes.forEach((code, i) => {
    if (code >= lists.listCount || (i > 0 && code <= codes[i - 1])) {
      throw corrupt("bitmaps of postings", "their lists repeat, or are none");
    }
    const expected = new Uint32Array(bitmapWords(documentCount));
    const count = lists.decode(code, buffer);
    for (let at = 0; at < count; at++) setBit(expected, buffer.ordinals[at]);
    const bitmap = read(code);
    if (bitmap?.every((word, w) => word === expected[w]) !== true) {
      throw corrupt("bitmaps of postings", `that of list ${code} has other documents`);
    }
  });
}

function openDirectory(sections: AttributeSections, kinds: BitsetKinds): Uint32Array | undefined {
  const section = sections.bytes(kinds.directory);
  if (section === undefined) return undefined;
  checkThere(sections, kinds);
  return new ArrayUnpacker(section, "bitmaps of postings").u32();
}

function checkThere(sections: AttributeSections, { bitmaps }: BitsetKinds): void {
  if (sections.entry(bitmaps) !== undefined) return;
  throw corrupt("bitmaps of postings", `those of \`${sections.attribute}\` are missing`);
}
