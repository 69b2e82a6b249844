/** How fast a count has risen lately: what was done long ago says nothing of a wait. */

/** Over so long a rate is taken: longer than a batch takes, so that it does not fall between two. */
export const RATE_WINDOW_MS = 30_000;
/** Points closer than this are one; so some hundred are kept. */
const POINT_INTERVAL_MS = 250;

interface RatePoint {
  readonly ms: number;
  readonly count: number;
}

/** See the file's head. Times come from whoever notes counts; they only rise, as counts do. */
export class RecentRate {
  /** The count is that of a point until the next one. */
  readonly #points: RatePoint[];

  constructor(start: RatePoint) {
    this.#points = [start];
  }

  /** Notes what the count is from now on. */
  note(ms: number, count: number): void {
    const last = this.#points[this.#points.length - 1];
    const isClose = this.#points.length > 1 && ms - last.ms < POINT_INTERVAL_MS;
    if (isClose) this.#points[this.#points.length - 1] = { ms: last.ms, count };
    else this.#points.push({ ms, count });
    while (this.#points.length > 1 && this.#points[1].ms <= ms - RATE_WINDOW_MS) {
      this.#points.shift();
    }
  }

  /** How much is added in a second, over the window before `ms`, or since the start. */
  at(ms: number): number {
    const [first] = this.#points;
    const seconds = Math.min(ms - first.ms, RATE_WINDOW_MS) / 1000;
    if (seconds <= 0) return 0;
    const before = this.#points.findLast((point) => point.ms <= ms - RATE_WINDOW_MS) ?? first;
    return (this.#points[this.#points.length - 1].count - before.count) / seconds;
  }
}
