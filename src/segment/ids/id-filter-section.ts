/**
 * A filter of the ids of a stored segment, so that a lookup of an id that is not there reads no id
 * table: a split-block Bloom filter over the ids' 32-bit hashes, as Parquet has it. The section is
 * u32 words; a block is 8 of them, and an id sets one bit in each word of its block. The number of
 * blocks is even. With `BITS_PER_ID` bits at most 1 absent id in 100 may seem to be there.
 */

import { copyInSteps } from "../../base/pieces.ts";
import { corrupt } from "../../codec/columns-packing.ts";
import type { SectionPlan } from "../format/segment-layout.ts";

/** Kind of the section; without an attribute, in stored segments only. */
export const ID_FILTER_SECTION = 13;

const BLOCK_WORDS = 8;
const BLOCK_BITS = 256;
const BITS_PER_ID = 12;
/** Odd constants of the Parquet format, one for each word. */
const SALTS = Uint32Array.of(
  0x47b6137b,
  0x44974d91,
  0x8824ad5b,
  0xa2b7289d,
  0x705495c7,
  0x2df1424b,
  0x9efc4947,
  0x5c6bfb31,
);
/** Spreads hashes over blocks by other bits than those that choose the bits in a block. */
const BLOCK_SALT = 0x9e37_79b1;

/** Builds and plans the filter of some hashes, of which there is at least one. */
export function planIdFilter(hashes: Uint32Array): SectionPlan {
  // An even number, since sections are padded to 64 bytes and these must not be taken for a block.
  const blocks = 2 * Math.ceil((hashes.length * BITS_PER_ID) / (2 * BLOCK_BITS));
  const words = new Uint32Array(blocks * BLOCK_WORDS);
  for (const hash of hashes) {
    const at = blockOf(hash, blocks);
    for (let i = 0; i < BLOCK_WORDS; i++) words[at + i] |= bitOf(hash, i);
  }
  const bytes = new Uint8Array(words.buffer);
  const writeTo = (target: Uint8Array) => copyInSteps(bytes, target);
  return { kind: ID_FILTER_SECTION, attribute: "", bytes: bytes.length, writeTo };
}

/** Opens the section. Throws `corrupt` if it has no whole blocks. */
export function openIdFilter(section: Uint8Array): Uint32Array {
  if (section.length === 0 || section.length % (BLOCK_BITS / 4) !== 0) {
    throw corrupt("a filter of ids", `it has ${section.length} bytes`);
  }
  return new Uint32Array(section.buffer, section.byteOffset, section.length / 4);
}

/** False: no id here has the hash. */
export function mayHaveId(words: Uint32Array, hash: number): boolean {
  const at = blockOf(hash, words.length / BLOCK_WORDS);
  for (let i = 0; i < BLOCK_WORDS; i++) {
    if ((words[at + i] & bitOf(hash, i)) === 0) return false;
  }
  return true;
}

/** Index of the first word of a hash's block. */
function blockOf(hash: number, blocks: number): number {
  const spread = Math.imul(hash, BLOCK_SALT) >>> 0;
  return Math.floor((spread * blocks) / 2 ** 32) * BLOCK_WORDS;
}

function bitOf(hash: number, word: number): number {
  return 1 << (Math.imul(hash, SALTS[word]) >>> 27);
}
