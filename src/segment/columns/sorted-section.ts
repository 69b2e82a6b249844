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
import type { SectionKind, SectionPlan } from "../format/segment-layout.ts";

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
  return sortedValues(directory, sections, kinds);
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
  sections: AttributeSections,
  kinds: SortedKinds,
): SortedValues {
  const { documentCount } = sections;
  const bitmapBytes = bitmapWords(documentCount) * WORD_BYTES;
  const ordinalBytes = sections.entry(kinds.ordinals)?.bytes ?? 0;
  const held = Math.floor((sections.entry(kinds.bitmaps)?.bytes ?? 0) / bitmapBytes);
  return {
    ...directory,
    documentCount,
    ordinalCount: Math.min(directory.entryCount, ordinalBytes / WORD_BYTES),
    bitmapCount: Math.min(directory.milestones.length, held),
    entries: (start, end) =>
      wordsOf(sections.part(kinds.ordinals, start * WORD_BYTES, end * WORD_BYTES)),
    peekEntries(start, end) {
      const bytes = sections.peekPart(kinds.ordinals, start * WORD_BYTES, end * WORD_BYTES);
      return bytes && wordsOf(bytes);
    },
    bitmap: (index) =>
      wordsOf(sections.part(kinds.bitmaps, index * bitmapBytes, (index + 1) * bitmapBytes)),
  };
}

function wordsOf(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / WORD_BYTES);
}

const WORD_BYTES = 4;
