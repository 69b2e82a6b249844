/**
 * Sets of ordinals as bits: ordinal o is bit o & 31 of word o >> 5; bits past the end are 0.
 * Encoded (format version 1) they are the words, each as 4 bytes, little-endian.
 */

import { corrupt } from "./columns-packing.ts";

const WORD_BYTES = 4;

/** Words of a bitmap over `count` ordinals. */
export function bitmapWords(count: number): number {
  return (count + 31) >>> 5;
}

/** A bitmap of `count` ones. */
export function fullBitmap(count: number): Uint32Array {
  const words = new Uint32Array(bitmapWords(count)).fill(0xffff_ffff);
  const rest = count & 31;
  if (rest !== 0) words[words.length - 1] = (1 << rest) - 1;
  return words;
}

/** Tells whether an ordinal is in the set. */
export function hasBit(words: Uint32Array, ordinal: number): boolean {
  return ((words[ordinal >> 5] >>> (ordinal & 31)) & 1) === 1;
}

/** Removes an ordinal; tells whether it was in the set. */
export function clearBit(words: Uint32Array, ordinal: number): boolean {
  const bit = 1 << (ordinal & 31);
  const had = (words[ordinal >> 5] & bit) !== 0;
  words[ordinal >> 5] &= ~bit;
  return had;
}

/** Adds an ordinal. */
export function setBit(words: Uint32Array, ordinal: number): void {
  words[ordinal >> 5] |= 1 << (ordinal & 31);
}

/** How many ordinals are in the set. */
export function countBits(words: Uint32Array): number {
  let count = 0;
  const { length } = words;
  for (let i = 0; i < length; i++) {
    const word = words[i];
    // Where few are set it is half the time, and V8 makes a faster loop of it where many are.
    if (word !== 0) count += popCount(word);
  }
  return count;
}

/** The ordinals in the set, ascending. */
export function bitmapOrdinals(words: Uint32Array): Uint32Array {
  const ordinals = new Uint32Array(countBits(words));
  let at = 0;
  for (let i = 0; i < words.length; i++) {
    for (let word = words[i]; word !== 0; word &= word - 1) {
      ordinals[at++] = (i << 5) + (31 - Math.clz32(word & -word));
    }
  }
  return ordinals;
}

/** Encodes a bitmap; the head of this file says how. */
export function encodeBitmap(words: Uint32Array): Uint8Array {
  const bytes = new Uint8Array(words.length * WORD_BYTES);
  const view = new DataView(bytes.buffer);
  words.forEach((word, index) => void view.setUint32(index * WORD_BYTES, word, true));
  return bytes;
}

/** Decodes a bitmap over `count` ordinals. Throws `corrupt` for one of another length. */
export function decodeBitmap(bytes: Uint8Array, count: number): Uint32Array {
  const words = bitmapWords(count);
  if (bytes.length !== words * WORD_BYTES) {
    throw corrupt("a bitmap", `it has ${bytes.length} bytes for ${count} ordinals`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const decoded = Uint32Array.from({ length: words }, (_, index) => {
    return view.getUint32(index * WORD_BYTES, true);
  });
  if (words > 0 && (decoded[words - 1] & ~fullBitmap(count)[words - 1]) !== 0) {
    throw corrupt("a bitmap", `it has ordinals of ${count} or more`);
  }
  return decoded;
}

/** How many bits of a word are set. */
export function popCount(word: number): number {
  let v = word - ((word >>> 1) & 0x5555_5555);
  v = (v & 0x3333_3333) + ((v >>> 2) & 0x3333_3333);
  return Math.imul((v + (v >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}
