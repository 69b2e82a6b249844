/** A grid over points, so that the one under the pointer is found without looking at all. */

import { type Bounds, boundsOf, type Place } from "../map-view.ts";

/** Points that a cell has on average; below it a lookup visits more cells than points. */
const POINTS_PER_CELL = 4;
/** Bound of the cells along each axis: one million cells hold 4 MB of starts. */
const SIDE_MAX = 1000;

/** Points by cell, in two flat arrays. */
export class PointGrid {
  readonly #positions: Float32Array;
  readonly #bounds: Bounds;
  readonly #side: number;
  /** Where each cell's points begin in `#points`; one more than there are cells. */
  readonly #starts: Uint32Array;
  readonly #points: Uint32Array;

  /** `positions` has two numbers a point and must not change afterwards. */
  constructor(positions: Float32Array) {
    const count = positions.length / 2;
    this.#positions = positions;
    this.#bounds = boundsOf(positions);
    this.#side = Math.max(1, Math.min(SIDE_MAX, Math.ceil(Math.sqrt(count / POINTS_PER_CELL))));
    this.#starts = new Uint32Array(this.#side * this.#side + 1);
    this.#points = new Uint32Array(count);
    this.#fill(count);
  }

  /** All points, those of a cell after each other: the order in which they are quick to draw. */
  get order(): Uint32Array {
    return this.#points;
  }

  /** The point nearest to a place within `radius` of it, the first of equals; -1 if there is none. */
  nearest(place: Place, radius: number): number {
    let best = -1;
    let least = radius * radius;
    this.#visit(
      {
        minX: place.x - radius,
        minY: place.y - radius,
        maxX: place.x + radius,
        maxY: place.y + radius,
      },
      (point) => {
        const dx = this.#positions[point * 2] - place.x;
        const dy = this.#positions[point * 2 + 1] - place.y;
        const distance = dx * dx + dy * dy;
        if (distance < least || (distance === least && (best === -1 || point < best))) {
          best = point;
          least = distance;
        }
      },
    );
    return best;
  }

  /** Points in a rectangle, its edges included, in rising order. */
  within(bounds: Bounds): number[] {
    const found: number[] = [];
    this.#visit(bounds, (point) => {
      const x = this.#positions[point * 2];
      const y = this.#positions[point * 2 + 1];
      const isInside = x >= bounds.minX && x <= bounds.maxX && y >= bounds.minY && y <= bounds.maxY;
      if (isInside) found.push(point);
    });
    return found.sort((a, b) => a - b);
  }

  /** Counting sort of points by cell. */
  #fill(count: number): void {
    const cells = new Uint32Array(count);
    for (let point = 0; point < count; point++) {
      const cell = this.#cellOf(this.#positions[point * 2], this.#positions[point * 2 + 1]);
      cells[point] = cell;
      this.#starts[cell + 1]++;
    }
    for (let cell = 1; cell < this.#starts.length; cell++) {
      this.#starts[cell] += this.#starts[cell - 1];
    }
    const next = this.#starts.slice();
    for (let point = 0; point < count; point++) this.#points[next[cells[point]]++] = point;
  }

  #visit(bounds: Bounds, see: (point: number) => void): void {
    const firstColumn = this.#column(bounds.minX);
    const lastColumn = this.#column(bounds.maxX);
    const lastLine = this.#line(bounds.maxY);
    for (let line = this.#line(bounds.minY); line <= lastLine; line++) {
      const start = this.#starts[line * this.#side + firstColumn];
      const end = this.#starts[line * this.#side + lastColumn + 1];
      for (let i = start; i < end; i++) see(this.#points[i]);
    }
  }

  #cellOf(x: number, y: number): number {
    return this.#line(y) * this.#side + this.#column(x);
  }

  #column(x: number): number {
    return this.#slot(x - this.#bounds.minX, this.#bounds.maxX - this.#bounds.minX);
  }

  #line(y: number): number {
    return this.#slot(y - this.#bounds.minY, this.#bounds.maxY - this.#bounds.minY);
  }

  /** Places outside belong to the cells at the edge; so does all where points lie on one line. */
  #slot(from: number, span: number): number {
    if (!(span > 0)) return 0;
    return Math.max(0, Math.min(this.#side - 1, Math.floor((from / span) * this.#side)));
  }
}
