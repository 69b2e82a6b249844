/**
 * Algebra on sets of ordinals of one segment: bitmaps as in `SegmentSnapshot.liveBitmap` and
 * `codec/bitmap.ts`. Bits at and past the segment's document count are always 0.
 */

import type { Steps } from "../../base/steps.ts";
import { bitmapWords, fullBitmap, popCount } from "../../codec/bitmap.ts";
import { SCAN_ROWS_MAX } from "../../kernel/kernel.ts";

/** A set of ordinals; its length in words is `bitmapWords` of the segment's document count. */
export type OrdinalBits = Uint32Array<ArrayBufferLike>;

/** Makes an empty set. */
export function emptyBits(count: number): OrdinalBits {
  return new Uint32Array(bitmapWords(count));
}

/** Keeps in `bits` what is also in `other`; returns `bits`. */
export function andBits(bits: OrdinalBits, other: OrdinalBits): OrdinalBits {
  for (let w = 0; w < bits.length; w++) bits[w] &= other[w];
  return bits;
}

/** Adds to `bits` what is in `other`; returns `bits`. */
export function orBits(bits: OrdinalBits, other: OrdinalBits): OrdinalBits {
  for (let w = 0; w < bits.length; w++) bits[w] |= other[w];
  return bits;
}

/** Turns `bits` into its complement below `count`; returns `bits`. */
export function invertBits(bits: OrdinalBits, count: number): OrdinalBits {
  for (let w = 0; w < bits.length; w++) bits[w] = ~bits[w];
  clearTail(bits, count);
  return bits;
}

/** Turns `bits` into what is in `whole` and not in it; returns `bits`. */
export function remainingBits(bits: OrdinalBits, whole: OrdinalBits): OrdinalBits {
  for (let w = 0; w < bits.length; w++) bits[w] = whole[w] & ~bits[w];
  return bits;
}

/** How many ordinals from `start` to before `end` are in the set. */
export function countRange(bits: OrdinalBits, start: number, end: number): number {
  if (start >= end) return 0;
  const first = start >>> 5;
  const last = (end - 1) >>> 5;
  let count = popCount(bits[first] & rangeMask(first, start, end));
  for (let w = first + 1; w < last; w++) count += popCount(bits[w] | 0);
  return last === first ? count : count + popCount(bits[last] & rangeMask(last, start, end));
}

/** How many ordinals are in the set, or any number above `most`. */
export function countBitsUpTo(bits: OrdinalBits, most: number): number {
  let count = 0;
  for (let w = 0; w < bits.length && count <= most; w++) count += popCount(bits[w]);
  return count;
}

/**
 * Writes how many ordinals are in the set from each start, ascending, to before the next one, and
 * tells how many in all. Counts each word, also those that are 0: a branch that is often mistaken
 * takes longer.
 */
export function countRanges(bits: OrdinalBits, starts: Uint32Array, target: Uint32Array): number {
  let w = starts[0] >>> 5;
  const before = popCount(bits[w] & headMask(starts[0]));
  /** Of whole words. */
  let count = 0;
  let counted = before;
  for (let range = 0; range + 1 < starts.length; range++) {
    const end = starts[range + 1];
    for (const last = end >>> 5; w < last; w++) count += popCount(bits[w] | 0);
    // There may be no word behind the last one.
    const upToEnd = count + popCount((end & 31) === 0 ? 0 : bits[w] & headMask(end));
    target[range] = upToEnd - counted;
    counted = upToEnd;
  }
  return counted - before;
}

/** The bits of an ordinal's word that are of ordinals before it. */
function headMask(ordinal: number): number {
  return ~(-1 << (ordinal & 31));
}

/** Tells whether all ordinals below `count` are in the set. */
export function isFull(bits: OrdinalBits, count: number): boolean {
  const words = count >>> 5;
  for (let w = 0; w < words; w++) if (bits[w] !== 0xffff_ffff) return false;
  return countRange(bits, words << 5, count) === (count & 31);
}

/** Adds to `bits` what is in `other` from `start` to before `end`. */
export function addRange(bits: OrdinalBits, other: OrdinalBits, start: number, end: number): void {
  for (let w = start >>> 5; w << 5 < end; w++) bits[w] |= other[w] & rangeMask(w, start, end);
}

/**
 * Flips the bits from `start` to before `end` of what is in `within`; returns how many words that
 * took.
 */
export function flipRange(
  bits: OrdinalBits,
  within: OrdinalBits,
  { start, end }: { readonly start: number; readonly end: number },
): number {
  if (start >= end) return 0;
  const first = start >>> 5;
  const last = (end - 1) >>> 5;
  for (let w = first; w <= last; w++) bits[w] ^= within[w] & rangeMask(w, start, end);
  return last - first + 1;
}

/** The bits of a word of a set that stand for ordinals of a range, of which it has some. */
export function wordWithin(bits: OrdinalBits, word: number, start: number, end: number): number {
  return bits[word] & rangeMask(word, start, end);
}

/** The bits of a word, which has some, that stand for ordinals of a range. */
function rangeMask(word: number, start: number, end: number): number {
  const first = word << 5;
  const fromStart = start <= first ? 0xffff_ffff : 0xffff_ffff << (start - first);
  const toEnd = end - first >= 32 ? 0xffff_ffff : 2 ** (end - first) - 1;
  return fromStart & toEnd;
}

/** A range that holds all ordinals of a set, to whole words; an empty one if there are none. */
export function extentOf(bits: OrdinalBits, count: number): { start: number; end: number } {
  let first = 0;
  let last = bits.length;
  while (last > 0 && bits[last - 1] === 0) last--;
  while (first < last && bits[first] === 0) first++;
  return { start: first << 5, end: Math.min(last << 5, count) };
}

/** The first ordinal in the set from `start` on; 32 for each word if there is none. */
export function nextBit(bits: OrdinalBits, start: number): number {
  for (let w = start >>> 5; w < bits.length; w++) {
    const word = bits[w] & rangeMask(w, start, (w + 1) << 5);
    if (word !== 0) return (w << 5) + 31 - Math.clz32(word & -word);
  }
  return bits.length << 5;
}

/** Tells whether no ordinal is in the set. */
export function isEmpty(bits: OrdinalBits): boolean {
  for (let w = 0; w < bits.length; w++) if (bits[w] !== 0) return false;
  return true;
}

/** What is done with some ordinals; `numbers` has room for one number for each of them. */
export type VisitPart = (ordinals: Uint32Array, numbers: Float64Array) => void;

/** Arrays that are lent to one loop at a time; others make their own. */
let spare: { ordinals: Uint32Array; numbers: Float64Array } | undefined;

/**
 * Calls `visit` with the ordinals in the set, ascending, at most `partSize` at a time, for loops
 * that are too tight for one call each, with a pause after each part. Both arrays are used again
 * for the next ones.
 */
export function* eachPart(
  bits: OrdinalBits,
  visit: VisitPart,
  partSize = SCAN_ROWS_MAX,
): Steps<void> {
  const buffers = spare ?? {
    ordinals: new Uint32Array(SCAN_ROWS_MAX),
    numbers: new Float64Array(SCAN_ROWS_MAX),
  };
  spare = undefined;
  const { ordinals, numbers } = buffers;
  for (let word = 0; word < bits.length; ) {
    const { count, end } = listOrdinals(bits, word, ordinals);
    word = end;
    for (let first = 0; first < count; first += partSize) {
      visit(ordinals.subarray(first, Math.min(first + partSize, count)), numbers);
      yield;
    }
  }
  spare = buffers;
}

/** Lists the ordinals from the word `start` on, as many words as there is room for all bits of. */
function listOrdinals(
  bits: OrdinalBits,
  start: number,
  into: Uint32Array,
): { readonly count: number; readonly end: number } {
  const most = into.length - 32;
  let count = 0;
  let w = start;
  for (; w < bits.length && count <= most; w++) {
    let word = bits[w];
    if (word === 0) continue;
    if (word === 0xffff_ffff) {
      for (let b = 0; b < 32; b++) into[count++] = (w << 5) + b;
      continue;
    }
    for (; word !== 0; word &= word - 1) {
      into[count++] = (w << 5) + 31 - Math.clz32(word & -word);
    }
  }
  return { count, end: w };
}

/** Calls `visit` for each ordinal in the set, ascending. */
export function forEachBit(bits: OrdinalBits, visit: (ordinal: number) => void): void {
  visitWords(bits, { start: 0, end: bits.length }, visit);
}

/** Words of a set between two pauses of a loop that does little with each ordinal. */
const WORDS_PER_STEP = 2048;

/** `forEachBit` in steps. */
export function* eachBit(bits: OrdinalBits, visit: (ordinal: number) => void): Steps<void> {
  for (let start = 0; start < bits.length; start += WORDS_PER_STEP) {
    if (start > 0) yield;
    visitWords(bits, { start, end: Math.min(start + WORDS_PER_STEP, bits.length) }, visit);
  }
}

function visitWords(
  bits: OrdinalBits,
  { start, end }: { readonly start: number; readonly end: number },
  visit: (ordinal: number) => void,
): void {
  for (let w = start; w < end; w++) {
    let word = bits[w];
    while (word !== 0) {
      visit((w << 5) + 31 - Math.clz32(word & -word));
      word &= word - 1;
    }
  }
}

/**
 * Widens the byte-wise presence bitmap of a column to words. Absent presence means that all
 * documents have a value.
 */
export function presenceBits(presence: Uint8Array | undefined, count: number): OrdinalBits {
  if (presence === undefined) return fullBitmap(count);
  const bits = emptyBits(count);
  const bytes = Math.min(presence.length, (count + 7) >>> 3);
  for (let i = 0; i < bytes; i++) bits[i >>> 2] |= presence[i] << ((i & 3) << 3);
  clearTail(bits, count);
  return bits;
}

function clearTail(bits: OrdinalBits, count: number): void {
  if ((count & 31) !== 0) bits[bits.length - 1] &= 2 ** (count & 31) - 1;
}
