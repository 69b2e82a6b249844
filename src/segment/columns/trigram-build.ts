/** Builds the trigrams of a dictionary's strings (`trigram-section.ts`), and checks stored ones. */

import { KIB } from "../../base/byte-sizes.ts";
import { runSteps, type Steps } from "../../base/steps.ts";
import { checkOffsets } from "../../codec/columns-check.ts";
import { corrupt } from "../../codec/columns-packing.ts";
import { readTrigrams, type TrigramPlace } from "../../text/trigrams.ts";
import { type SortedStrings, stringCount } from "../postings/term-section.ts";
import {
  bitBytes,
  bucketOf,
  type TrigramArrays,
  type TrigramDirectory,
  type TrigramView,
} from "./trigram-section.ts";

/**
 * Distinct strings from which on a dictionary has trigrams. To test so many takes some 0.5 ms by a
 * regular expression (ADR 33).
 */
export const TRIGRAM_STRINGS_MIN = 1024;

/** Bytes of a group, of which all strings are tested where one may match (ADR 33). */
const GROUP_BYTES = 512;
/** Strings of a group, at most. */
const GROUP_STRINGS_MAX = 16;
/** Bytes of strings for each bucket, and the bits of their number. */
const BUCKET_BYTES = 64;
const BUCKET_BITS = { min: 10, max: 17 };
/** One of so many groups makes a bucket common: to look for it leaves too many. */
const COMMON_SHARE = 2;
/** Trigrams that one step takes, in some 1 ms. */
const STEP_TRIGRAMS = 65_536;
/** Bytes that one step clears. */
const STEP_CLEARED_BYTES = 1024 * KIB;
/** Trigrams that are read at once. */
const READ_TRIGRAMS = 4096;
/** Bytes of lists, which are found by 32 bits. */
const LIST_BYTES_MAX = 0xffff_ffff;

/** How strings are taken together. */
type Grouping = Pick<TrigramDirectory, "groupStrings" | "bucketBits">;

/** How strings are best taken together. */
function groupingOf(strings: SortedStrings): Grouping {
  const count = stringCount(strings);
  const bytes = strings.offsets[count];
  const fitting = Math.round((GROUP_BYTES * count) / Math.max(1, bytes));
  const bits = Math.round(Math.log2(bytes / BUCKET_BYTES + 1));
  return {
    groupStrings: Math.max(1, Math.min(GROUP_STRINGS_MAX, fitting)),
    bucketBits: Math.max(BUCKET_BITS.min, Math.min(BUCKET_BITS.max, bits)),
  };
}

/** Lists of all trigrams; undefined if they would be too long. */
export function* buildTrigrams(
  strings: SortedStrings,
  grouping = groupingOf(strings),
): Steps<TrigramArrays | undefined> {
  const { groupStrings, bucketBits } = grouping;
  const bucketCount = 2 ** bucketBits;
  const groupCount = Math.ceil(stringCount(strings) / groupStrings);
  const sizes = yield* measuredLists(strings, grouping);
  const common = new Uint8Array(bitBytes(bucketCount));
  const starts = new Uint32Array(bucketCount + 1);
  const bitmapBytes = bitBytes(groupCount);
  let bytes = 0;
  for (let bucket = 0; bucket < bucketCount; bucket++) {
    if (sizes.groups[bucket] * COMMON_SHARE > groupCount) common[bucket >> 3] |= 1 << (bucket & 7);
    else bytes += Math.min(bitmapBytes, sizes.bytes[bucket]);
    if (bytes > LIST_BYTES_MAX) return undefined;
    starts[bucket + 1] = bytes;
  }
  const lists = yield* clearedBytes(bytes);
  // The measured groups are not needed any more.
  const lasts = sizes.groups.fill(0);
  const ends = starts.slice(0, bucketCount);
  yield* eachPart(strings, grouping, (buckets, count, group) => {
    for (let i = 0; i < count; i++) {
      const bucket = buckets[i];
      const start = starts[bucket];
      const listBytes = starts[bucket + 1] - start;
      if (listBytes === bitmapBytes) {
        lists[start + (group >> 3)] |= 1 << (group & 7);
        continue;
      }
      let gap = group + 1 - lasts[bucket];
      if (gap === 0 || listBytes === 0) continue;
      lasts[bucket] = group + 1;
      let end = ends[bucket];
      for (; gap > 0x7f; gap >>>= 7) lists[end++] = (gap & 0x7f) | 0x80;
      lists[end++] = gap;
      ends[bucket] = end;
    }
  });
  return { groupStrings, bucketBits, starts, common, lists };
}

/** Zeros, cleared in steps: to take so much memory from the system in one go takes long. */
function* clearedBytes(count: number): Steps<Uint8Array> {
  const cleared = Buffer.allocUnsafeSlow(count);
  for (let at = 0; at < count; at += STEP_CLEARED_BYTES) {
    if (at > 0) yield;
    cleared.fill(0, at, Math.min(count, at + STEP_CLEARED_BYTES));
  }
  return new Uint8Array(cleared.buffer, cleared.byteOffset, count);
}

/** How many groups, and bytes, the list of each bucket has. */
function* measuredLists(
  strings: SortedStrings,
  grouping: Grouping,
): Steps<{ groups: Uint32Array; bytes: Uint32Array }> {
  const bucketCount = 2 ** grouping.bucketBits;
  const groups = new Uint32Array(bucketCount);
  const bytes = new Uint32Array(bucketCount);
  const lasts = new Uint32Array(bucketCount);
  yield* eachPart(strings, grouping, (buckets, count, group) => {
    for (let i = 0; i < count; i++) {
      const bucket = buckets[i];
      let gap = group + 1 - lasts[bucket];
      if (gap === 0) continue;
      lasts[bucket] = group + 1;
      groups[bucket]++;
      for (; gap > 0x7f; gap >>>= 7) bytes[bucket]++;
      bytes[bucket]++;
    }
  });
  return { groups, bytes };
}

/** Visits the buckets of each group's trigrams, some at a time and some of them twice. */
function* eachPart(
  strings: SortedStrings,
  { groupStrings, bucketBits }: Grouping,
  visit: (buckets: Uint32Array, count: number, group: number) => void,
): Steps<void> {
  const { offsets, bytes } = strings;
  const buckets = new Uint32Array(READ_TRIGRAMS);
  const place: TrigramPlace = { at: 0, last: 0, count: 0 };
  const count = stringCount(strings);
  let looked = 0;
  for (let code = 0; code < count; code++) {
    const group = Math.floor(code / groupStrings);
    place.count = 0;
    place.at = offsets[code];
    const end = offsets[code + 1];
    while (place.at < end) {
      const found = readTrigrams(bytes, end, place, buckets);
      for (let i = 0; i < found; i++) buckets[i] = bucketOf(buckets[i], bucketBits);
      visit(buckets, found, group);
      looked += found;
      if (looked < STEP_TRIGRAMS) continue;
      yield;
      looked = 0;
    }
    looked++;
  }
}

/** Throws `corrupt` unless trigrams, all in memory, are just those of the strings. */
export function checkTrigrams(view: TrigramView, lists: Uint8Array, strings: SortedStrings): void {
  checkOffsets(strings.offsets, stringCount(strings), strings.bytes.length);
  const expected = runSteps(buildTrigrams(strings, view));
  const isSame = (a: Uint8Array | Uint32Array, b: Uint8Array | Uint32Array): boolean =>
    a.length === b.length && a.every((value, i) => value === b[i]);
  if (
    expected === undefined ||
    !isSame(view.starts, expected.starts) ||
    !isSame(view.common, expected.common) ||
    !isSame(lists.subarray(0, expected.lists.length), expected.lists)
  ) {
    throw corrupt("trigrams", "they are not those of the dictionary");
  }
}
