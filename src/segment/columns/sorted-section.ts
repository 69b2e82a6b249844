/**
 * Sorted values: the ordinals of the documents with a value of an attribute, by value and then by
 * ordinal; each is an entry. In three sections. One is packed (`columns-packing.ts`) with
 *
 * - keyKind (a word): 0 for codes of the dictionary and bools, 1 for i64, 2 for u64, 3 for f64;
 * - isExact (a word): 1 if there is a key for each distinct value, 0 if there is one for each of
 *   some entries, the first among them;
 * - entryCount (a word): how many documents have a value;
 * - keys: values, ascending;
 * - starts: the entry of each key, the first one of its value if keys are exact;
 * - milestones: some counts of entries, ascending, up to entryCount.
 *
 * One has the ordinals, u32 each; it is left out where all values begin at a milestone. One has a
 * bitmap (`codec/bitmap.ts`) for each milestone, end to end: that of a milestone m has the ordinals
 * of the first m entries. So the entries between two places are the exclusive or of two bitmaps and
 * of the few entries between the places and the milestones next to them.
 */

import type { Steps } from "../../base/steps.ts";
import { bitmapWords } from "../../codec/bitmap.ts";
import { ArrayPacker, ArrayUnpacker, bytesOf, copyInSteps } from "../../codec/columns-packing.ts";
import type { AttributeSections } from "../format/attribute-sections.ts";
import type { ByteSource } from "../format/byte-source.ts";
import type { SectionEntry, SectionKind, SectionPlan } from "../format/segment-layout.ts";
import { readWords } from "../postings/posting-ranges.ts";

/** Kinds of the sections of sorted values. */
export interface SortedKinds {
  readonly directory: SectionKind;
  readonly ordinals: SectionKind;
  readonly bitmaps: SectionKind;
}

/** Values by which entries are found. */
export type SortedKeys = Uint32Array | BigInt64Array | BigUint64Array | Float64Array;

/** What a reader needs to know before it reads entries. */
export interface SortedDirectory {
  readonly isExact: boolean;
  readonly entryCount: number;
  readonly keys: SortedKeys;
  readonly starts: Uint32Array;
  readonly milestones: Uint32Array;
}

/** All of it, as arrays. */
export interface SortedArrays extends SortedDirectory {
  /** Undefined if there are bitmaps for all. */
  readonly ordinals: Uint32Array | undefined;
  readonly bitmaps: Uint32Array;
}

const KEY_KINDS = ["code", "i64", "u64", "f64"] as const;

/** Plans the sections of sorted values. */
export function planSorted(
  attribute: string,
  sorted: SortedArrays,
  kinds: SortedKinds,
): SectionPlan[] {
  const packer = new ArrayPacker();
  packer.word(KEY_KINDS.indexOf(keyKind(sorted.keys)));
  packer.word(Number(sorted.isExact));
  packer.word(sorted.entryCount);
  packer.array(sorted.keys);
  packer.array(sorted.starts);
  packer.array(sorted.milestones);
  const writeTo = (target: Uint8Array): Steps<void> => packer.writeTo(target);
  const plans: SectionPlan[] = [{ kind: kinds.directory, attribute, bytes: packer.bytes, writeTo }];
  const { ordinals, bitmaps } = sorted;
  if (ordinals !== undefined) plans.push(planWords(kinds.ordinals, attribute, ordinals));
  if (bitmaps.length > 0) plans.push(planWords(kinds.bitmaps, attribute, bitmaps));
  return plans;
}

function planWords(kind: SectionKind, attribute: string, words: Uint32Array): SectionPlan {
  const writeTo = (target: Uint8Array) => copyInSteps(bytesOf(words), target);
  return { kind, attribute, bytes: words.byteLength, writeTo };
}

function keyKind(keys: SortedKeys): (typeof KEY_KINDS)[number] {
  if (keys instanceof BigInt64Array) return "i64";
  if (keys instanceof BigUint64Array) return "u64";
  return keys instanceof Float64Array ? "f64" : "code";
}

/** Opens sorted values, if there are any; throws `BytesMissing` for their directory. */
export function openSorted(
  sections: AttributeSections,
  kinds: SortedKinds,
): SortedValues | undefined {
  const section = sections.bytes(kinds.directory);
  if (section === undefined) return undefined;
  const unpacker = new ArrayUnpacker(section, "sorted values");
  const kind = KEY_KINDS[unpacker.word()];
  const isExact = unpacker.word() === 1;
  const entryCount = unpacker.word();
  const directory = {
    isExact,
    entryCount,
    keys: readKeys(unpacker, kind),
    starts: unpacker.u32(),
    milestones: unpacker.u32(),
  };
  const { documentCount, source } = sections;
  const ordinals = sections.entry(kinds.ordinals);
  const bitmaps = sections.entry(kinds.bitmaps);
  return sortedValues(directory, { documentCount, source, ordinals, bitmaps });
}

function readKeys(unpacker: ArrayUnpacker, kind: (typeof KEY_KINDS)[number]): SortedKeys {
  if (kind === "i64") return unpacker.i64();
  if (kind === "u64") return unpacker.u64();
  return kind === "f64" ? unpacker.f64() : unpacker.u32();
}

/** Sorted values as queries read them: the directory at once, the rest by range. */
export interface SortedValues extends SortedDirectory {
  /** Of the segment. */
  readonly documentCount: number;
  /** Entries of which there are ordinals: all, or none if there are bitmaps for all values. */
  readonly ordinalCount: number;
  /** Bitmaps that there are. */
  readonly bitmapCount: number;
  /** The ordinals of entries `start` to `end`. Throws `BytesMissing`. */
  entries(start: number, end: number): Uint32Array;
  /** The same, or undefined where they are not in memory; never makes anybody load them. */
  peekEntries(start: number, end: number): Uint32Array | undefined;
  /** The bitmap of the index-th milestone. Throws `BytesMissing`. */
  bitmap(index: number): Uint32Array;
}

/** The bytes of sections, which are rounded up, hold at least what a reader asks for. */
function sortedValues(
  directory: SortedDirectory,
  { documentCount, source, ...sections }: SortedPlaces,
): SortedValues {
  const { ordinals, bitmaps } = sections;
  const words = bitmapWords(documentCount);
  const held = Math.floor((bitmaps?.bytes ?? 0) / (words * WORD_BYTES));
  return {
    ...directory,
    documentCount,
    ordinalCount: Math.min(directory.entryCount, (ordinals?.bytes ?? 0) / WORD_BYTES),
    bitmapCount: Math.min(directory.milestones.length, held),
    entries: (start, end) =>
      ordinals === undefined ? NO_WORDS : wordsOf(source, ordinals, { start, end }),
    peekEntries: (start, end) => {
      if (ordinals === undefined) return undefined;
      if (isInMemory(source, ordinals)) return wordsOf(source, ordinals, { start, end });
      const from = ordinals.offset + start * WORD_BYTES;
      const bytes = source.peek(from, from + (end - start) * WORD_BYTES)?.bytes;
      return bytes && new Uint32Array(bytes.buffer, bytes.byteOffset, end - start);
    },
    bitmap: (index) =>
      bitmaps === undefined
        ? NO_WORDS
        : wordsOf(source, bitmaps, { start: index * words, end: (index + 1) * words }),
  };
}

/** Words of a section: from all of it where that was read ahead, else by their range. */
function wordsOf(
  source: ByteSource,
  section: SectionEntry,
  range: { readonly start: number; readonly end: number },
): Uint32Array {
  if (!isInMemory(source, section)) return readWords(source, section, range);
  const words = section.bytes / WORD_BYTES;
  return readWords(source, section, { start: 0, end: words }).subarray(range.start, range.end);
}

function isInMemory(source: ByteSource, { offset, bytes }: SectionEntry): boolean {
  return source.peek(offset, offset + bytes) !== undefined;
}

/** Where sorted values are. */
interface SortedPlaces extends Pick<AttributeSections, "documentCount" | "source"> {
  readonly ordinals: SectionEntry | undefined;
  readonly bitmaps: SectionEntry | undefined;
}

const WORD_BYTES = 4;
const NO_WORDS = new Uint32Array(0);
