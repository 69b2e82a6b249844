/** Positions of several segments → those of the one that is made of them: runs are copied. */

import type { Steps } from "../../base/steps.ts";
import {
  areRising,
  DELETED,
  type MergeObserver,
  type PostingBuffer,
  type PostingLists,
} from "../postings/posting-section.ts";
import {
  type ListPositions,
  passNumbers,
  placeBytes,
  RUN_POSTINGS,
  writePlace,
} from "./position-section.ts";

/** Positions of one input. */
export interface PositionPart {
  readonly positions: ListPositions;
  /** As in `PostingPart`. */
  readonly newOrdinals: Uint32Array;
}

/** Postings that one step puts in order. */
const STEP_POSTINGS = 65_536;

/** Copies the runs of postings while `mergePostings` joins them. */
export class PositionMerge implements MergeObserver {
  readonly #parts: readonly PositionPart[];
  /** Undefined where joined lists are in order as they are. */
  readonly #moved: MovedRuns | undefined;
  readonly #bytes: Uint8Array;
  readonly #starts: number[] = [0];
  /** Where the next run goes, and the first one of the list. */
  #at = 0;
  #first = 0;
  /** Runs of the list so far, and the places of those. */
  #count = 0;
  #places: number[] = [];

  /** Parts are numbered as those of the postings. */
  constructor(parts: readonly PositionPart[]) {
    const bytes = parts.reduce((sum, { positions }) => sum + positions.bytes.length, 0);
    this.#parts = parts;
    // A run has a byte or more.
    this.#bytes = new Uint8Array(bytes + placeBytes(bytes));
    this.#moved = areRising(parts) ? undefined : new MovedRuns(bytes);
  }

  add(part: number, code: number, { ordinals, numbers }: PostingBuffer, count: number): void {
    const { positions, newOrdinals } = this.#parts[part];
    const source = positions.bytes;
    const bytes = this.#bytes;
    let from = positions.starts[code];
    let at = this.#at;
    for (let i = 0; i < count; i++) {
      const ordinal = newOrdinals[ordinals[i]];
      let left = numbers[i];
      if (ordinal === DELETED) {
        from = passNumbers(source, from, left);
        continue;
      }
      if (this.#count % RUN_POSTINGS === 0 && this.#count > 0) this.#places.push(at - this.#first);
      this.#count++;
      while (left > 0) {
        const byte = source[from++];
        bytes[at++] = byte;
        left -= 1 - (byte >>> 7);
      }
      this.#moved?.add(ordinal, at);
    }
    this.#at = at;
  }

  end(): void {
    for (const place of this.#places) {
      writePlace(this.#bytes, this.#at, place);
      this.#at += 4;
    }
    this.#starts.push(this.#at);
    this.#first = this.#at;
    this.#count = 0;
    this.#places.length = 0;
  }

  /** Those of the lists that have come of it. */
  *finish(lists: PostingLists, documentCount: number): Steps<ListPositions> {
    const bytes = this.#bytes.subarray(0, this.#at);
    const positions = { starts: Uint32Array.from(this.#starts), bytes };
    if (this.#moved === undefined) return positions;
    return yield* this.#moved.inOrder(positions, lists, documentCount);
  }
}

/** Runs that follow each other in another order than the postings of sorted lists. */
class MovedRuns {
  /** By run: the ordinal of its posting, and where it ends. */
  readonly #ordinals: Uint32Array;
  readonly #ends: Uint32Array;
  #count = 0;

  constructor(countMax: number) {
    this.#ordinals = new Uint32Array(countMax);
    this.#ends = new Uint32Array(countMax);
  }

  add(ordinal: number, end: number): void {
    this.#ordinals[this.#count] = ordinal;
    this.#ends[this.#count++] = end;
  }

  /** The same runs in the order of the lists; places are other ones. */
  *inOrder(
    { starts, bytes }: ListPositions,
    { starts: lists, ordinals }: PostingLists,
    documentCount: number,
  ): Steps<ListPositions> {
    const sorted = new Uint8Array(bytes.length);
    /** By ordinal: the run of the list that is gone over. */
    const runs = new Uint32Array(documentCount);
    let worked = 0;
    for (let code = 0; code + 1 < lists.length; code++) {
      const first = lists[code];
      const end = lists[code + 1];
      for (let run = first; run < end; run++) runs[this.#ordinals[run]] = run;
      let at = starts[code];
      let place = starts[code + 1] - placeBytes(end - first);
      for (let i = first; i < end; i++) {
        if ((i - first) % RUN_POSTINGS === 0 && i > first) {
          writePlace(sorted, place, at - starts[code]);
          place += 4;
        }
        const run = runs[ordinals[i]];
        const to = this.#ends[run];
        let from = run === first ? starts[code] : this.#ends[run - 1];
        while (from < to) sorted[at++] = bytes[from++];
      }
      worked += end - first + 1;
      if (worked < STEP_POSTINGS) continue;
      worked = 0;
      yield;
    }
    return { starts, bytes: sorted };
  }
}
