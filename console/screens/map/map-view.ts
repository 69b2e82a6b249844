/** Where points lie on the screen: one scale and one shift for both axes, as data without a canvas. */

/** A point or a vector of the plane. */
export interface Place {
  readonly x: number;
  readonly y: number;
}

/** Width and height, in the unit of the screen at hand. */
export interface Extent {
  readonly width: number;
  readonly height: number;
}

/** A place on the screen is the place in the map times `scale`, plus the shift. */
export interface MapView {
  readonly scale: number;
  readonly shiftX: number;
  readonly shiftY: number;
}

/** The least rectangle around points. */
export interface Bounds {
  readonly minX: number;
  readonly minY: number;
  readonly maxX: number;
  readonly maxY: number;
}

/** How far one may zoom in and out, as multiples of the view that shows everything. */
const ZOOM_MAX = 2000;
const ZOOM_MIN = 0.25;
/** Part of the screen that stays free around the points. */
const MARGIN = 0.06;

/** Bounds of points, two numbers each; those of a point at 0 where there is none. */
export function boundsOf(positions: Float32Array): Bounds {
  if (positions.length === 0) return { minX: 0, minY: 0, maxX: 0, maxY: 0 };
  let [minX, minY, maxX, maxY] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < positions.length; i += 2) {
    minX = Math.min(minX, positions[i]);
    maxX = Math.max(maxX, positions[i]);
    minY = Math.min(minY, positions[i + 1]);
    maxY = Math.max(maxY, positions[i + 1]);
  }
  return { minX, minY, maxX, maxY };
}

/** The view that shows all of `bounds` in the middle, with a margin. */
export function fitView(bounds: Bounds, { width, height }: Extent): MapView {
  const spanX = Math.max(bounds.maxX - bounds.minX, 1e-9);
  const spanY = Math.max(bounds.maxY - bounds.minY, 1e-9);
  const free = 1 - 2 * MARGIN;
  const scale = Math.min((width * free) / spanX, (height * free) / spanY);
  return {
    scale,
    shiftX: width / 2 - ((bounds.minX + bounds.maxX) / 2) * scale,
    shiftY: height / 2 - ((bounds.minY + bounds.maxY) / 2) * scale,
  };
}

/**
 * The view enlarged by `factor` so that what lies at `at` on the screen stays there; within the
 * bounds of zoom around `whole`, the view that shows everything.
 */
export function zoomView(view: MapView, factor: number, at: Place, whole: MapView): MapView {
  const scale = Math.min(
    whole.scale * ZOOM_MAX,
    Math.max(whole.scale * ZOOM_MIN, view.scale * factor),
  );
  const applied = scale / view.scale;
  return {
    scale,
    shiftX: at.x - (at.x - view.shiftX) * applied,
    shiftY: at.y - (at.y - view.shiftY) * applied,
  };
}

/** The view moved by a distance on the screen. */
export function panView(view: MapView, by: Place): MapView {
  return { ...view, shiftX: view.shiftX + by.x, shiftY: view.shiftY + by.y };
}

/** From the map to the screen. */
export function onScreen(view: MapView, { x, y }: Place): Place {
  return { x: x * view.scale + view.shiftX, y: y * view.scale + view.shiftY };
}

/** From the screen to the map. */
export function inMap(view: MapView, { x, y }: Place): Place {
  return { x: (x - view.shiftX) / view.scale, y: (y - view.shiftY) / view.scale };
}
