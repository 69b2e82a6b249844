/** Which points lie within a line that was drawn around them. */

import type { PointGrid } from "./drawing/point-grid.ts";
import { boundsOf, type Place } from "./map-view.ts";

/** Corners that a drawn line keeps; a hand draws fewer, and each is compared with each point. */
const CORNERS_MAX = 2000;

/**
 * Tells whether a place is inside a closed polygon, by the even-odd rule: a ray to the right
 * crosses its edges an odd number of times (W. R. Franklin's form). Edges count as
 * inside on one side only, so that polygons side by side share no point.
 */
export function isInside({ x, y }: Place, corners: readonly Place[]): boolean {
  let isOdd = false;
  for (let i = 0, j = corners.length - 1; i < corners.length; j = i++) {
    const a = corners[i];
    const b = corners[j];
    const isCrossed = a.y > y !== b.y > y;
    if (isCrossed && x < ((b.x - a.x) * (y - a.y)) / (b.y - a.y) + a.x) isOdd = !isOdd;
  }
  return isOdd;
}

/** Points inside a polygon in the map's coordinates, in rising order. */
export function pointsInside(
  corners: readonly Place[],
  positions: Float32Array,
  grid: PointGrid,
): number[] {
  if (corners.length < 3) return [];
  const bounds = boundsOf(Float32Array.from(corners.flatMap(({ x, y }) => [x, y])));
  return grid
    .within(widened(bounds))
    .filter((point) => isInside({ x: positions[point * 2], y: positions[point * 2 + 1] }, corners));
}

/** A line that is being drawn with one more corner; one that is full stays as it is. */
export function withCorner(corners: readonly Place[], next: Place): readonly Place[] {
  const last = corners.at(-1);
  if (last !== undefined && Math.hypot(last.x - next.x, last.y - next.y) < 2) return corners;
  return corners.length < CORNERS_MAX ? [...corners, next] : corners;
}

/** Bounds are rounded to float32, which may cut off what is at the very edge. */
function widened(bounds: ReturnType<typeof boundsOf>): ReturnType<typeof boundsOf> {
  const slack = (bounds.maxX - bounds.minX + bounds.maxY - bounds.minY) * 1e-5;
  return {
    minX: bounds.minX - slack,
    minY: bounds.minY - slack,
    maxX: bounds.maxX + slack,
    maxY: bounds.maxY + slack,
  };
}
