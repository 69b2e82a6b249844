import type { Steps } from "../../base/steps.ts";
import { withRoom } from "../../base/with-room.ts";
import { setBit } from "../../codec/bitmap.ts";
import type { SegmentView } from "../../segment/view/segment-view.ts";
import { LISTED_MAX, type MatchedDocuments } from "../documents/matched-documents.ts";
import { emptyBits } from "../documents/ordinal-bits.ts";

/** Rows that are looked at between two pauses, in some nanoseconds each. */
const ROWS_PER_STEP = 1 << 17;

/** Rows of a segment, by ordinal or position, with their lower bounds, as float32. */
export class FoundRows {
  #rows = new Uint32Array(64);
  #lower = new Float32Array(64);
  #count = 0;

  get rows(): Uint32Array {
    return this.#rows.subarray(0, this.#count);
  }

  add(row: number, lower: number): void {
    if (this.#count === this.#rows.length) {
      this.#rows = withRoom(this.#rows, this.#count + 1);
      this.#lower = withRoom(this.#lower, this.#count + 1);
    }
    this.#rows[this.#count] = row;
    this.#lower[this.#count++] = lower;
  }

  /** How many have a lower bound that is not greater, or is no number. */
  countWithin(worst: number): number {
    let beyond = 0;
    for (let i = 0; i < this.#count; i++) if (this.#lower[i] > worst) beyond++;
    return this.#count - beyond;
  }

  /** The documents that `countWithin` counts, where rows are ascending ordinals. */
  *within(worst: number, view: SegmentView): Steps<MatchedDocuments> {
    const count = this.countWithin(worst);
    const rows = this.#rows;
    const lower = this.#lower;
    if (count <= LISTED_MAX) {
      const near = (_row: number, i: number) => !(lower[i] > worst);
      return { form: "list", ordinals: this.rows.filter(near) };
    }
    const bits = emptyBits(view.documentCount);
    for (let i = 0; i < this.#count; i++) {
      if (i % ROWS_PER_STEP === ROWS_PER_STEP - 1) yield;
      if (!(lower[i] > worst)) setBit(bits, rows[i]);
    }
    return { form: "bits", bits, count };
  }

  /** Drops all rows whose lower bound is greater. */
  keep(worst: number): void {
    let kept = 0;
    for (let i = 0; i < this.#count; i++) {
      if (this.#lower[i] > worst) continue;
      this.#rows[kept] = this.#rows[i];
      this.#lower[kept++] = this.#lower[i];
    }
    this.#count = kept;
  }
}
