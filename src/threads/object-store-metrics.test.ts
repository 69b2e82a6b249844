import { expect, test } from "vitest";
import { InstantClock } from "../../test/support/clocks/instant-clock.ts";
import type { StoreCounts } from "../storage/counting-object-store.ts";
import { objectStoreMetrics, reportRequests } from "./object-store-metrics.ts";

const COUNTS: StoreCounts = {
  requests: { get: 1, getRange: 2, put: 3, list: 4, delete: 5 },
  failures: 6,
  conflicts: 7,
  bytesRead: 8,
  bytesWritten: 9,
};

test("each thread tells of its own requests", () => {
  const metrics = objectStoreMetrics(COUNTS, "cache");
  expect(metrics.every(({ labels }) => labels?.thread === "cache")).toBe(true);
  const values = metrics.map(({ name, value, labels }) => [name, labels?.request, value]);
  expect(values).toEqual([
    ["trawl_object_store_requests_total", "get", 1],
    ["trawl_object_store_requests_total", "getRange", 2],
    ["trawl_object_store_requests_total", "put", 3],
    ["trawl_object_store_requests_total", "list", 4],
    ["trawl_object_store_requests_total", "delete", 5],
    ["trawl_object_store_failures_total", undefined, 6],
    ["trawl_object_store_read_bytes_total", undefined, 8],
    ["trawl_object_store_written_bytes_total", undefined, 9],
  ]);
});

test("a process without /metrics logs its totals from time to time", () => {
  const clock = new InstantClock();
  const lines: unknown[] = [];
  reportRequests(() => COUNTS, { clock, log: (...line) => lines.push(line) });
  expect(lines).toEqual([]);
  clock.tick();
  const { requests, ...rest } = COUNTS;
  expect(lines).toEqual([
    ["info", "requests to the object store so far", { ...requests, ...rest }],
  ]);
});
