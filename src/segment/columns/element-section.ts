/**
 * Sorted elements: for each distinct element of a document's array the document's ordinal, by
 * element and then by ordinal; each is an entry, so that no element of a document is one twice.
 * They are cut into parts, of each of which there is a bitmap (`codec/bitmap.ts`) of the documents
 * with an entry in it. In two sections. One is packed (`columns-packing.ts`) with
 *
 * - keyKind (a word): 0 for codes of the dictionary and bools, 1 for i64, 2 for u64, 3 for f64;
 * - isExact (a word): 1 if there is a key for each distinct element, 0 if there is one for each of
 *   some entries, the first among them;
 * - hasOrdinals (a word): 0 if each element has a part of its own, whose bitmap says it all;
 * - entryCount (a word);
 * - keys: elements, ascending; none of key kind 0, where the i-th key is i;
 * - starts: the entry of each key, the first one of its element if keys are exact;
 * - partEnds: where each part ends; they begin at 0, and at the end of the one before.
 *
 * The other has the ordinals, u32 each, if there are any, and then the bitmaps of the parts.
 */

import { copyInSteps } from "../../base/pieces.ts";
import type { Steps } from "../../base/steps.ts";
import { bitmapWords } from "../../codec/bitmap.ts";
import { ArrayPacker, ArrayUnpacker, bytesOf } from "../../codec/columns-packing.ts";
import type { AttributeSections } from "../format/attribute-sections.ts";
import { packedSection } from "../format/section-plans.ts";
import type { SectionKind, SectionPlan } from "../format/segment-layout.ts";
import { wordsOf } from "./sorted-entries.ts";

/** Kinds of the sections of sorted elements. */
export interface ElementKinds {
  readonly directory: SectionKind;
  readonly entries: SectionKind;
}

/** Elements by which entries are found; undefined where the i-th is i. */
export type ElementKeys = BigInt64Array | BigUint64Array | Float64Array | undefined;

/** What a reader needs to know before it reads entries. */
interface ElementDirectory {
  readonly isExact: boolean;
  readonly hasOrdinals: boolean;
  readonly entryCount: number;
  readonly keys: ElementKeys;
  readonly starts: Uint32Array;
  readonly partEnds: Uint32Array;
}

/** All of it, as arrays. */
export interface ElementArrays extends ElementDirectory {
  /** Empty where there are none. */
  readonly ordinals: Uint32Array;
  readonly bitmaps: Uint32Array;
}

/** Sorted elements as queries read them: the directory at once, the rest by range. */
export interface SortedElements extends ElementDirectory {
  /** Of the segment. */
  readonly documentCount: number;
  /** Words of entries and bitmaps that there are. */
  readonly wordCount: number;
  /** The ordinals of entries `start` to `end`. Throws `BytesMissing`. */
  entries(start: number, end: number): Uint32Array;
  /** The bitmap of the index-th part. Throws `BytesMissing`. */
  bitmap(index: number): Uint32Array;
}

const KEY_KINDS = ["code", "i64", "u64", "f64"] as const;
const WORD_BYTES = 4;

/** Plans the sections of sorted elements. */
export function planElements(
  attribute: string,
  elements: ElementArrays,
  kinds: ElementKinds,
): SectionPlan[] {
  const { keys, ordinals, bitmaps } = elements;
  const packer = new ArrayPacker();
  packer.word(KEY_KINDS.indexOf(keyKind(keys)));
  packer.word(Number(elements.isExact));
  packer.word(Number(elements.hasOrdinals));
  packer.word(elements.entryCount);
  packer.array(keys ?? new Uint32Array(0));
  packer.array(elements.starts);
  packer.array(elements.partEnds);
  const entries = {
    kind: kinds.entries,
    attribute,
    bytes: ordinals.byteLength + bitmaps.byteLength,
    *writeTo(target: Uint8Array): Steps<void> {
      yield* copyInSteps(bytesOf(ordinals), target);
      yield* copyInSteps(bytesOf(bitmaps), target.subarray(ordinals.byteLength));
    },
  };
  return [packedSection(kinds.directory, attribute, packer), entries];
}

function keyKind(keys: ElementKeys): (typeof KEY_KINDS)[number] {
  if (keys === undefined) return "code";
  if (keys instanceof BigInt64Array) return "i64";
  return keys instanceof BigUint64Array ? "u64" : "f64";
}

/** Opens sorted elements, if there are any; throws `BytesMissing` for their directory. */
export function openElements(
  sections: AttributeSections,
  kinds: ElementKinds,
): SortedElements | undefined {
  const section = sections.bytes(kinds.directory);
  if (section === undefined) return undefined;
  const unpacker = new ArrayUnpacker(section, "sorted elements");
  const kind = KEY_KINDS[unpacker.word()];
  const isExact = unpacker.word() === 1;
  const hasOrdinals = unpacker.word() === 1;
  const entryCount = unpacker.word();
  const keys = readKeys(unpacker, kind);
  const starts = unpacker.u32();
  const partEnds = unpacker.u32();
  const { documentCount } = sections;
  const words = (start: number, end: number): Uint32Array =>
    wordsOf(sections.part(kinds.entries, start * WORD_BYTES, end * WORD_BYTES));
  const bitmapsAt = hasOrdinals ? entryCount : 0;
  const size = bitmapWords(documentCount);
  return {
    isExact,
    hasOrdinals,
    entryCount,
    keys,
    starts,
    partEnds,
    documentCount,
    wordCount: (sections.entry(kinds.entries)?.bytes ?? 0) / WORD_BYTES,
    entries: words,
    bitmap: (index) => words(bitmapsAt + index * size, bitmapsAt + (index + 1) * size),
  };
}

function readKeys(unpacker: ArrayUnpacker, kind: (typeof KEY_KINDS)[number]): ElementKeys {
  if (kind === "i64") return unpacker.i64();
  if (kind === "u64") return unpacker.u64();
  if (kind === "f64") return unpacker.f64();
  unpacker.u32();
  return undefined;
}
