/**
 * Trigrams: three bytes in a row of a string's UTF-8 after its characters were folded one by one.
 * A string that contains another has all of its trigrams, whether case counts or not.
 */

import { distinct } from "../base/tables/scalar-map.ts";

const textEncoder = new TextEncoder();

/** Bytes of a trigram. */
const TRIGRAM_BYTES = 3;

/**
 * The code point that stands for one in trigrams: ASCII letters in lower case, and the three
 * others that some rule of case takes for an ASCII letter: the Kelvin sign (k), the long s (s) by
 * simple folding, and the dotted capital I (i, with an accent behind it) by lower case.
 */
export function foldedCodePoint(codePoint: number): number {
  if (codePoint < 0x80)
    return codePoint >= 0x41 && codePoint <= 0x5a ? codePoint | 0x20 : codePoint;
  if (codePoint === 0x212a) return 0x6b;
  if (codePoint === 0x17f) return 0x73;
  return codePoint === 0x130 ? 0x69 : codePoint;
}

/** The distinct trigrams of a text, each as a number of 24 bits. */
export function trigramsOf(text: string): number[] {
  let folded = "";
  for (const character of text) {
    folded += String.fromCodePoint(foldedCodePoint(character.codePointAt(0) ?? 0));
  }
  const bytes = textEncoder.encode(folded);
  const found: number[] = [];
  for (let i = 0; i + TRIGRAM_BYTES <= bytes.length; i++) {
    found.push((bytes[i] << 16) | (bytes[i + 1] << 8) | bytes[i + 2]);
  }
  return distinct(found);
}

/** A place in a text whose trigrams are read in parts. */
export interface TrigramPlace {
  /** The next byte. */
  at: number;
  /** The last folded bytes, three at most. */
  last: number;
  /** How many there were. */
  count: number;
}

/** Bytes that stand for those of ASCII; others for themselves. */
const FOLDED_BYTES = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x80 ? foldedCodePoint(byte) : byte,
);
/** First of the bytes with which the other folded code points begin. */
const LEAD_MIN = 0xc4;

/**
 * Writes the trigrams of UTF-8 from a place to before `end`, some of them more than once, until
 * `trigrams` is full; returns how many. The same as `trigramsOf`, at 1 ns for each.
 */
export function readTrigrams(
  bytes: Uint8Array,
  end: number,
  place: TrigramPlace,
  trigrams: Uint32Array,
): number {
  let { at, last, count } = place;
  let found = 0;
  while (at < end && found < trigrams.length) {
    let byte = FOLDED_BYTES[bytes[at++]];
    if (byte >= LEAD_MIN) {
      const second = at < end ? bytes[at] : 0;
      if (byte === 0xe2 && second === 0x84 && at + 1 < end && bytes[at + 1] === 0xaa) {
        byte = 0x6b;
        at += 2;
      } else if (byte === 0xc5 && second === 0xbf) {
        byte = 0x73;
        at++;
      } else if (byte === 0xc4 && second === 0xb0) {
        byte = 0x69;
        at++;
      }
    }
    last = ((last << 8) | byte) & 0xff_ffff;
    if (++count >= TRIGRAM_BYTES) trigrams[found++] = last;
  }
  place.at = at;
  place.last = last;
  place.count = count;
  return found;
}
