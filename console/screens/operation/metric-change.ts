/** What metrics say of the time between two moments: rates of counters, quantiles of histograms. */

import type { MetricSample, MetricSamples } from "./metrics-text.ts";

/** What `/metrics` said at one moment, by a clock that only rises. */
export interface Scrape {
  readonly atMs: number;
  readonly samples: MetricSamples;
}

/** Two of them, one after the other. */
export interface MetricChange {
  readonly before: Scrape;
  readonly after: Scrape;
}

/** Labels that a sample must have; what is not named may be anything. */
export type LabelFilter = Readonly<Record<string, string | readonly string[]>>;

/** The sum of a gauge's samples; undefined where the server has no such metric. */
export function gaugeSum(
  { samples }: Scrape,
  name: string,
  filter: LabelFilter = {},
): number | undefined {
  return samples
    .get(name)
    ?.filter(({ labels }) => fits(labels, filter))
    .reduce((sum, { value }) => sum + value, 0);
}

/** The increase of a counter by second; undefined where the server has no such metric. */
export function counterRate(
  change: MetricChange,
  name: string,
  filter: LabelFilter = {},
): number | undefined {
  const seconds = (change.after.atMs - change.before.atMs) / 1000;
  if (!change.after.samples.has(name) || seconds <= 0) return undefined;
  let sum = 0;
  for (const { increase } of increases(change, name, filter)) sum += increase;
  return sum / seconds;
}

/**
 * The value below which the share `quantile` of a histogram's observations lies, in its unit, as
 * Prometheus computes it: linear inside of a bucket. Undefined where nothing was observed.
 */
export function histogramQuantile(
  change: MetricChange,
  { name, quantile, filter = {} }: HistogramQuestion,
): number | undefined {
  const byBound = new Map<number, number>();
  for (const { labels, increase } of increases(change, `${name}_bucket`, filter)) {
    const bound = labels.le === "+Inf" ? Number.POSITIVE_INFINITY : Number(labels.le);
    byBound.set(bound, (byBound.get(bound) ?? 0) + increase);
  }
  const buckets = [...byBound].sort(([a], [b]) => a - b);
  const total = buckets.at(-1)?.[1] ?? 0;
  if (total === 0) return undefined;
  const rank = quantile * total;
  let lowBound = 0;
  let lowCount = 0;
  for (const [bound, count] of buckets) {
    if (count >= rank && count > lowCount) {
      // Nothing is known of what lies above the last bound but that it does.
      if (bound === Number.POSITIVE_INFINITY) return lowBound;
      const share = (rank - lowCount) / (count - lowCount);
      return Math.min(bound, lowBound + (bound - lowBound) * share);
    }
    lowBound = bound === Number.POSITIVE_INFINITY ? lowBound : bound;
    lowCount = count;
  }
  return lowBound;
}

/** Which quantile of which histogram. */
export interface HistogramQuestion {
  readonly name: string;
  /** From 0 to 1. */
  readonly quantile: number;
  readonly filter?: LabelFilter;
}

interface Increase {
  readonly labels: MetricSample["labels"];
  readonly increase: number;
}

/** A counter that is less than before begins anew: the server was restarted. */
function* increases(
  { before, after }: MetricChange,
  name: string,
  filter: LabelFilter,
): Generator<Increase> {
  const was = new Map<string, number>();
  for (const { labels, value } of before.samples.get(name) ?? []) was.set(keyOf(labels), value);
  for (const { labels, value } of after.samples.get(name) ?? []) {
    if (!fits(labels, filter)) continue;
    const earlier = was.get(keyOf(labels)) ?? 0;
    yield { labels, increase: value < earlier ? value : value - earlier };
  }
}

function keyOf(labels: MetricSample["labels"]): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function fits(labels: MetricSample["labels"], filter: LabelFilter): boolean {
  return Object.entries(filter).every(([name, wanted]) => {
    return typeof wanted === "string" ? labels[name] === wanted : wanted.includes(labels[name]);
  });
}
