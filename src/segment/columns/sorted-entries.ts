/**
 * Ordinals of a segment in some order, each an entry, in two sections. One has the ordinals, u32
 * each. One has a bitmap (`codec/bitmap.ts`) for each milestone, a count of entries, end to end:
 * that of a milestone m has the ordinals of the first m entries. So the entries between two places
 * are the exclusive or of two bitmaps and of the few entries between the places and the milestones
 * next to them.
 */

import type { Steps } from "../../base/steps.ts";
import { bitmapWords, setBit } from "../../codec/bitmap.ts";
import type { AttributeSections } from "../format/attribute-sections.ts";
import { wordSection } from "../format/section-plans.ts";
import type { SectionKind, SectionPlan } from "../format/segment-layout.ts";

/** Kinds of the sections of entries. */
export interface EntryKinds {
  readonly ordinals: SectionKind;
  readonly bitmaps: SectionKind;
}

/** The sections of entries, as arrays. */
export interface EntryArrays {
  /** Undefined if there are bitmaps for all. */
  readonly ordinals: Uint32Array | undefined;
  readonly bitmaps: Uint32Array;
}

/** Entries as queries read them, by range. */
export interface SortedEntries {
  /** Of the segment. */
  readonly documentCount: number;
  readonly entryCount: number;
  /** Some counts of entries, ascending. */
  readonly milestones: Uint32Array;
  /** Entries of which there are ordinals: all, or none if there are bitmaps for all values. */
  readonly ordinalCount: number;
  /** Bitmaps that there are. */
  readonly bitmapCount: number;
  /** The ordinals of entries `start` to `end`. Throws `BytesMissing`. */
  entries(start: number, end: number): Uint32Array;
  /** The same, or undefined where they are not in memory; never makes anybody load them. */
  peekEntries(start: number, end: number): Uint32Array | undefined;
  /** The bitmap of the index-th milestone. Throws `BytesMissing`. */
  bitmap(index: number): Uint32Array;
}

/** Parts between milestones that are at no value: bitmaps of a quarter of the ordinals' bytes. */
const MILESTONE_PARTS = 8;
/** Entries that one step looks at. */
const STEP_ENTRIES = 65_536;

/** Milestones that cut entries into parts of about the same size. */
export function evenMilestones(entryCount: number): Uint32Array {
  return evenly(entryCount, Math.ceil(entryCount / MILESTONE_PARTS)).subarray(1);
}

/** 0 and all multiples of `distance` below `end`. */
export function evenly(end: number, distance: number): Uint32Array {
  return Uint32Array.from({ length: Math.ceil(end / distance) }, (_, i) => i * distance);
}

/** The bitmaps of milestones over so many documents. */
export function* bitmapsOf(
  milestones: Uint32Array,
  ordinals: Uint32Array,
  count: number,
): Steps<Uint32Array> {
  const words = bitmapWords(count);
  const bitmaps = new Uint32Array(milestones.length * words);
  let entry = 0;
  for (let m = 0; m < milestones.length; m++) {
    const bitmap = bitmaps.subarray(m * words, (m + 1) * words);
    if (m > 0) bitmap.set(bitmaps.subarray((m - 1) * words, m * words));
    while (entry < milestones[m]) {
      const end = Math.min(entry + STEP_ENTRIES, milestones[m]);
      for (; entry < end; entry++) setBit(bitmap, ordinals[entry]);
      yield;
    }
  }
  return bitmaps;
}

/** Plans the sections of entries, those of them that there are. */
export function planEntries(
  attribute: string,
  { ordinals, bitmaps }: EntryArrays,
  kinds: EntryKinds,
): SectionPlan[] {
  const plans: SectionPlan[] = [];
  if (ordinals !== undefined) plans.push(wordSection(kinds.ordinals, attribute, ordinals));
  if (bitmaps.length > 0) plans.push(wordSection(kinds.bitmaps, attribute, bitmaps));
  return plans;
}

/** Opens the sections of entries; reads nothing. */
export function openEntries(
  { entryCount, milestones }: Pick<SortedEntries, "entryCount" | "milestones">,
  sections: AttributeSections,
  kinds: EntryKinds,
): SortedEntries {
  const { documentCount } = sections;
  const bitmapBytes = bitmapWords(documentCount) * WORD_BYTES;
  // Sections are rounded up: they hold at least what a reader asks for.
  const ordinalBytes = sections.entry(kinds.ordinals)?.bytes ?? 0;
  const held = Math.floor((sections.entry(kinds.bitmaps)?.bytes ?? 0) / bitmapBytes);
  return {
    documentCount,
    entryCount,
    milestones,
    ordinalCount: Math.min(entryCount, ordinalBytes / WORD_BYTES),
    bitmapCount: Math.min(milestones.length, held),
    entries: (start, end) =>
      wordsOf(sections.part(kinds.ordinals, start * WORD_BYTES, end * WORD_BYTES)),
    peekEntries(start, end) {
      const bytes = sections.peekPart(kinds.ordinals, start * WORD_BYTES, end * WORD_BYTES);
      return bytes && wordsOf(bytes);
    },
    bitmap: (index) =>
      wordsOf(sections.part(kinds.bitmaps, index * bitmapBytes, (index + 1) * bitmapBytes)),
  };
}

/** Bytes of a section as words. */
export function wordsOf(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / WORD_BYTES);
}

const WORD_BYTES = 4;
