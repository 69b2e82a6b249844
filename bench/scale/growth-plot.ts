/** A plot of how queries and builds grow with the documents, as SVG. */

import type { BuildStats } from "./build-set.ts";

/** What one set of documents took. */
export interface GrowthPoint {
  readonly kind: string;
  readonly documents: number;
  readonly p50Ms: number;
  /** Codes or postings that a query looked at, in the mean. */
  readonly looked: number;
}

/** The same with what it took to build. */
export type BuiltPoint = GrowthPoint & { readonly built: BuildStats };

const WIDTH = 1_240;
const HEIGHT = 300;
const PANEL = { width: 200, height: 190, top: 60, gap: 90, left: 70 };
const COLOURS: Readonly<Record<string, string>> = { vectors: "#0f766e", texts: "#b45309" };
const OTHER_COLOUR = "#475569";

/** One panel: a figure over the number of documents, both on logarithmic axes. */
interface Panel {
  readonly title: string;
  readonly of: (point: BuiltPoint) => number;
}

const PANELS: readonly Panel[] = [
  { title: "query p50, ms", of: ({ p50Ms }) => p50Ms },
  { title: "codes or postings a query", of: ({ looked }) => looked },
  {
    title: "written and indexed, s",
    of: ({ built }) => (built.writtenMs + built.indexedMs) / 1_000,
  },
  { title: "bytes of indexes, MiB", of: ({ built }) => built.indexMib },
];

/** Four panels with a line for each kind. */
export function drawGrowth(points: readonly BuiltPoint[]): string {
  const kinds = [...new Set(points.map(({ kind }) => kind))];
  const legend = kinds.map((kind, i) => {
    const x = PANEL.left + i * 120;
    return (
      `<rect x="${x}" y="14" width="10" height="10" fill="${colourOf(kind)}"/>` +
      text(x + 16, 24, kind, "start")
    );
  });
  const panels = PANELS.map((panel, i) =>
    drawPanel(panel, points, PANEL.left + i * (PANEL.width + PANEL.gap)),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}"`,
    `  font-family="sans-serif" font-size="11">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    ...legend,
    ...panels,
    "</svg>\n",
  ].join("\n");
}

function drawPanel(panel: Panel, points: readonly BuiltPoint[], left: number): string {
  const xs = decades(points.map(({ documents }) => documents));
  const ys = decades(points.map(panel.of));
  const bottom = PANEL.top + PANEL.height;
  const x = (value: number) => left + PANEL.width * placeIn(xs, value);
  const y = (value: number) => bottom - PANEL.height * placeIn(ys, value);
  const grid = [
    ...xs.map((tick) => line(x(tick), PANEL.top, x(tick), bottom)),
    ...ys.map((tick) => line(left, y(tick), left + PANEL.width, y(tick))),
    ...xs.map((tick) => text(x(tick), bottom + 16, spell(tick), "middle")),
    ...ys.map((tick) => text(left - 6, y(tick) + 4, spell(tick), "end")),
    text(left, PANEL.top - 12, panel.title, "start"),
    text(left + PANEL.width / 2, bottom + 34, "documents", "middle"),
  ];
  const kinds = [...new Set(points.map(({ kind }) => kind))];
  const lines = kinds.map((kind) => {
    const of = points.filter((point) => point.kind === kind);
    const sorted = [...of].sort((a, b) => a.documents - b.documents);
    const places = sorted.map((point) => [x(point.documents), y(panel.of(point))].map(round));
    const dots = places.map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="3"/>`).join("");
    const path = `<polyline points="${places.join(" ")}" fill="none" stroke-width="2"/>`;
    return `<g stroke="${colourOf(kind)}" fill="${colourOf(kind)}">${path}${dots}</g>`;
  });
  return [...grid, ...lines].join("\n");
}

/** Powers of ten around all values. */
function decades(values: readonly number[]): number[] {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))));
  return Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i));
}

/** From 0 at the first of the powers to 1 at the last one. */
function placeIn(ticks: readonly number[], value: number): number {
  return Math.log10(value / ticks[0]) / Math.log10(ticks[ticks.length - 1] / ticks[0]);
}

function spell(tick: number): string {
  if (tick >= 1e6) return `${tick / 1e6}M`;
  return tick >= 1e3 ? `${tick / 1e3}k` : String(tick);
}

function colourOf(kind: string): string {
  return COLOURS[kind] ?? OTHER_COLOUR;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function line(x1: number, y1: number, x2: number, y2: number): string {
  const [a, b, c, d] = [x1, y1, x2, y2].map(round);
  return `<path d="M${a} ${b}L${c} ${d}" stroke="#e2e8f0"/>`;
}

function text(x: number, y: number, words: string, anchor: string): string {
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}">${words}</text>`;
}
