import { expect, test } from "vitest";
import { MOMENTS_MAX, type Moment, type Series, withScrape } from "./live-series.ts";
import { counterRate, type Scrape } from "./metric-change.ts";
import { parseMetrics } from "./metrics-text.ts";

const SERIES: readonly Series[] = [
  { label: "r", value: (change) => counterRate(change, "r") },
  { label: "none", value: () => Number.NaN },
];

function scrape(atMs: number, text: string): Scrape {
  return { atMs, samples: parseMetrics(text) };
}

test("the first scrape says nothing, each further one is a moment", () => {
  const first = scrape(0, "r 10");
  const options = { series: SERIES, nowMs: 5000 };
  expect(withScrape([], { before: undefined, after: first }, options)).toEqual([]);
  const after = scrape(2000, "r 20");
  expect(withScrape([], { before: first, after }, options)).toEqual([
    { atMs: 5000, values: [5, undefined] },
  ]);
});

test("a pause breaks the lines", () => {
  const scrapes = { before: scrape(0, "r 0"), after: scrape(60_000, "r 60") };
  expect(withScrape([], scrapes, { series: SERIES, nowMs: 100_000 })).toEqual([
    { atMs: 40_001, values: [undefined, undefined] },
    { atMs: 100_000, values: [1, undefined] },
  ]);
});

test("the oldest moments are forgotten", () => {
  let moments: readonly Moment[] = [];
  for (let i = 1; i <= MOMENTS_MAX + 10; i++) {
    const scrapes = { before: scrape(i * 2000 - 2000, "r 0"), after: scrape(i * 2000, "r 2") };
    moments = withScrape(moments, scrapes, { series: SERIES, nowMs: i });
  }
  expect(moments).toHaveLength(MOMENTS_MAX);
  expect(moments.at(-1)?.atMs).toBe(MOMENTS_MAX + 10);
});
