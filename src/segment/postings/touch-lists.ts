import type { ByteSource } from "../format/byte-source.ts";
import { BytesMissing, joined } from "../format/bytes-missing.ts";
import type { SectionEntry } from "../format/segment-layout.ts";

/** Where lists are: number i goes from unit `starts[i]` to before `starts[i + 1]`. */
export interface ListPlaces {
  readonly starts: Uint32Array;
  readonly unitBytes: number;
}

/**
 * Looks at all lists of a section, by the ranges that queries read: those that lie in one window
 * are looked at once. Throws one `BytesMissing` for all that are missing.
 */
export function touchLists(
  source: ByteSource,
  section: SectionEntry,
  { starts, unitBytes }: ListPlaces,
): void {
  const { windowBytes } = source;
  const missed: BytesMissing[] = [];
  let i = 0;
  while (i + 1 < starts.length) {
    const from = section.offset + starts[i] * unitBytes;
    const to = section.offset + starts[i + 1] * unitBytes;
    const windowEnd = (Math.floor(from / windowBytes) + 1) * windowBytes;
    i++;
    if (from === to) continue;
    try {
      source.place(from, to);
    } catch (error) {
      if (!(error instanceof BytesMissing)) throw error;
      missed.push(error);
    }
    // What is kept for a list that lies in one window has those behind it that end there, too.
    if (to <= windowEnd) i = lastUpTo(starts, i, (windowEnd - section.offset) / unitBytes);
  }
  if (missed.length > 0) throw joined(missed);
}

/** The last index of ascending numbers, from `first` on, of one that is at most `bound`. */
function lastUpTo(ascending: Uint32Array, first: number, bound: number): number {
  let low = first;
  let high = ascending.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (ascending[middle] <= bound) low = middle;
    else high = middle - 1;
  }
  return low;
}
