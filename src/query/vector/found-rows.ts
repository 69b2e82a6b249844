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
      const rows = new Uint32Array(2 * this.#count);
      const lowers = new Float32Array(2 * this.#count);
      rows.set(this.#rows);
      lowers.set(this.#lower);
      this.#rows = rows;
      this.#lower = lowers;
    }
    this.#rows[this.#count] = row;
    this.#lower[this.#count++] = lower;
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
