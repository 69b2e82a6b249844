import { setBit } from "../../codec/bitmap.ts";
import { PAGE_ORDINALS } from "./list-layout.ts";

const LOW_BITS = PAGE_ORDINALS - 1;

/** Indexes into a list, half-open. */
export interface IndexRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Ascending ordinals of a posting list, as pages of low halves (`list-layout.ts`). Loops that go
 * over many take a page at a time: `pageEnd` says how far, `lows` has the rest.
 */
export class OrdinalList {
  /** Of each ordinal what its page does not say. */
  readonly lows: Uint16Array;
  /** Index of the first posting of each page, then the count of all. Signed: V8 is faster so. */
  readonly #pageStarts: Int32Array;

  constructor(lows: Uint16Array, pageStarts: Int32Array) {
    this.lows = lows;
    this.#pageStarts = pageStarts;
  }

  get length(): number {
    return this.lows.length;
  }

  /** The page of the posting at an index, which is in page `from` or behind it. O(pages between). */
  pageOf(index: number, from: number): number {
    const starts = this.#pageStarts;
    let page = from;
    while (starts[page + 1] <= index) page++;
    return page;
  }

  /** Index behind the last posting of a page. */
  pageEnd(page: number): number {
    return this.#pageStarts[page + 1];
  }

  /** The ordinal at an index, which is in page `from` or behind it. */
  at(index: number, from = 0): number {
    return this.pageOf(index, from) * PAGE_ORDINALS + this.lows[index];
  }

  /** Index from `start` to before `end` of the first ordinal that is no less; `end` if none is. */
  find(ordinal: number, start: number, end: number): number {
    const starts = this.#pageStarts;
    const page = ordinal >>> 16;
    if (page + 1 >= starts.length) return end;
    const lows = this.lows;
    const wanted = ordinal & LOW_BITS;
    let low = Math.max(start, Math.min(end, starts[page]));
    let high = Math.min(end, starts[page + 1]);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (lows[middle] < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Whether the ordinal at an index is this one; not so at the end. O(1). */
  isAt(index: number, ordinal: number): boolean {
    if (this.lows[index] !== (ordinal & LOW_BITS)) return false;
    const starts = this.#pageStarts;
    const page = ordinal >>> 16;
    return index >= starts[page] && index < starts[page + 1];
  }

  includes(ordinal: number): boolean {
    return this.isAt(this.find(ordinal, 0, this.length), ordinal);
  }

  /** Adds the ordinals of a range, of which none is less than `base`, to a set, less that. */
  addTo(bits: Uint32Array, base: number, { start, end }: IndexRange): void {
    let page = base >>> 16;
    for (let at = start; at < end; ) {
      page = this.pageOf(at, page);
      const stop = Math.min(end, this.pageEnd(page));
      addPage(bits, this.lows, page * PAGE_ORDINALS - base, { start: at, end: stop });
      at = stop;
    }
  }

  /** Writes all ordinals to the start of `target`. */
  copyTo(target: Uint32Array): void {
    const count = this.length;
    for (let at = 0, page = 0; at < count; page++) {
      const stop = this.pageEnd(page);
      copyPage(target, this.lows, page * PAGE_ORDINALS, { start: at, end: stop });
      at = stop;
    }
  }
}

/** Makes the starts of pages without a posting those of the next ones; 0 stands for them. */
export function fillGaps(pageStarts: Int32Array): void {
  for (let page = 1; page < pageStarts.length; page++) {
    if (pageStarts[page] < pageStarts[page - 1]) pageStarts[page] = pageStarts[page - 1];
  }
}

/** Adds postings of one page to a set: a function of its own, so that V8 makes a plain loop. */
function addPage(
  bits: Uint32Array,
  lows: Uint16Array,
  first: number,
  { start, end }: IndexRange,
): void {
  for (let i = start; i < end; i++) setBit(bits, first + lows[i]);
}

/** Copies postings of one page: a function of its own for the same reason. */
function copyPage(
  target: Uint32Array,
  lows: Uint16Array,
  first: number,
  { start, end }: IndexRange,
): void {
  for (let i = start; i < end; i++) target[i] = first + lows[i];
}
