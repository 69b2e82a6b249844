/** Kinds of the sections of text indexes. */

import { FREQUENCY_FORM } from "./frequencies.ts";

/** A text index without its postings, read as a whole. */
export const TEXT_SECTION = 48;
/** The same by pages: which there are, in the head. */
export const TEXT_ROOT = 66;
/** Those pages. */
export const TEXT_PAGES = 67;
/** Lengths of texts, beside pages. */
export const TEXT_LENGTHS = 68;
/** Its posting lists. */
export const TEXT_LISTS = { kind: 49, numbers: FREQUENCY_FORM } as const;
/**
 * Bounds of those; a pair is a frequency and the length of a text. Pages of terms say what the
 * directory does, here and below.
 */
export const TEXT_BLOCKS = { directory: 28, words: 29 } as const;
/** Bitmaps of those of frequent terms. */
export const TEXT_BITSETS = { directory: 56, bitmaps: 57 } as const;
/** Positions in documents of those: where those of each list begin, and runs of them. */
export const TEXT_POSITIONS = { starts: 63, runs: 64 } as const;
