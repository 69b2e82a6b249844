/** What is drawn over the points of a map: the lasso, a query's neighbours, the point pointed at. */

import type { ReadonlySignal } from "@preact/signals";
import type { JSX } from "preact";
import { type MapView, onScreen, type Place } from "../map-view.ts";

/** Lines and rings, which follow the view. */
export function MapLines(props: {
  readonly positions: Float32Array;
  readonly neighbours: { readonly from: number | undefined; readonly to: readonly number[] };
  readonly view: ReadonlySignal<MapView>;
  readonly lasso: ReadonlySignal<readonly Place[]>;
  readonly hovered: number | undefined;
}): JSX.Element {
  const { positions, neighbours, view, lasso, hovered } = props;
  const placeOf = (point: number) =>
    onScreen(view.value, { x: positions[point * 2], y: positions[point * 2 + 1] });
  const ends = neighbours.to.map(placeOf);
  const start = neighbours.from === undefined ? middleOf(ends) : placeOf(neighbours.from);
  return (
    <svg class="map-lines" aria-hidden="true">
      {start !== undefined &&
        ends.map((end, i) => (
          <g key={neighbours.to[i]}>
            <line class="map-neighbour" x1={start.x} y1={start.y} x2={end.x} y2={end.y} />
            <circle class="map-ring" cx={end.x} cy={end.y} r="6" />
          </g>
        ))}
      {start !== undefined && <circle class="map-query" cx={start.x} cy={start.y} r="7" />}
      {hovered !== undefined && (
        <circle class="map-ring" cx={placeOf(hovered).x} cy={placeOf(hovered).y} r="6" />
      )}
      {lasso.value.length > 1 && (
        <polygon class="map-lasso" points={lasso.value.map(({ x, y }) => `${x},${y}`).join(" ")} />
      )}
    </svg>
  );
}

/** Where a query that is no point of the map is drawn: amid its neighbours. */
function middleOf(places: readonly Place[]): Place | undefined {
  if (places.length === 0) return undefined;
  return {
    x: places.reduce((sum, { x }) => sum + x, 0) / places.length,
    y: places.reduce((sum, { y }) => sum + y, 0) / places.length,
  };
}
