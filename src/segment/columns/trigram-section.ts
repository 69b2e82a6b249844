/**
 * Which of a dictionary's strings have which trigrams (`text/trigrams.ts`). The strings are taken
 * in groups of neighbours, the trigrams in buckets by a hash; a list has the groups that have some
 * trigram of its bucket. In two sections. One is packed (`columns-packing.ts`) with
 *
 * - groupStrings (a word): strings of a group, of which the last one may have fewer;
 * - bucketBits (a word): there are 2 to the power of so many buckets;
 * - starts: where the list of each bucket begins in the other section (buckets + 1);
 * - common: a bit for each bucket, the lowest first: 1 if so many groups have one of its trigrams
 *   that there is no list, and any group may have them.
 *
 * The other has the lists end to end: for each group, ascending, what is between its number and
 * that of the one before (-1 before the first), as a varint: 7 bits a byte, the lowest first, the
 * eighth bit set in all but the last. Where that takes at least as many bytes as a bit for each
 * group, the list is those bits instead, the lowest of each byte first: it is known by its length.
 *
 * Of a trigram (24 bits) the bucket is the highest bits of the lowest 32 of its product with
 * 0x9e3779b1.
 */

import { copyInSteps } from "../../base/pieces.ts";
import type { Steps } from "../../base/steps.ts";
import { ArrayPacker, ArrayUnpacker, corrupt } from "../../codec/columns-packing.ts";
import type { AttributeSections } from "../format/attribute-sections.ts";
import { packedSection } from "../format/section-plans.ts";
import type { SectionPlan } from "../format/segment-layout.ts";

/** Kinds of the sections. */
export const TRIGRAM_SECTIONS = { directory: 46, lists: 47 };

/** What a reader needs to know before it reads lists. */
export interface TrigramDirectory {
  readonly groupStrings: number;
  readonly bucketBits: number;
  readonly starts: Uint32Array;
  readonly common: Uint8Array;
}

/** All of it, as arrays. */
export interface TrigramArrays extends TrigramDirectory {
  readonly lists: Uint8Array;
}

/** The list of a bucket, as bytes of the section. */
export interface TrigramList {
  readonly start: number;
  readonly end: number;
}

/** Trigrams as queries read them: the directory at once, lists one by one. */
export interface TrigramView extends TrigramDirectory {
  readonly groupCount: number;
  /** Where the groups are that may have a trigram; undefined if any may. */
  listOf(trigram: number): TrigramList | undefined;
  /** The groups of a list, ascending. Throws `BytesMissing`. */
  groups(list: TrigramList): Uint32Array;
  /** Those of some groups, ascending, that are in a list. Throws `BytesMissing`. */
  groupsWithin(list: TrigramList, groups: Uint32Array): Uint32Array;
}

const BUCKET_BITS_MAX = 24;

/** The bucket of a trigram. */
export function bucketOf(trigram: number, bucketBits: number): number {
  return Math.imul(trigram, 0x9e37_79b1) >>> (32 - bucketBits);
}

/** Plans the sections. */
export function planTrigrams(attribute: string, trigrams: TrigramArrays): SectionPlan[] {
  const { groupStrings, bucketBits, starts, common, lists } = trigrams;
  const packer = new ArrayPacker();
  packer.word(groupStrings);
  packer.word(bucketBits);
  packer.array(starts);
  packer.array(common);
  const directory = packedSection(TRIGRAM_SECTIONS.directory, attribute, packer);
  if (lists.length === 0) return [directory];
  const writeLists = (target: Uint8Array): Steps<void> => copyInSteps(lists, target);
  const kind = TRIGRAM_SECTIONS.lists;
  return [directory, { kind, attribute, bytes: lists.length, writeTo: writeLists }];
}

/** Opens trigrams of so many strings, if there are any; throws `BytesMissing` for the directory. */
export function openTrigrams(
  sections: AttributeSections,
  stringCount: number,
): TrigramView | undefined {
  const section = sections.bytes(TRIGRAM_SECTIONS.directory);
  if (section === undefined) return undefined;
  const unpacker = new ArrayUnpacker(section, "trigrams");
  const groupStrings = unpacker.word();
  const bucketBits = unpacker.word();
  const [starts, common] = [unpacker.u32(), unpacker.u8()];
  const bucketCount = 2 ** bucketBits;
  const isWhole = starts.length === bucketCount + 1 && common.length === bitBytes(bucketCount);
  if (groupStrings === 0 || bucketBits === 0 || bucketBits > BUCKET_BITS_MAX || !isWhole) {
    throw corrupt("trigrams", "their directory contradicts itself");
  }
  const groupCount = Math.ceil(stringCount / groupStrings);
  return {
    groupStrings,
    bucketBits,
    starts,
    common,
    groupCount,
    listOf(trigram) {
      const bucket = bucketOf(trigram, bucketBits);
      if ((common[bucket >> 3] >> (bucket & 7)) & 1) return undefined;
      return { start: starts[bucket], end: starts[bucket + 1] };
    },
    groups: (list) => decodeGroups(readList(sections, list), groupCount),
    groupsWithin(list, groups) {
      const bytes = readList(sections, list);
      if (isBitmap(bytes, groupCount)) {
        return groups.filter((group) => (bytes[group >> 3] >> (group & 7)) & 1);
      }
      return inBoth(groups, decodeGroups(bytes, groupCount));
    },
  };
}

/** Bytes of a bit for each group, or each bucket. */
export function bitBytes(count: number): number {
  return Math.ceil(count / 8);
}

function isBitmap(bytes: Uint8Array, groupCount: number): boolean {
  return bytes.length === bitBytes(groupCount) && bytes.length > 0;
}

/** Some bytes of the lists. Throws `BytesMissing`, and `corrupt` where there are fewer. */
function readList(sections: AttributeSections, { start, end }: TrigramList): Uint8Array {
  if (start === end) return new Uint8Array(0);
  const entry = sections.entry(TRIGRAM_SECTIONS.lists);
  if (entry === undefined || start > end || end > entry.bytes) {
    throw corrupt("trigrams", `there are no bytes ${start} to ${end} of lists`);
  }
  return sections.part(TRIGRAM_SECTIONS.lists, start, end);
}

/** Throws `corrupt` where bytes are none of so many groups. */
function decodeGroups(bytes: Uint8Array, groupCount: number): Uint32Array {
  if (isBitmap(bytes, groupCount)) return setBits(bytes);
  const groups = new Uint32Array(bytes.length);
  let count = 0;
  let group = -1;
  for (let at = 0; at < bytes.length; ) {
    let gap = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      gap |= (byte & 0x7f) << shift;
      if (byte < 0x80 || at === bytes.length) break;
    }
    group += gap;
    if (gap <= 0 || group >= groupCount) throw corrupt("trigrams", `there is no group ${group}`);
    groups[count++] = group;
  }
  return groups.subarray(0, count);
}

/** The places of the bits that are set. */
function setBits(bytes: Uint8Array): Uint32Array {
  const places = new Uint32Array(8 * bytes.length);
  let count = 0;
  for (let at = 0; at < bytes.length; at++) {
    for (let bits = bytes[at]; bits !== 0; bits &= bits - 1) {
      places[count++] = 8 * at + 31 - Math.clz32(bits & -bits);
    }
  }
  return places.subarray(0, count);
}

/** Numbers that are in both, ascending as those are. */
export function inBoth(a: Uint32Array, b: Uint32Array): Uint32Array {
  const both = new Uint32Array(Math.min(a.length, b.length));
  let count = 0;
  let j = 0;
  for (let i = 0; i < a.length; i++) {
    while (j < b.length && b[j] < a[i]) j++;
    if (j === b.length) break;
    if (b[j] === a[i]) both[count++] = a[i];
  }
  return both.subarray(0, count);
}
