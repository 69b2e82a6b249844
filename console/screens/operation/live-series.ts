/** What the charts show: numbers over time, of a bounded number of moments. */

import type { MetricChange, Scrape } from "./metric-change.ts";

/** Moments that are kept: ten minutes, one every two seconds. */
export const MOMENTS_MAX = 300;
/** Between two moments further apart the server was not asked: the line is broken there. */
const GAP_MS = 10_000;

/** One line of a chart. */
export interface Series {
  readonly label: string;
  readonly value: (change: MetricChange) => number | undefined;
}

/** What the lines were at each moment; `undefined` is drawn as a gap. */
export interface Moment {
  /** Milliseconds since the epoch, for the axis. */
  readonly atMs: number;
  readonly values: readonly (number | undefined)[];
}

/** The moments with the one that a scrape adds; the first one has nothing to be compared with. */
export function withScrape(
  moments: readonly Moment[],
  scrapes: { readonly before: Scrape | undefined; readonly after: Scrape },
  { series, nowMs }: { readonly series: readonly Series[]; readonly nowMs: number },
): readonly Moment[] {
  const { before, after } = scrapes;
  if (before === undefined) return moments;
  const values = series.map(({ value }) => finite(value({ before, after })));
  const gap: Moment[] =
    after.atMs - before.atMs > GAP_MS
      ? [{ atMs: nowMs - (after.atMs - before.atMs) + 1, values: series.map(() => undefined) }]
      : [];
  return [...moments, ...gap, { atMs: nowMs, values }].slice(-MOMENTS_MAX);
}

function finite(value: number | undefined): number | undefined {
  return value !== undefined && Number.isFinite(value) ? value : undefined;
}
