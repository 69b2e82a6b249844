import { expect, test } from "vitest";
import { summarize } from "./latencies.ts";

test("percentiles are times that were measured", () => {
  const times = Array.from({ length: 200 }, (_, i) => 200 - i);
  expect(summarize(times)).toEqual({ count: 200, p50: 100, p95: 190, p99: 198, max: 200 });
  expect(summarize([7])).toEqual({ count: 1, p50: 7, p95: 7, p99: 7, max: 7 });
  expect(summarize([])).toEqual({ count: 0, p50: 0, p95: 0, p99: 0, max: 0 });
});
