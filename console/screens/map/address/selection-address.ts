/** Which points are selected, as the address says it: by a line, by a colour, or all. */

import { PointGrid } from "../drawing/point-grid.ts";
import type { LegendEntry, PointShades } from "../drawing/point-shades.ts";
import { pointsInside } from "../lasso.ts";
import { boundsOf, type Place } from "../map-view.ts";
import { lassoOfText, lassoText } from "./lasso-address.ts";
import type { MapMethod } from "./map-address.ts";

/** Characters of a legend's label that are compared; values may have any length. */
const LABEL_CHARS_MAX = 200;
/** The text for all points. */
export const ALL_POINTS = "all";

/** Where points were when a line was drawn around them. */
export interface DrawnPlaces {
  readonly method: MapMethod;
  /**
   * The round of UMAP that was shown; undefined: its last, or no UMAP. The same documents are at
   * the same places in the same round, so that a line over an unfinished map can be told of, too.
   */
  readonly round: number | undefined;
}

/** What a selection is read from. */
export interface SelectablePoints {
  readonly count: number;
  readonly shades: PointShades;
  /** What the line was drawn over; undefined while there is no such. */
  readonly positionsOf: (places: DrawnPlaces) => Float32Array | undefined;
}

/** The text for the points of a colour. */
export function colorSelection({ label }: LegendEntry): string {
  return `color.${label.slice(0, LABEL_CHARS_MAX)}`;
}

/** The text for the points within a line; undefined where it encloses nothing. */
export function lassoSelection(
  corners: readonly Place[],
  positions: Float32Array,
  { method, round }: DrawnPlaces,
): string | undefined {
  const line = lassoText(corners, boundsOf(positions));
  return line && `${round === undefined ? method : `${method}-${round}`}.${line}`;
}

/** What the line of a text was drawn over; undefined where the text has no line. */
export function drawnPlaces(text: string): DrawnPlaces | undefined {
  const [, method, round] = /^(pca|umap)(?:-([1-9]\d{0,5}))?\./.exec(text) ?? [];
  if (method === undefined || (method === "pca" && round !== undefined)) return undefined;
  return { method: method as MapMethod, round: round === undefined ? undefined : Number(round) };
}

/** Tells whether a selection follows from the colours, and means nothing under others. */
export function isOfColor(text: string | undefined): boolean {
  return text?.startsWith("color.") === true;
}

/** The points that a text says, in rising order; undefined where that cannot be known (yet). */
export function selectedPoints(text: string, of: SelectablePoints): readonly number[] | undefined {
  if (text === ALL_POINTS) return Array.from({ length: of.count }, (_, point) => point);
  const dot = text.indexOf(".");
  const [kind, rest] = [text.slice(0, dot), text.slice(dot + 1)];
  if (kind === "color") return pointsOfColor(rest, of);
  const places = drawnPlaces(text);
  const positions = places && of.positionsOf(places);
  const corners = positions && lassoOfText(rest, boundsOf(positions));
  return corners && pointsInside(corners, positions, new PointGrid(positions));
}

function pointsOfColor(label: string, { count, shades }: SelectablePoints) {
  const entry = shades.legend.find((each) => each.label.slice(0, LABEL_CHARS_MAX) === label);
  if (entry === undefined || shades.shades.length !== count) return undefined;
  const all = Array.from({ length: count }, (_, point) => point);
  return all.filter((point) => shades.shades[point] === entry.shade);
}
