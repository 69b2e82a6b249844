/**
 * Sets of ordinals as bits: ordinal o is bit o & 31 of word o >> 5; bits past the end are 0.
 * Encoded (format version 1) as the smaller of two forms, little-endian:
 *
 * | size | meaning                                                                   |
 * |------|---------------------------------------------------------------------------|
 * | 4    | form: 1 = words, 2 = members, 3 = members of the complement               |
 * | 4    | ordinals that the bitmap is over                                          |
 * | 4·n  | the words, or the members in ascending order                              |
 */

import { corrupt } from "./columns-packing.ts";

const WORDS = 1;
const MEMBERS = 2;
const NON_MEMBERS = 3;
const HEADER_BYTES = 8;

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
  for (let i = 0; i < words.length; i++) count += popCount(words[i]);
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

/** Encodes a bitmap over `count` ordinals. */
export function encodeBitmap(words: Uint32Array, count: number): Uint8Array {
  const members = countBits(words);
  const [form, content] =
    members < words.length
      ? [MEMBERS, bitmapOrdinals(words)]
      : count - members < words.length
        ? [NON_MEMBERS, bitmapOrdinals(complement(words, count))]
        : [WORDS, words];
  const encoded = new Uint32Array(2 + content.length);
  encoded.set([form, count]);
  encoded.set(content, 2);
  return new Uint8Array(encoded.buffer);
}

/** Decodes a bitmap over `count` ordinals; one over another number of them is corrupt. */
export function decodeBitmap(bytes: Uint8Array, count: number): Uint32Array {
  const what = "a bitmap";
  if (bytes.length < HEADER_BYTES || bytes.length % 4 !== 0) {
    throw corrupt(what, `it has ${bytes.length} bytes`);
  }
  const encoded = new Uint32Array(Uint8Array.from(bytes).buffer);
  const [form, over] = encoded;
  const content = encoded.subarray(2);
  if (over !== count) throw corrupt(what, `it is over ${over} ordinals instead of ${count}`);
  if (form === WORDS) return decodeWords(content.slice(), count);
  if (form !== MEMBERS && form !== NON_MEMBERS) throw corrupt(what, `there is no form ${form}`);
  const words = new Uint32Array(bitmapWords(count));
  for (const ordinal of content) {
    if (ordinal >= count) throw corrupt(what, `ordinal ${ordinal} is not below ${count}`);
    setBit(words, ordinal);
  }
  return form === MEMBERS ? words : complement(words, count);
}

function decodeWords(words: Uint32Array, count: number): Uint32Array {
  const full = fullBitmap(count);
  if (words.length !== full.length) throw corrupt("a bitmap", `it has ${words.length} words`);
  if (words.some((word, i) => (word & ~full[i]) !== 0)) {
    throw corrupt("a bitmap", `it has ordinals of ${count} or more`);
  }
  return words;
}

function complement(words: Uint32Array, count: number): Uint32Array {
  return fullBitmap(count).map((word, i) => word & ~words[i]);
}

/** How many bits of a word are set. */
export function popCount(word: number): number {
  let v = word - ((word >>> 1) & 0x5555_5555);
  v = (v & 0x3333_3333) + ((v >>> 2) & 0x3333_3333);
  return Math.imul((v + (v >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}
