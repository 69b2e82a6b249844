/**
 * How the entries of a range become bits: one by one, or from the bitmaps of two milestones and the
 * entries between those and the range's ends; and whether that costs less than to compare values.
 */

import { bitmapWords } from "../../codec/bitmap.ts";
import type { SortedDirectory } from "../../segment/columns/sorted-section.ts";
import type { EntryCut, EntryRange } from "./sorted-cut.ts";

/** A count of entries of which there is a bitmap; the first of none and that of all may be known. */
export interface Milestone {
  readonly entries: number;
  /** In the segment's list; undefined if the bitmap is empty or full. */
  readonly index: number | undefined;
}

/** How a range is read. */
export interface RangeAccess {
  readonly range: EntryRange;
  /** Those next to its two ends; undefined if its entries are taken one by one. */
  readonly milestones: readonly [Milestone, Milestone] | undefined;
  /** Whether its entries are the ordinals from its start to its end, which are set by the word. */
  readonly isRun: boolean;
  /** Entries that are taken, at most. */
  readonly entries: number;
  /** Bitmaps that are joined. */
  readonly bitmaps: number;
}

/** What of a segment decides. */
export type SortedShape = Pick<SortedDirectory, "entryCount" | "milestones"> & {
  readonly documentCount: number;
  readonly hasOrdinals: boolean;
  /** Each entry is its ordinal. */
  readonly isAscending: boolean;
};

/** Words of a bitmap that are joined in the time of one entry (ADR 30). */
export const WORDS_PER_ENTRY = 1.5;
/** Entries in whose time a place is looked for among the keys and in a column. */
const LOOKUP_ENTRIES = 3000;

/** The way of a range that costs less. */
export function pickRangeAccess(shape: SortedShape, range: EntryRange): RangeAccess {
  const { start, end } = range;
  const between = Math.max(0, end.to - start.from);
  const entryWise = { range, milestones: undefined, isRun: false };
  const single: RangeAccess = { ...entryWise, entries: between, bitmaps: 0 };
  if (shape.isAscending) return { ...single, isRun: true, entries: bitmapWords(between) };
  const first = nearest(shape, start);
  const last = nearest(shape, end);
  const joined: RangeAccess = {
    range,
    milestones: [first, last],
    isRun: false,
    entries: reach(start, first) + reach(end, last),
    bitmaps: Number(first.entries > 0) + Number(last.entries > 0),
  };
  if (!shape.hasOrdinals) return joined;
  return costOf(shape, [single]) <= costOf(shape, [joined]) ? single : joined;
}

/** What ranges cost, in the time that it takes to set a bit for one entry. */
function costOf(
  { documentCount }: Pick<SortedShape, "documentCount">,
  accesses: readonly Pick<RangeAccess, "entries" | "bitmaps">[],
): number {
  const words = bitmapWords(documentCount) / WORDS_PER_ENTRY;
  return accesses.reduce((sum, { entries, bitmaps }) => sum + entries + bitmaps * words, 0);
}

/**
 * Tells whether to read ranges costs less than to compare so many values, each of which takes as
 * long as `valueCost` entries.
 */
export function sortedPays(
  shape: Pick<SortedShape, "documentCount">,
  accesses: readonly Pick<RangeAccess, "entries" | "bitmaps">[],
  scan: { readonly values: number; readonly valueCost: number },
): boolean {
  // Both make a bitmap and join it with what is asked for.
  const lookups = accesses.length > 1 ? accesses.length * LOOKUP_ENTRIES : 0;
  return costOf(shape, accesses) + lookups < scan.values * scan.valueCost;
}

function nearest({ milestones, entryCount, documentCount }: SortedShape, cut: EntryCut): Milestone {
  let best: Milestone = { entries: 0, index: undefined };
  const offer = (milestone: Milestone): void => {
    if (reach(cut, milestone) < reach(cut, best)) best = milestone;
  };
  for (let index = 0; index < milestones.length; index++) {
    offer({ entries: milestones[index], index });
  }
  if (entryCount === documentCount) offer({ entries: entryCount, index: undefined });
  return best;
}

/** Entries from a milestone to the farther end of a cut. */
function reach({ from, to }: EntryCut, { entries }: Milestone): number {
  return Math.max(Math.abs(from - entries), Math.abs(to - entries));
}
