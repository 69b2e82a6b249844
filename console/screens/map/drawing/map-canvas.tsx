/** The canvas of a map: draws the points, follows pointer, wheel and keys. */

import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { PointerMode } from "../address/map-address.ts";
import { withCorner } from "../lasso.ts";
import {
  type Extent,
  inMap,
  type MapView,
  onScreen,
  type Place,
  panView,
  zoomView,
} from "../map-view.ts";
import { useMapView, type ViewAddress } from "../use-map-view.ts";
import { MapLines } from "./map-lines.tsx";
import { PointGrid } from "./point-grid.ts";
import type { PointShades } from "./point-shades.ts";
import { useMapDrawing } from "./use-map-drawing.ts";

/** What a map shows. */
export interface MapCanvasProps {
  readonly positions: Float32Array;
  readonly shades: PointShades;
  /** Not 0 for points that stand out; absent: all do. */
  readonly marked: Uint8Array | undefined;
  /** A query's place and its neighbours, by point. */
  readonly neighbours: { readonly from: number | undefined; readonly to: readonly number[] };
  /** 0xAABBGGRR, as pixels have it. */
  readonly background: number;
  readonly mode: PointerMode;
  /** Told the corners of a drawn line, as places of the map. */
  readonly onLasso: (corners: readonly Place[]) => void;
  readonly address: ViewAddress;
  readonly onPick: (point: number) => void;
  /** What is shown of the point under the pointer. */
  readonly describe: (point: number) => ComponentChildren;
}

/** How far from a point the pointer still means it. */
const REACH_PX = 10;
/** A press that moves less is a click. */
const CLICK_PX = 4;
const PAN_PX = 60;
const ZOOM_STEP = 1.4;

/** See the file's head. */
export function MapCanvas(props: MapCanvasProps): JSX.Element {
  const { positions, mode } = props;
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const extent = useExtent(frame);
  const grid = useMemo(() => new PointGrid(positions), [positions]);
  const { view, whole } = useMapView(positions, extent, props.address);
  const [hovered, setHovered] = useState<number | undefined>(undefined);
  const lasso = useSignal<readonly Place[]>([]);
  useMapDrawing(canvas, { ...props, view, extent, order: grid.order });
  const gestures = useGestures({ ...props, view, whole, grid, lasso, setHovered });
  return (
    <div
      ref={frame}
      class={`map-frame map-mode-${mode}`}
      tabIndex={0}
      role="group"
      aria-label={`Map of ${positions.length / 2} points`}
      aria-description="Arrow keys move it, plus and minus zoom, 0 shows all points."
      onKeyDown={(event) => {
        const next = keyView(event.key, { view: view.peek(), whole, extent });
        if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        view.value = next;
      }}
      {...gestures}
    >
      <canvas ref={canvas} />
      <MapLines {...props} view={view} lasso={lasso} hovered={hovered} />
      {hovered !== undefined && (
        <HoverCard place={pointPlace(hovered, positions, view)} extent={extent}>
          {props.describe(hovered)}
        </HoverCard>
      )}
    </div>
  );
}

function pointPlace(point: number, positions: Float32Array, view: Signal<MapView>): Place {
  return onScreen(view.value, { x: positions[point * 2], y: positions[point * 2 + 1] });
}

/** Beside the point, on the side where there is room. */
function HoverCard(props: {
  readonly place: Place;
  readonly extent: Extent;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { place, extent, children } = props;
  const isRight = place.x > extent.width / 2;
  const isLow = place.y > extent.height / 2;
  const style = {
    ...(isRight ? { right: `${extent.width - place.x + 12}px` } : { left: `${place.x + 12}px` }),
    ...(isLow ? { bottom: `${extent.height - place.y + 12}px` } : { top: `${place.y + 12}px` }),
  };
  return (
    <div class="map-card" style={style} role="status">
      {children}
    </div>
  );
}

function useExtent(frame: { readonly current: HTMLElement | null }): Extent {
  const [extent, setExtent] = useState<Extent>({ width: 1, height: 1 });
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      setExtent({ width: element.clientWidth || 1, height: element.clientHeight || 1 });
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return extent;
}

interface GestureOptions extends MapCanvasProps {
  readonly view: Signal<MapView>;
  readonly whole: MapView;
  readonly grid: PointGrid;
  readonly lasso: Signal<readonly Place[]>;
  readonly setHovered: (point: number | undefined) => void;
}

/** Handlers of pointer and wheel: drag moves or draws a lasso (Shift: the other one), a click picks. */
function useGestures(options: GestureOptions) {
  const { view, whole, grid, lasso, mode, onLasso, onPick, setHovered } = options;
  const press = useRef<{ start: Place; last: Place; isLasso: boolean } | undefined>(undefined);
  const pointAt = (place: Place): number | undefined => {
    const found = grid.nearest(inMap(view.peek(), place), REACH_PX / view.peek().scale);
    return found < 0 ? undefined : found;
  };
  return {
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return;
      const place = placeOf(event);
      const isLasso = (mode === "lasso") !== event.shiftKey;
      press.current = { start: place, last: place, isLasso };
      lasso.value = isLasso ? [place] : [];
      (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
      setHovered(undefined);
    },
    onPointerMove: (event: PointerEvent) => {
      const place = placeOf(event);
      if (press.current === undefined) return setHovered(pointAt(place));
      if (press.current.isLasso) lasso.value = withCorner(lasso.peek(), place);
      else {
        const { last } = press.current;
        view.value = panView(view.peek(), { x: place.x - last.x, y: place.y - last.y });
      }
      press.current.last = place;
    },
    onPointerUp: (event: PointerEvent) => {
      const pressed = press.current;
      press.current = undefined;
      const corners = lasso.peek();
      lasso.value = [];
      if (pressed === undefined) return;
      const place = placeOf(event);
      const { start } = pressed;
      if (Math.hypot(place.x - start.x, place.y - start.y) < CLICK_PX && corners.length < 3) {
        const point = pointAt(place);
        if (point !== undefined) onPick(point);
      } else if (pressed.isLasso) {
        onLasso(corners.map((corner) => inMap(view.peek(), corner)));
      }
    },
    onPointerCancel: () => {
      press.current = undefined;
      lasso.value = [];
    },
    onPointerLeave: () => setHovered(undefined),
    onWheel: (event: WheelEvent) => {
      event.preventDefault();
      const factor = Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0015));
      view.value = zoomView(view.peek(), factor, placeOf(event), whole);
      setHovered(undefined);
    },
  };
}

function placeOf(event: MouseEvent): Place {
  const { left, top } = (event.currentTarget as HTMLElement).getBoundingClientRect();
  return { x: event.clientX - left, y: event.clientY - top };
}

function keyView(
  key: string,
  {
    view,
    whole,
    extent,
  }: {
    readonly view: MapView;
    readonly whole: MapView;
    readonly extent: Extent;
  },
): MapView | undefined {
  const middle = { x: extent.width / 2, y: extent.height / 2 };
  switch (key) {
    case "ArrowLeft":
      return panView(view, { x: PAN_PX, y: 0 });
    case "ArrowRight":
      return panView(view, { x: -PAN_PX, y: 0 });
    case "ArrowUp":
      return panView(view, { x: 0, y: PAN_PX });
    case "ArrowDown":
      return panView(view, { x: 0, y: -PAN_PX });
    case "+":
    case "=":
      return zoomView(view, ZOOM_STEP, middle, whole);
    case "-":
      return zoomView(view, 1 / ZOOM_STEP, middle, whole);
    case "0":
      return whole;
    default:
      return undefined;
  }
}
