/** What a segment has in order of the elements of arrays, and how ranges of it are read. */

import { assert } from "../../base/assert.ts";
import { bitmapWords } from "../../codec/bitmap.ts";
import { DICTIONARY_INDEX, ELEMENT_CODES } from "../../segment/columns/dictionary-index.ts";
import {
  ELEMENT_NUMBERS,
  ELEMENT_NUMBERS_INDEX,
} from "../../segment/columns/element-numbers-index.ts";
import type { SortedElements } from "../../segment/columns/element-section.ts";
import type { DictionaryView, SegmentView } from "../../segment/view/segment-view.ts";
import { WORDS_PER_ENTRY } from "./pick-access.ts";
import {
  type EntryCut,
  type EntryKeys,
  type EntryRange,
  isWithin,
  rangeOf,
  type SortedKey,
  type ValueInterval,
  type ValuePlace,
} from "./sorted-cut.ts";

/** Sections that tell, without being read, what there is. */
const DIRECTORIES = [ELEMENT_NUMBERS, ELEMENT_CODES].map(({ directory }) => ({
  sections: [directory],
}));

/** The documents of a segment in the order of their elements. */
export interface ElementSource {
  readonly elements: SortedElements;
  readonly keys: EntryKeys;
  /** Whose codes are sorted; undefined for numbers. */
  readonly dictionary: DictionaryView | undefined;
}

/** Tells, without reading anything, whether a segment has an attribute's elements in order. */
export function hasElements(attribute: string, view: SegmentView): boolean {
  return DIRECTORIES.some((kinds) => view.hasIndex(kinds, attribute));
}

/** Undefined where a segment has no elements in order. Throws `BytesMissing`. */
export function elementSource(attribute: string, view: SegmentView): ElementSource | undefined {
  const numbers = view.index(ELEMENT_NUMBERS_INDEX, attribute);
  if (numbers !== undefined) {
    return { elements: numbers, keys: keysOf(numbers), dictionary: undefined };
  }
  const dictionary = view.index(DICTIONARY_INDEX, attribute);
  const elements = dictionary?.elements;
  return elements && { elements, keys: keysOf(elements), dictionary };
}

function keysOf({ keys, starts, isExact, entryCount }: SortedElements): EntryKeys {
  return {
    entryCount,
    keyCount: starts.length,
    isExact,
    keyAt: (index) => (keys === undefined ? index : keys[index]),
    startOf: (index) => starts[index],
  };
}

/** Some entries, from `start` to before `end`. */
export interface Slice {
  readonly start: number;
  readonly end: number;
}

/** How the entries of an interval are read. */
export interface ElementAccess {
  readonly interval: ValueInterval;
  /** Where it begins and ends, as far as keys tell. */
  readonly range: EntryRange;
  /** What is read of entries one by one: those of the interval, and those that may be. */
  readonly slices: readonly Slice[];
  /** Parts whose bitmaps are joined. */
  readonly parts: readonly number[];
  /** Entries that are taken one by one, at most. */
  readonly entries: number;
  /** Bitmaps that are joined. */
  readonly bitmaps: number;
}

/** How an interval is read; undefined if it has no entries. */
export function accessOf(
  { elements, keys }: ElementSource,
  interval: ValueInterval,
): ElementAccess | undefined {
  const range = rangeOf(keys, interval);
  const outer = { start: range.start.from, end: range.end.to };
  if (outer.start >= outer.end) return undefined;
  const inner = { start: range.start.to, end: range.end.from };
  const { slices, parts } = splitBy(elements, outer, inner);
  const entries = slices.reduce((sum, { start, end }) => sum + end - start, 0);
  return { interval, range, slices, parts, entries, bitmaps: parts.length };
}

/** Whole parts by their bitmaps, but for those of few entries; what is left one by one. */
function splitBy(
  { partEnds, documentCount, hasOrdinals }: SortedElements,
  outer: Slice,
  inner: Slice,
): Pick<ElementAccess, "slices" | "parts"> {
  const least = hasOrdinals ? bitmapWords(documentCount) / WORDS_PER_ENTRY : 0;
  const slices: Slice[] = [];
  const parts: number[] = [];
  let at = outer.start;
  for (let part = 0; part < partEnds.length; part++) {
    const start = part === 0 ? 0 : partEnds[part - 1];
    const end = partEnds[part];
    if (start < inner.start || end > inner.end || end - start <= least) continue;
    slices.push({ start: at, end: start });
    parts.push(part);
    at = end;
  }
  slices.push({ start: at, end: outer.end });
  return { slices: slices.filter(({ start, end }) => start < end), parts };
}

/** How many entries lie between two cuts that are known, if the interval has one element. */
export function countOf(
  { low, high }: ValueInterval,
  { start, end }: EntryRange,
): number | undefined {
  if (low === undefined || high === undefined || low.past) return undefined;
  // Codes end before the next one.
  const isCode = !high.past && typeof low.value === "number" && high.value === low.value + 1;
  const isOne = high.past && high.value === low.value;
  const isKnown = start.from === start.to && end.from === end.to;
  return isKnown && (isOne || isCode) ? Math.max(0, end.from - start.from) : undefined;
}

/** Reads the elements of single documents, which are numbers. */
export class ElementReader {
  readonly #keys: EntryKeys;
  readonly #offsets: Uint32Array;
  readonly #values: ArrayLike<SortedKey>;

  /** Throws `BytesMissing`. */
  constructor(attribute: string, view: SegmentView, keys: EntryKeys) {
    const data = view.column(attribute)?.column.data;
    assert(data?.kind === "array" && "values" in data.elements, "elements without a column");
    this.#keys = keys;
    this.#offsets = data.offsets;
    this.#values = data.elements.values;
  }

  /** Tells whether some element of a document lies in an interval. */
  hasWithin(ordinal: number, interval: ValueInterval): boolean {
    const offsets = this.#offsets;
    for (let e = offsets[ordinal]; e < offsets[ordinal + 1]; e++) {
      if (isWithin(interval, this.#values[e])) return true;
    }
    return false;
  }

  /**
   * Finds a cut among the entries that it may be before: `ordinals`, of which the first is `first`;
   * calls `looked` for each document that it looks at. Where one of these has elements on both
   * sides of the place and between the same two keys, the cut stays as it is known by then.
   */
  settle(
    { from, to, place }: EntryCut,
    { ordinals, first }: { readonly ordinals: Uint32Array; readonly first: number },
    looked: () => void,
  ): EntryCut {
    if (from === to || place === undefined) return { from, to, place };
    const gap = this.#gapBefore(to);
    let low = from;
    let high = to;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const isLower = this.#isBefore(ordinals[middle - first], gap, place);
      looked();
      if (isLower === undefined) break;
      if (isLower) low = middle + 1;
      else high = middle;
    }
    return { from: low, to: high, place };
  }

  /** The values of entries between two keys, the later of which is that of the entry `to`. */
  #gapBefore(to: number): ValueInterval {
    const { keyCount, keyAt, startOf } = this.#keys;
    let low = 0;
    let high = keyCount;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (startOf(middle) < to) low = middle + 1;
      else high = middle;
    }
    const last = low < keyCount ? { value: keyAt(low), past: true } : undefined;
    return { low: { value: keyAt(low - 1), past: false }, high: last };
  }

  /** Whether the document's elements of a gap are before a place; undefined if some of them are. */
  #isBefore(ordinal: number, gap: ValueInterval, place: ValuePlace): boolean | undefined {
    const offsets = this.#offsets;
    const before = { low: undefined, high: place };
    let known: boolean | undefined;
    for (let e = offsets[ordinal]; e < offsets[ordinal + 1]; e++) {
      const value = this.#values[e];
      if (!isWithin(gap, value)) continue;
      const isLower = isWithin(before, value);
      if (known !== undefined && known !== isLower) return undefined;
      known = isLower;
    }
    return known;
  }
}
