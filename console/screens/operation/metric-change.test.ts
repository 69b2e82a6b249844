import { expect, test } from "vitest";
import { seededRandom } from "../../../src/base/random.ts";
import { counterRate, gaugeSum, histogramQuantile, type MetricChange } from "./metric-change.ts";
import { parseMetrics } from "./metrics-text.ts";

function change(before: string, after: string, seconds = 2): MetricChange {
  return {
    before: { atMs: 1000, samples: parseMetrics(before) },
    after: { atMs: 1000 + seconds * 1000, samples: parseMetrics(after) },
  };
}

test("rates are sums over the labels that are asked for", () => {
  const both = change(
    'r{operation="query",status="200"} 10\nr{operation="write",status="200"} 5\n',
    'r{operation="query",status="200"} 16\nr{operation="query",status="500"} 4\n' +
      'r{status="200",operation="write"} 6\n',
  );
  expect(counterRate(both, "r")).toBe(5.5);
  expect(counterRate(both, "r", { operation: "query" })).toBe(5);
  expect(counterRate(both, "r", { status: ["500", "503"] })).toBe(2);
  expect(counterRate(both, "r", { operation: "delete" })).toBe(0);
  expect(counterRate(both, "unknown")).toBeUndefined();
});

test("a counter that was set back counts from its new start", () => {
  expect(counterRate(change("r 1000", "r 30"), "r")).toBe(15);
});

test("no time makes no rate", () => {
  expect(counterRate(change("r 1", "r 2", 0), "r")).toBeUndefined();
});

test("gauges are added up", () => {
  const { after } = change("", 'g{thread="0"} 2\ng{thread="1"} 3\n');
  expect(gaugeSum(after, "g")).toBe(5);
  expect(gaugeSum(after, "g", { thread: "1" })).toBe(3);
  expect(gaugeSum(after, "h")).toBeUndefined();
});

const BOUNDS = [0.005, 0.01, 0.05, 0.1, 1];

/** A histogram's lines of these values. */
function histogram(values: readonly number[]): string {
  const lines = [...BOUNDS, Number.POSITIVE_INFINITY].map((bound) => {
    const le = bound === Number.POSITIVE_INFINITY ? "+Inf" : String(bound);
    return `h_bucket{le="${le}"} ${values.filter((value) => value <= bound).length}`;
  });
  return lines.join("\n");
}

test("a quantile lies in the bucket in which the observation of that rank is", () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = seededRandom(seed);
    const draw = (count: number) => Array.from({ length: count }, () => random.next() ** 3 * 0.999);
    const old = draw(random.below(20));
    const fresh = draw(1 + random.below(40));
    const both = change(histogram(old), histogram([...old, ...fresh]));
    const sorted = fresh.toSorted((a, b) => a - b);
    for (const quantile of [0.1, 0.5, 0.95, 0.99, 1]) {
      const exact = sorted[Math.ceil(quantile * sorted.length) - 1];
      const at = BOUNDS.findIndex((bound) => exact <= bound);
      const found = histogramQuantile(both, { name: "h", quantile });
      expect(found, `seed ${seed}, ${quantile}`).toBeGreaterThanOrEqual(BOUNDS[at - 1] ?? 0);
      expect(found, `seed ${seed}, ${quantile}`).toBeLessThanOrEqual(BOUNDS[at]);
    }
  }
});

test("a quantile is linear inside of its bucket, and the last bound above all", () => {
  const of = (values: readonly number[], quantile: number) =>
    histogramQuantile(change(histogram([]), histogram(values)), { name: "h", quantile });
  expect(of([0.06, 0.07, 0.08, 0.09], 0.5)).toBeCloseTo(0.075);
  expect(of([2, 3], 0.5)).toBe(1);
  expect(of([], 0.5)).toBeUndefined();
});

test("histograms of several labels are one", () => {
  const lines = (query: number, write: number) =>
    `h_bucket{operation="query",le="1"} ${query}\n` +
    `h_bucket{operation="query",le="+Inf"} ${query}\n` +
    `h_bucket{operation="write",le="1"} 0\nh_bucket{operation="write",le="+Inf"} ${write}\n`;
  const both = change(lines(0, 0), lines(4, 4));
  expect(histogramQuantile(both, { name: "h", quantile: 0.25 })).toBeCloseTo(0.5);
  const filter = { operation: "write" };
  expect(histogramQuantile(both, { name: "h", quantile: 0.5, filter })).toBe(1);
});
