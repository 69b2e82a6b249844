/**
 * The hash of in-memory tables whose keys clients choose: simple tabulation hashing (Zobrist 1970).
 * Each byte of a key selects a random word, and the words are combined by exclusive or. For every
 * set of keys that was chosen without knowledge of the words, linear probing takes constant
 * expected time (Pătraşcu and Thorup, The Power of Simple Tabulation Hashing, 2012).
 */

import { type Random, systemRandom } from "../random.ts";

/** Bytes of a key. */
const KEY_BYTES = 8;
const BYTE_VALUES = 256;

/** Random words: 256 for each byte of a key. */
export type HashWords = Int32Array;

/** Draws the words of a hash function: 8 KiB. */
export function drawHashWords(random: Random): HashWords {
  return new Int32Array(Uint8Array.from(random.bytes(4 * KEY_BYTES * BYTE_VALUES)).buffer);
}

/** The words of this thread. No result depends on them: tables only compare keys for equality. */
export const THREAD_HASH_WORDS = drawHashWords(systemRandom);

/** 32 bits for a key of two 32-bit words. */
export function tabulationHash(words: HashWords, low: number, high: number): number {
  return (
    words[low & 0xff] ^
    words[0x100 | ((low >>> 8) & 0xff)] ^
    words[0x200 | ((low >>> 16) & 0xff)] ^
    words[0x300 | (low >>> 24)] ^
    words[0x400 | (high & 0xff)] ^
    words[0x500 | ((high >>> 8) & 0xff)] ^
    words[0x600 | ((high >>> 16) & 0xff)] ^
    words[0x700 | (high >>> 24)]
  );
}
