/** The k-th least of some numbers: a heap of the k least, the greatest on top. */
export class KthLeast {
  readonly #heap: Float64Array;
  #count = 0;

  /** `k` is at least 1. */
  constructor(k: number) {
    this.#heap = new Float64Array(k);
  }

  /** The k-th least number so far; infinite while there are fewer. */
  get worst(): number {
    return this.#count < this.#heap.length ? Number.POSITIVE_INFINITY : this.#heap[0];
  }

  /** Takes a number in. NaN counts as infinite. */
  offer(value: number): void {
    const heap = this.#heap;
    if (this.#count < heap.length) {
      if (!(value < Number.POSITIVE_INFINITY)) return;
      this.#up(this.#count++, value);
    } else if (value < heap[0]) this.#down(value);
  }

  #up(start: number, value: number): void {
    const heap = this.#heap;
    let i = start;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (heap[parent] >= value) break;
      heap[i] = heap[parent];
      i = parent;
    }
    heap[i] = value;
  }

  #down(value: number): void {
    const heap = this.#heap;
    const count = heap.length;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= count) break;
      if (child + 1 < count && heap[child + 1] > heap[child]) child++;
      if (heap[child] <= value) break;
      heap[i] = heap[child];
      i = child;
    }
    heap[i] = value;
  }
}
