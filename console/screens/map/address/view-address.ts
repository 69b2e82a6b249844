/**
 * Which part of a map is seen, as text for the address: `0.5_0.25_4` is the place in the middle of
 * the screen and how much larger all is than in the view that shows everything. Places are parts of
 * the points' greater span from their least corner, so a link shows the same in another window, and
 * of a map that is drawn anew.
 */

import { type Bounds, type Extent, fitView, inMap, type MapView, type Place } from "../map-view.ts";

/** Digits behind the point of a place: at the greatest zoom, less than a pixel of a large screen. */
const PLACE_DIGITS = 7;
const ZOOM_DIGITS = 5;

/** Where a view is: the points, the screen, and what shows all of the one on the other. */
export interface MapFrame {
  readonly bounds: Bounds;
  readonly extent: Extent;
  readonly whole: MapView;
}

/** The frame of points on a screen. */
export function frameOf(bounds: Bounds, extent: Extent): MapFrame {
  return { bounds, extent, whole: fitView(bounds, extent) };
}

/** The view as text; undefined for the one that shows everything. */
export function viewText(view: MapView, { bounds, extent, whole }: MapFrame): string | undefined {
  const middle = { x: extent.width / 2, y: extent.height / 2 };
  const text = textOf(inMap(view, middle), view.scale / whole.scale, bounds);
  return text === textOf(inMap(whole, middle), 1, bounds) ? undefined : text;
}

/** The view that a text says; undefined where it says none. */
export function viewOfText(text: string | undefined, frame: MapFrame): MapView | undefined {
  const numbers = numbersOf(text ?? "", "_");
  if (numbers?.length !== 3) return undefined;
  const [x, y, zoom] = numbers;
  if (!(zoom > 0)) return undefined;
  const { bounds, extent, whole } = frame;
  const at = placeOfShare({ x, y }, bounds);
  const scale = whole.scale * zoom;
  return {
    scale,
    shiftX: extent.width / 2 - at.x * scale,
    shiftY: extent.height / 2 - at.y * scale,
  };
}

/** A place as parts of the points' greater span, from their least corner. */
export function shareOfPlace({ x, y }: Place, bounds: Bounds): Place {
  const span = spanOf(bounds);
  return { x: (x - bounds.minX) / span, y: (y - bounds.minY) / span };
}

/** The place that such parts say. */
export function placeOfShare({ x, y }: Place, bounds: Bounds): Place {
  const span = spanOf(bounds);
  return { x: bounds.minX + x * span, y: bounds.minY + y * span };
}

/** A part as text, without digits that say nothing. */
export function shareText(share: number): string {
  return String(Number(share.toFixed(PLACE_DIGITS)));
}

/** Numbers of a text; undefined where one of them is none. */
export function numbersOf(text: string, separator: string): number[] | undefined {
  const parts = text.split(separator);
  const numbers = parts.map(Number);
  const isWhole = parts.every((part) => part !== "") && numbers.every(Number.isFinite);
  return isWhole ? numbers : undefined;
}

function textOf(place: Place, zoom: number, bounds: Bounds): string {
  const { x, y } = shareOfPlace(place, bounds);
  return `${shareText(x)}_${shareText(y)}_${Number(zoom.toPrecision(ZOOM_DIGITS))}`;
}

/** One span for both axes, as there is one scale; of a single point, anything. */
function spanOf({ minX, minY, maxX, maxY }: Bounds): number {
  return Math.max(maxX - minX, maxY - minY, 1e-9);
}
