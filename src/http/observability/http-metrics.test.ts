import { afterEach, expect, test } from "vitest";
import type { EngineMetric } from "../../api/engine.ts";
import { HttpMetrics } from "./http-metrics.ts";

let metrics: HttpMetrics;
const readings = { bodyBytesInFlight: 0, requestsInFlight: 0 };

function open(): HttpMetrics {
  metrics = new HttpMetrics({
    bodyBytesInFlight: () => readings.bodyBytesInFlight,
    answerBytesWaiting: () => 5,
    requestsInFlight: () => readings.requestsInFlight,
  });
  return metrics;
}
afterEach(() => metrics.close());

/** The lines of one metric. */
async function linesOf(name: string, engine: readonly EngineMetric[] = []): Promise<string[]> {
  const text = await metrics.render(engine);
  return text.split("\n").filter((line) => new RegExp(`^(?:# \\w+ )?${name}\\b`).test(line));
}

test("requests are counted by operation and status, their times in buckets", async () => {
  open();
  for (const seconds of [0.0005, 0.004, 70]) metrics.observe("query", 200, seconds);
  metrics.observe("query", 404, 0.001);
  metrics.observe("write", 200, 0.2);
  expect(await linesOf("trawl_http_requests_total")).toEqual([
    expect.stringMatching(/^# HELP /),
    "# TYPE trawl_http_requests_total counter",
    'trawl_http_requests_total{operation="query",status="200"} 3',
    'trawl_http_requests_total{operation="query",status="404"} 1',
    'trawl_http_requests_total{operation="write",status="200"} 1',
  ]);
  const buckets = await linesOf("trawl_http_request_seconds_bucket");
  const ofQuery = buckets.filter((line) => /operation="query".*status="200"/.test(line));
  const counts = ofQuery.map((line) => Number(line.split(" ").at(-1)));
  expect(counts).toEqual([1, 1, ...Array(13).fill(2), 3]);
});

test("requests with fields that were ignored are counted by operation", async () => {
  open();
  metrics.countUnknownFields("write");
  metrics.countUnknownFields("write");
  expect((await linesOf("trawl_http_unknown_fields_total")).at(-1)).toBe(
    'trawl_http_unknown_fields_total{operation="write"} 2',
  );
});

test("what is in flight is read when it is shown", async () => {
  open();
  Object.assign(readings, { bodyBytesInFlight: 12, requestsInFlight: 2 });
  expect((await linesOf("trawl_http_body_bytes_in_flight")).at(-1)).toMatch(/ 12$/);
  expect((await linesOf("trawl_http_requests_in_flight")).at(-1)).toMatch(/ 2$/);
  Object.assign(readings, { bodyBytesInFlight: 0, requestsInFlight: 0 });
  expect((await linesOf("trawl_http_body_bytes_in_flight")).at(-1)).toMatch(/ 0$/);
  expect((await linesOf("trawl_event_loop_lag_p99_seconds")).at(-1)).toMatch(/ [\d.e-]+$/);
});

test("what the engine counts stands together by name, its labels quoted", async () => {
  open();
  const engine: EngineMetric[] = [
    { name: "trawl_a_total", help: "A.", kind: "counter", value: 1, labels: { x: 'q"\\\n' } },
    { name: "trawl_b", help: "B.", kind: "gauge", value: 2.5 },
    { name: "trawl_a_total", help: "A.", kind: "counter", value: 3, labels: { x: "r", y: "s" } },
  ];
  expect(await linesOf("trawl_a_total", engine)).toEqual([
    "# HELP trawl_a_total A.",
    "# TYPE trawl_a_total counter",
    'trawl_a_total{x="q\\"\\\\\\n"} 1',
    'trawl_a_total{x="r",y="s"} 3',
  ]);
  expect(await linesOf("trawl_b", engine)).toEqual([
    "# HELP trawl_b B.",
    "# TYPE trawl_b gauge",
    "trawl_b 2.5",
  ]);
  // A scrape shows what is counted then, not what was before.
  expect(await linesOf("trawl_b")).toEqual([]);
});

test("two servers of one process count apart", async () => {
  const first = open();
  const second = open();
  first.observe("query", 200, 1);
  second.observe("write", 200, 1);
  expect(await first.render([])).not.toContain('operation="write"');
  expect(await second.render([])).not.toContain('operation="query"');
  first.close();
});
