/**
 * Sets of ordinals of one segment as bitmaps: bit o is bit (o & 31) of word (o >> 5), as in
 * `SegmentSnapshot.live`. Bits at and past the segment's document count are always 0.
 */

/** A set of ordinals; its length in words is `wordCount` of the segment's document count. */
export type OrdinalBits = Uint32Array<ArrayBufferLike>;

/** Words needed for `count` bits. */
export function wordCount(count: number): number {
  return (count + 31) >>> 5;
}

/** Makes an empty set. */
export function emptyBits(count: number): OrdinalBits {
  return new Uint32Array(wordCount(count));
}

/** Makes the set of all ordinals below `count`. */
export function fullBits(count: number): OrdinalBits {
  const bits = new Uint32Array(wordCount(count)).fill(0xffffffff);
  clearTail(bits, count);
  return bits;
}

/** Tells whether the set has the ordinal. */
export function hasBit(bits: OrdinalBits, ordinal: number): boolean {
  return ((bits[ordinal >>> 5] >>> (ordinal & 31)) & 1) === 1;
}

/** Adds an ordinal. */
export function setBit(bits: OrdinalBits, ordinal: number): void {
  bits[ordinal >>> 5] |= 1 << (ordinal & 31);
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

/** Counts the ordinals in the set. */
export function countBits(bits: OrdinalBits): number {
  let count = 0;
  for (let w = 0; w < bits.length; w++) count += populationCount(bits[w]);
  return count;
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

/** Lists the ordinals in the set, ascending. */
export function listBits(bits: OrdinalBits): Uint32Array {
  const ordinals = new Uint32Array(countBits(bits));
  let count = 0;
  for (let w = 0; w < bits.length; w++) {
    let word = bits[w];
    while (word !== 0) {
      ordinals[count++] = (w << 5) + 31 - Math.clz32(word & -word);
      word &= word - 1;
    }
  }
  return ordinals;
}

/**
 * Widens the byte-wise presence bitmap of a column to words. Absent presence means that all
 * documents have a value.
 */
export function presenceBits(presence: Uint8Array | undefined, count: number): OrdinalBits {
  if (presence === undefined) return fullBits(count);
  const bits = emptyBits(count);
  const bytes = Math.min(presence.length, (count + 7) >>> 3);
  for (let i = 0; i < bytes; i++) bits[i >>> 2] |= presence[i] << ((i & 3) << 3);
  clearTail(bits, count);
  return bits;
}

/** Counts the set bits of a 32-bit word (Hacker's Delight, figure 5-2). */
export function populationCount(word: number): number {
  let v = word - ((word >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return Math.imul((v + (v >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

function clearTail(bits: OrdinalBits, count: number): void {
  if ((count & 31) !== 0) bits[bits.length - 1] &= 2 ** (count & 31) - 1;
}
