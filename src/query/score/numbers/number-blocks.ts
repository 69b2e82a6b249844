/** Between which numbers the values of an attribute lie, by block of a segment's documents. */

import type { Steps } from "../../../base/steps.ts";
import { hasValue } from "../../../codec/columns-value.ts";
import type { SegmentView } from "../../../segment/view/segment-view.ts";
import { isNumberData, numberReader } from "./number-reader.ts";

/** Documents of a block: as many as a window has at least that is passed over (`best-scores.ts`). */
const BLOCK_DOCUMENTS = 1024;
/** Blocks that are made between two pauses: some 200 µs. */
const BLOCKS_PER_STEP = 64;

/** The least and the greatest of some numbers, each as the nearest 64-bit float. */
export interface NumberRange {
  readonly least: number;
  readonly greatest: number;
}

/** The ranges of all blocks. */
class NumberBlocks {
  /** A pair for each block: infinity and its negative where nobody has a value. */
  readonly #pairs: Float64Array;

  constructor(pairs: Float64Array) {
    this.#pairs = pairs;
  }

  /**
   * Of blocks that have the ordinals from `start` to before `end`, and of others beside them;
   * undefined if none has a value.
   */
  rangeIn(start: number, end: number): NumberRange | undefined {
    const pairs = this.#pairs;
    const last = Math.min(Math.ceil(end / BLOCK_DOCUMENTS) * 2, pairs.length);
    let least = Number.POSITIVE_INFINITY;
    let greatest = Number.NEGATIVE_INFINITY;
    for (let at = Math.floor(start / BLOCK_DOCUMENTS) * 2; at < last; at += 2) {
      if (pairs[at] < least) least = pairs[at];
      if (pairs[at + 1] > greatest) greatest = pairs[at + 1];
    }
    return least <= greatest ? { least, greatest } : undefined;
  }
}

/** Made once for each segment and thread, as a segment never changes. */
const MADE = new WeakMap<SegmentView, Map<string, NumberBlocks>>();

/**
 * The ranges of an attribute: a look at all of its values the first time, some 2 ns each (ADR 58).
 * Undefined if the segment has none, or they are no numbers. Throws `BytesMissing`.
 */
export function* numberBlocks(
  attribute: string,
  view: SegmentView,
): Steps<NumberBlocks | undefined> {
  const made = MADE.get(view) ?? new Map<string, NumberBlocks>();
  MADE.set(view, made);
  const known = made.get(attribute);
  if (known !== undefined) return known;
  const column = view.column(attribute)?.column;
  if (column === undefined || !isNumberData(column.data)) return undefined;
  const { count, presence } = column;
  const read = numberReader(column.data);
  const pairs = new Float64Array(2 * Math.ceil(count / BLOCK_DOCUMENTS));
  for (let block = 0; 2 * block < pairs.length; block++) {
    if (block % BLOCKS_PER_STEP === BLOCKS_PER_STEP - 1) yield;
    const end = Math.min((block + 1) * BLOCK_DOCUMENTS, count);
    let least = Number.POSITIVE_INFINITY;
    let greatest = Number.NEGATIVE_INFINITY;
    for (let ordinal = block * BLOCK_DOCUMENTS; ordinal < end; ordinal++) {
      if (presence !== undefined && !hasValue(column, ordinal)) continue;
      const value = read(ordinal);
      if (value < least) least = value;
      if (value > greatest) greatest = value;
    }
    pairs[2 * block] = least;
    pairs[2 * block + 1] = greatest;
  }
  const blocks = new NumberBlocks(pairs);
  made.set(attribute, blocks);
  return blocks;
}
