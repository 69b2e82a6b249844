/**
 * How many deleted documents of a segment have each term, so that the counts of its dictionaries
 * become those of live documents without reading a posting. By column: for each term that some of
 * these documents have, ascending by code, how far its code is from the one before (the first from
 * −1) and how many have it, as varints: 7 bits a byte, low ones first, the high bit set if more
 * follow.
 */

import { firstFrom } from "../../base/numbers/first-from.ts";
import { corrupt } from "../../codec/columns-packing.ts";

/** What was counted at some time, as plain data. */
export interface CountedDeletions {
  /** As in `SegmentSnapshot`: the documents that were live then; others are counted. */
  readonly liveBitmap: Uint32Array;
  /** Counts of each column with a text index. */
  readonly terms: ReadonlyMap<string, Uint8Array>;
}

/** Counts by the code of a term, ascending. */
export interface TermCounts {
  readonly codes: Uint32Array;
  readonly counts: Uint32Array;
}

const WHAT = "counts of deleted terms";
/** Codes and counts are below this. */
const NUMBERS_MAX = 2 ** 32;

/** Encodes counts by code, of which those that are 0 are left out. */
export function encodeTermCounts(counts: Uint32Array): Uint8Array {
  const bytes: number[] = [];
  let before = -1;
  for (let code = 0; code < counts.length; code++) {
    if (counts[code] === 0) continue;
    pushVarint(bytes, code - before);
    pushVarint(bytes, counts[code]);
    before = code;
  }
  return Uint8Array.from(bytes);
}

function pushVarint(bytes: number[], value: number): void {
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
}

/** Decodes what `encodeTermCounts` wrote. Throws `corrupt` for anything else. */
export function decodeTermCounts(bytes: Uint8Array): TermCounts {
  let numbers = 0;
  for (const byte of bytes) if (byte < 0x80) numbers++;
  if (numbers % 2 !== 0) throw corrupt(WHAT, "a term has no count");
  const codes = new Uint32Array(numbers / 2);
  const counts = new Uint32Array(numbers / 2);
  let at = 0;
  let code = -1;
  const read = (): number => {
    let value = 0;
    for (let factor = 1; at < bytes.length; factor *= 0x80) {
      const byte = bytes[at++];
      value += (byte & 0x7f) * factor;
      if (value >= NUMBERS_MAX) break;
      if (byte < 0x80) return value;
    }
    throw corrupt(WHAT, "a number is too large or ends early");
  };
  for (let i = 0; i < codes.length; i++) {
    const step = read();
    counts[i] = read();
    code += step;
    if (step === 0 || counts[i] === 0) throw corrupt(WHAT, "a number is 0");
    if (code >= NUMBERS_MAX) throw corrupt(WHAT, "a code is too large");
    codes[i] = code;
  }
  if (at !== bytes.length) throw corrupt(WHAT, "they do not end with a number");
  return { codes, counts };
}

/** The count of the term with a code; 0 if it is not there. */
export function countOf({ codes, counts }: TermCounts, code: number): number {
  const index = firstFrom(codes, code);
  return codes[index] === code ? counts[index] : 0;
}
