/**
 * A line around points as text for the address, of bounded length. What is selected is what the
 * text says, also where it was just drawn, so that a link selects the same.
 *
 * `<x>_<y>_<size>_<x.y>_<x.y>…`: the corner and the side of a square around the line, as parts of
 * the points' span (view-address.ts), then the line's corners in thousandths of that square.
 */

import { type Bounds, boundsOf, type Place } from "../map-view.ts";
import { numbersOf, placeOfShare, shareOfPlace, shareText } from "./view-address.ts";

/** Corners that are kept: those that bend the line the most. A text has at most 640 characters. */
export const CORNERS_KEPT_MAX = 60;
const SQUARE = 1000;
/** Thousandths of the square by which a kept line may pass a corner that was left out, at first. */
const TOLERANCE = 0.5;
const SIZE_DIGITS = 4;

/** The line as text; undefined where it encloses nothing. */
export function lassoText(corners: readonly Place[], bounds: Bounds): string | undefined {
  if (corners.length < 3) return undefined;
  const shares = corners.map((corner) => shareOfPlace(corner, bounds));
  const around = boundsOf(Float32Array.from(shares.flatMap(({ x, y }) => [x, y])));
  const side = Math.max(around.maxX - around.minX, around.maxY - around.minY);
  const size = Number(side.toPrecision(SIZE_DIGITS));
  if (!(size > 0)) return undefined;
  const start = { x: Number(shareText(around.minX)), y: Number(shareText(around.minY)) };
  const inSquare = shares.map(({ x, y }) => ({
    x: Math.round(((x - start.x) / size) * SQUARE),
    y: Math.round(((y - start.y) / size) * SQUARE),
  }));
  const kept = fewCorners(inSquare);
  if (kept.length < 3) return undefined;
  const head = [shareText(start.x), shareText(start.y), String(size)];
  return [...head, ...kept.map(({ x, y }) => `${x}.${y}`)].join("_");
}

/** The line that a text says; undefined where it says none. */
export function lassoOfText(text: string, bounds: Bounds): readonly Place[] | undefined {
  const parts = text.split("_");
  const head = numbersOf(parts.slice(0, 3).join("_"), "_");
  const corners = parts.slice(3);
  if (head?.length !== 3 || corners.length < 3 || corners.length > CORNERS_KEPT_MAX) {
    return undefined;
  }
  const [x, y, size] = head;
  const places: Place[] = [];
  for (const corner of corners) {
    const numbers = numbersOf(corner, ".");
    if (numbers?.length !== 2) return undefined;
    const [right, down] = numbers;
    const share = { x: x + (right / SQUARE) * size, y: y + (down / SQUARE) * size };
    places.push(placeOfShare(share, bounds));
  }
  return places;
}

/** The line with few enough corners: the tolerance is doubled until they are. */
function fewCorners(corners: readonly Place[]): readonly Place[] {
  for (let tolerance = TOLERANCE; ; tolerance *= 2) {
    const kept = simplified(corners, tolerance);
    if (kept.length <= CORNERS_KEPT_MAX) return kept;
  }
}

/**
 * Corners without those that lie within `tolerance` of the line between kept ones (Ramer, Douglas
 * and Peucker's way).
 */
function simplified(corners: readonly Place[], tolerance: number): readonly Place[] {
  const isKept = new Uint8Array(corners.length);
  isKept[0] = 1;
  isKept[corners.length - 1] = 1;
  const spans: [number, number][] = [[0, corners.length - 1]];
  for (let span = spans.pop(); span !== undefined; span = spans.pop()) {
    const [first, last] = span;
    let farthest = -1;
    let most = tolerance;
    for (let i = first + 1; i < last; i++) {
      const distance = distanceToLine(corners[i], corners[first], corners[last]);
      if (distance <= most) continue;
      farthest = i;
      most = distance;
    }
    if (farthest === -1) continue;
    isKept[farthest] = 1;
    spans.push([first, farthest], [farthest, last]);
  }
  return corners.filter((_, i) => isKept[i] === 1);
}

/** From a place to the nearest of a straight line between two others. */
function distanceToLine(place: Place, from: Place, to: Place): number {
  const dx = to.x - from.x;
  const dy = to.y - from.y;
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : ((place.x - from.x) * dx + (place.y - from.y) * dy) / length;
  const share = Math.max(0, Math.min(1, along));
  return Math.hypot(place.x - from.x - share * dx, place.y - from.y - share * dy);
}
