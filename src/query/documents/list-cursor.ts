import { boundList, type PostingRange, type ScoredList } from "./scored-list.ts";

const NOTHING: PostingRange = { start: 0, end: 0 };

/** Goes over a posting list in windows of ordinals, of which each begins behind the last one. */
export class ListCursor {
  readonly list: ScoredList;
  /** No score in the window exceeds it; see `BOUND_SLACK`. */
  bound = 0;
  /** Whether documents of this list alone may be among the best. */
  isEssential = true;
  /** Index of the first posting that may lie in the window, or behind it. */
  posting = 0;
  /** The postings that were followed last. */
  followed: PostingRange = NOTHING;
  readonly #blockPostings: number;
  readonly #lastOrdinals: Uint32Array;
  readonly #bounds: Float64Array;
  /** The first block that does not end before the window. */
  #block = 0;
  #lookedAt = 0;
  /** Blocks of which a posting was scored, and where the last of them ends. */
  #touchedBlocks = 0;
  #touchedEnd = 0;

  constructor(list: ScoredList) {
    this.list = list;
    const { blockPostings, lastOrdinals, bounds } = boundList(list);
    this.#blockPostings = blockPostings;
    this.#lastOrdinals = lastOrdinals;
    this.#bounds = bounds;
  }

  /** Blocks of which no posting was scored. */
  get skippedBlocks(): number {
    return this.#bounds.length - this.#touchedBlocks;
  }

  /** Moves to a window that begins with an ordinal; `bound` becomes that of the block there. */
  enter(start: number): void {
    const lasts = this.#lastOrdinals;
    while (this.#block < lasts.length && lasts[this.#block] < start) this.#block++;
    this.bound = this.isAtEnd ? 0 : this.#bounds[this.#block];
  }

  /** Whether no posting is in the window or behind it. */
  get isAtEnd(): boolean {
    return this.#block === this.#lastOrdinals.length;
  }

  /** The last ordinal up to which `bound` holds when a window was entered; infinity at the end. */
  get blockEnd(): number {
    return this.isAtEnd ? Number.POSITIVE_INFINITY : this.#lastOrdinals[this.#block];
  }

  /** Ends the window with an ordinal: `bound` becomes that of all blocks in it. */
  endWith(last: number): void {
    const lasts = this.#lastOrdinals;
    for (let block = this.#block; block + 1 < lasts.length && lasts[block] < last; ) {
      block++;
      if (!(this.#bounds[block] <= this.bound)) this.bound = this.#bounds[block];
    }
  }

  /** No score of a document of the window exceeds it; see `BOUND_SLACK`. Ordinals never fall. */
  boundAt(ordinal: number): number {
    const lasts = this.#lastOrdinals;
    let block = Math.max(this.#lookedAt, this.#block);
    while (block < lasts.length && lasts[block] < ordinal) block++;
    this.#lookedAt = block;
    return block < lasts.length ? this.#bounds[block] : 0;
  }

  /** Index of the first posting from `from` on that has at least this ordinal. */
  find(ordinal: number, from: number): number {
    const { ordinals } = this.list;
    const lasts = this.#lastOrdinals;
    let block = Math.max(Math.floor(from / this.#blockPostings), this.#block);
    while (block < lasts.length && lasts[block] < ordinal) block++;
    const end = Math.min((block + 1) * this.#blockPostings, ordinals.length);
    const start = Math.min(Math.max(from, block * this.#blockPostings), end);
    return ordinals.find(ordinal, start, end);
  }

  /** Notes that postings are scored; ranges begin at or behind where the last one began. */
  touch({ start, end }: PostingRange): void {
    if (end <= start) return;
    const first = Math.max(Math.floor(start / this.#blockPostings), this.#touchedEnd);
    const blockEnd = Math.floor((end - 1) / this.#blockPostings) + 1;
    this.#touchedBlocks += Math.max(blockEnd - first, 0);
    this.#touchedEnd = Math.max(this.#touchedEnd, blockEnd);
  }
}
