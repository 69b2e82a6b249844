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
 * The others are those of `sorted-entries.ts`; that of the ordinals is left out where all values
 * begin at a milestone.
 */

import { ArrayPacker, ArrayUnpacker } from "../../codec/columns-packing.ts";
import type { AttributeSections } from "../format/attribute-sections.ts";
import { packedSection } from "../format/section-plans.ts";
import type { SectionKind, SectionPlan } from "../format/segment-layout.ts";
import {
  type EntryArrays,
  type EntryKinds,
  openEntries,
  planEntries,
  type SortedEntries,
} from "./sorted-entries.ts";

/** Kinds of the sections of sorted values. */
export interface SortedKinds extends EntryKinds {
  readonly directory: SectionKind;
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
export interface SortedArrays extends SortedDirectory, EntryArrays {}

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
  return [
    packedSection(kinds.directory, attribute, packer),
    ...planEntries(attribute, sorted, kinds),
  ];
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
  return { ...directory, ...openEntries(directory, sections, kinds) };
}

function readKeys(unpacker: ArrayUnpacker, kind: (typeof KEY_KINDS)[number]): SortedKeys {
  if (kind === "i64") return unpacker.i64();
  if (kind === "u64") return unpacker.u64();
  return kind === "f64" ? unpacker.f64() : unpacker.u32();
}

/** Sorted values as queries read them: the directory at once, the rest by range. */
export interface SortedValues extends SortedDirectory, SortedEntries {}
