import { assert } from "../base/assert.ts";

/**
 * The free ranges of a span of bytes, in order and never adjacent. Takes the first that is large
 * enough, so that the low end is used again and again and the rest of the span stays untouched.
 * Cost: linear in the number of free ranges.
 */
export class FreeList {
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  #freeBytes = 0;

  /** All of `start` to `end` is free. */
  constructor(start: number, end: number) {
    this.#starts.push(start);
    this.#ends.push(end);
    this.#freeBytes = end - start;
  }

  /** Bytes in all free ranges; one allocation may still find no room for as many. */
  get freeBytes(): number {
    return this.#freeBytes;
  }

  /**
   * Takes `bytes` that end before `end` and returns where they start, or undefined if no range is
   * large enough there.
   */
  take(bytes: number, end = Number.POSITIVE_INFINITY): number | undefined {
    assert(bytes > 0, "an empty block");
    for (let i = 0; i < this.#starts.length; i++) {
      const start = this.#starts[i];
      if (start + bytes > end) return undefined;
      if (this.#ends[i] - start < bytes) continue;
      this.#freeBytes -= bytes;
      this.#starts[i] = start + bytes;
      if (this.#starts[i] === this.#ends[i]) this.#remove(i);
      return start;
    }
    return undefined;
  }

  /** Gives back a range that was taken, whole or in part. */
  give(start: number, bytes: number): void {
    const end = start + bytes;
    const next = this.#firstFrom(start);
    assert(next === 0 || this.#ends[next - 1] <= start, `bytes at ${start} are free already`);
    assert(next === this.#starts.length || end <= this.#starts[next], `bytes at ${end} are free`);
    this.#freeBytes += bytes;

    const joinsPrevious = next > 0 && this.#ends[next - 1] === start;
    const joinsNext = next < this.#starts.length && this.#starts[next] === end;
    if (joinsPrevious && joinsNext) {
      this.#ends[next - 1] = this.#ends[next];
      this.#remove(next);
    } else if (joinsPrevious) {
      this.#ends[next - 1] = end;
    } else if (joinsNext) {
      this.#starts[next] = start;
    } else {
      this.#starts.splice(next, 0, start);
      this.#ends.splice(next, 0, end);
    }
  }

  #remove(index: number): void {
    this.#starts.splice(index, 1);
    this.#ends.splice(index, 1);
  }

  /** Index of the first free range that starts at `start` or after it. */
  #firstFrom(start: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#starts[middle] < start) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
