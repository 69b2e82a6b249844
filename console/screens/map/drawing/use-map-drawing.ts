/** Draws a map onto its canvas, when something that is drawn has changed, once a frame. */

import type { Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { systemClock } from "../../../../src/base/clock.ts";
import type { Extent, MapView } from "../map-view.ts";
import { type DrawnPoints, drawPoints } from "./draw-points.ts";
import { drawingDensity } from "./drawing-density.ts";
import type { PointShades } from "./point-shades.ts";

/** Radius of a point in CSS pixels. */
const RADIUS_PX = 1.8;
/** After the last change of the view, all is drawn sharply again. */
const REST_MS = 150;

/** What is drawn, and where. */
export interface MapDrawing {
  readonly positions: Float32Array;
  readonly shades: PointShades;
  readonly marked: Uint8Array | undefined;
  /** 0xAABBGGRR, as pixels have it. */
  readonly background: number;
  readonly view: Signal<MapView>;
  readonly extent: Extent;
  readonly order: Uint32Array;
}

/** See the file's head. The element says how many points were drawn, and how many frames. */
export function useMapDrawing(
  canvas: { readonly current: HTMLCanvasElement | null },
  { positions, shades, marked, background, view, extent, order }: MapDrawing,
): void {
  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext("2d", { alpha: false });
    if (!element || !context) return;
    const points = { positions, shades: shades.shades, colors: shades.colors, marked, order };
    const paint = painter(element, context, { points, background, extent });
    let asked = 0;
    let resting = new AbortController();
    const ask = (isMoving: boolean) => {
      cancelAnimationFrame(asked);
      asked = requestAnimationFrame(() => paint(view.peek(), isMoving));
    };
    let isFirst = true;
    const unsubscribe = view.subscribe(() => {
      ask(!isFirst);
      if (!isFirst) {
        resting.abort();
        resting = new AbortController();
        systemClock.sleep(REST_MS, resting.signal).then(
          () => ask(false),
          () => undefined,
        );
      }
      isFirst = false;
    });
    return () => {
      unsubscribe();
      resting.abort();
      cancelAnimationFrame(asked);
    };
  }, [positions, shades, marked, background, extent.width, extent.height]);
}

/** What draws one view; it keeps the pixels of the size that it drew last. */
function painter(
  element: HTMLCanvasElement,
  context: CanvasRenderingContext2D,
  {
    points,
    background,
    extent,
  }: { readonly points: DrawnPoints; readonly background: number; readonly extent: Extent },
): (view: MapView, isMoving: boolean) => void {
  let image: ImageData | undefined;
  return ({ scale, shiftX, shiftY }, isMoving) => {
    const count = points.positions.length / 2;
    const density = drawingDensity({ screen: devicePixelRatio, points: count, isMoving });
    const width = Math.max(1, Math.round(extent.width * density));
    const height = Math.max(1, Math.round(extent.height * density));
    if (element.width !== width || element.height !== height) {
      element.width = width;
      element.height = height;
    }
    if (image?.width !== width || image.height !== height) {
      image = context.createImageData(width, height);
    }
    const pixels = new Uint32Array(image.data.buffer);
    const shown = { scale: scale * density, shiftX: shiftX * density, shiftY: shiftY * density };
    const style = { radius: RADIUS_PX * density, background };
    const drawn = drawPoints({ pixels, width, height }, points, shown, style);
    context.putImageData(image, 0, 0);
    element.dataset.drawn = String(drawn);
    element.dataset.frames = String(Number(element.dataset.frames ?? 0) + 1);
  };
}
