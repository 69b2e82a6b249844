/**
 * The sequence number of the WAL entry that wrote each row of a memtable segment. Rows come in the
 * order of their entries or not, since merges put segments of any age together.
 */

import { assert } from "../../base/assert.ts";
import { type SequenceNumber, sequenceNumber } from "../../base/ids.ts";
import { bitmapOrdinals } from "../../codec/bitmap.ts";

/** Immutable. Four bytes a row, none where all rows are of one entry. */
export class DocumentSequences {
  readonly count: number;
  /** The smallest. */
  readonly #first: SequenceNumber;
  /** What each row is above the smallest; undefined: nothing. */
  readonly #above: Uint32Array | undefined;

  private constructor(
    count: number,
    first: SequenceNumber,
    above: Uint32Array | undefined = undefined,
  ) {
    this.count = count;
    this.#first = first;
    this.#above = above;
  }

  /** All rows are of one entry. */
  static all(sequence: SequenceNumber, count: number): DocumentSequences {
    return new DocumentSequences(count, sequence);
  }

  /** Rows end to end; of at least one part. */
  static join(parts: readonly DocumentSequences[]): DocumentSequences {
    const count = parts.reduce((sum, part) => sum + part.count, 0);
    const first = Math.min(...parts.map((part) => part.#first));
    const above = new Uint32Array(count);
    let at = 0;
    for (const part of parts) {
      const base = part.#first - first;
      assert(base <= 0xffff_ffff, "a memtable spans more entries than 32 bits count");
      for (let row = 0; row < part.count; row++) above[at++] = base + (part.#above?.[row] ?? 0);
    }
    return new DocumentSequences(count, sequenceNumber(first), above);
  }

  /** Those of the rows whose bit is set in `liveBitmap`, in their order. */
  ofLive(liveBitmap: Uint32Array): DocumentSequences {
    const rows = bitmapOrdinals(liveBitmap);
    const above = this.#above;
    return new DocumentSequences(
      rows.length,
      this.#first,
      above === undefined ? undefined : rows.map((row) => above[row]),
    );
  }

  /** Tells whether all rows are of entries up to `sequence`. */
  areUpTo(sequence: SequenceNumber): boolean {
    const limit = sequence - this.#first;
    if (this.#above === undefined || limit < 0) return limit >= 0;
    for (let row = 0; row < this.count; row++) if (this.#above[row] > limit) return false;
    return true;
  }

  /** Calls `visit` with each row of an entry up to `sequence`, ascending. */
  forEachUpTo(sequence: SequenceNumber, visit: (row: number) => void): void {
    const limit = sequence - this.#first;
    if (limit < 0) return;
    for (let row = 0; row < this.count; row++) if (this.#aboveOf(row) <= limit) visit(row);
  }

  /** The rows of entries after `sequence`, ascending. */
  indexesAfter(sequence: SequenceNumber): Uint32Array {
    const limit = sequence - this.#first;
    const rows: number[] = [];
    for (let row = 0; row < this.count; row++) if (this.#aboveOf(row) > limit) rows.push(row);
    return Uint32Array.from(rows);
  }

  #aboveOf(row: number): number {
    return this.#above === undefined ? 0 : this.#above[row];
  }
}
