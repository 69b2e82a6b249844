/**
 * Algebra on sets of ordinals of one segment: bitmaps as in `SegmentSnapshot.live` and
 * `codec/bitmap.ts`. Bits at and past the segment's document count are always 0.
 */

import { bitmapWords, fullBitmap } from "../codec/bitmap.ts";

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

/** Tells whether no ordinal is in the set. */
export function isEmpty(bits: OrdinalBits): boolean {
  for (let w = 0; w < bits.length; w++) if (bits[w] !== 0) return false;
  return true;
}

/** Calls `visit` for each ordinal in the set, ascending. */
export function forEachBit(bits: OrdinalBits, visit: (ordinal: number) => void): void {
  for (let w = 0; w < bits.length; w++) {
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
