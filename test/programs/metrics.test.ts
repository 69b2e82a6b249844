/** `/metrics`, and all that names its metrics: the documentation, the dashboard, the alerts. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { OTHER_NAMESPACES } from "../../src/http/observability/namespace-traffic.ts";
import { diskCacheMetrics } from "../../src/threads/disk-cache-metrics.ts";
import { writeOnnxFolder } from "../support/models/onnx-model-folder.ts";
import { rawCall } from "../support/servers/sdk-client.ts";
import { type ServerProcess, startServer } from "../support/servers/server-process.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

const ROOT = new URL("../../", import.meta.url);
const read = (path: string) => readFileSync(fileURLToPath(new URL(path, ROOT)), "utf8");
const DASHBOARD = read("deploy/grafana/trawl.json");
const ALERTS = read("deploy/prometheus/alerts.yml");
const DOCS = read("docs/observability.md");

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let server: ServerProcess;
/** Kinds by name. */
let kinds: ReadonlyMap<string, string>;

beforeAll(async () => {
  directory = await temporaryDirectory();
  const model = join(directory.path, "model");
  writeOnnxFolder(model, { words: [], vectors: [[1], [2], [3]] });
  server = await startServer({
    dataDir: join(directory.path, "data"),
    arguments: [
      ...["--query-threads", "1", "--indexer", "off", "--recall-sample-rate", "0.5"],
      ...["--metrics-namespaces", "2", "--otlp-endpoint", "http://127.0.0.1:9"],
      ...["--onnx-models", `acme/tiny=${model}`],
    ],
  });
  // All threads have reported, then.
  await vi.waitFor(async () => {
    const text = await metrics();
    for (const name of ["open_namespaces", "queries_total", "cache_bytes", "onnx_texts_total"]) {
      expect(text).toMatch(new RegExp(`^trawl_${name}\\b`, "m"));
    }
  }, 20_000);
  const all = (await metrics()).matchAll(/^# TYPE (\S+) (\S+)$/gm);
  kinds = new Map([...all].map(([, name, kind]) => [name, kind]));
});

afterAll(async () => {
  await server?.stop();
  await directory.remove();
});

async function metrics(): Promise<string> {
  return (await fetch(`${server.url}/metrics`)).text();
}

/** The metric of a time series. */
function metricOf(series: string): string {
  const base = series.replace(/_(bucket|sum|count)$/, "");
  return kinds.get(base) === "histogram" ? base : series;
}

test.each([
  ["the dashboard", DASHBOARD],
  ["the alerts", ALERTS],
])("%s names metrics that there are", (_name, text) => {
  const series = new Set(text.match(/\b(?:trawl|process|nodejs)_\w+/g));
  expect(series.size).toBeGreaterThan(10);
  expect([...series].filter((name) => !kinds.has(metricOf(name)))).toEqual([]);
});

test("the dashboard's panels have distinct ids, places and queries", () => {
  const { panels } = JSON.parse(DASHBOARD) as {
    panels: { id: number; type: string; gridPos: object; targets?: { expr: string }[] }[];
  };
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  expect(new Set(panels.map(({ gridPos }) => JSON.stringify(gridPos))).size).toBe(panels.length);
  const graphs = panels.filter(({ type }) => type !== "row");
  for (const { targets = [] } of graphs) expect(targets.length).toBeGreaterThan(0);
  for (const expression of graphs.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))) {
    expect(expression.match(/[({[]/g)?.length).toBe(expression.match(/[)}\]]/g)?.length);
    expect(expression).toContain('instance=~"$instance"');
  }
});

test("the documentation's table has each metric with its kind, and no other", () => {
  const rows = DOCS.matchAll(/^\| `(trawl_\w+)` \| (\w+) \|/gm);
  const documented = [...rows].map(([, name, kind]) => [name, kind]).sort();
  const stats = { hits: 0, misses: 0, readBytes: 0, writtenBytes: 0, evictions: 0, faults: 0 };
  // Only over a bucket.
  const ofDisk = diskCacheMetrics({ stats }, "cache").map(({ name, kind }) => [name, kind]);
  const ours = [...kinds].filter(([name]) => name.startsWith("trawl_"));
  expect(documented).toEqual([...ours, ...ofDisk].sort());
});

test("the namespaces with the most traffic are told, and all others together", async () => {
  const write = (name: string) =>
    rawCall("POST", `/v2/namespaces/${name}`, { upsert_rows: [{ id: 1 }] }, { url: server.url });
  for (let i = 0; i < 4; i++) for (const name of ["a", "b"]) await write(name);
  for (let i = 0; i < 20; i++) await write(`rare-${i}`);
  await rawCall("GET", "/v1/namespaces/absent/schema", undefined, { url: server.url });
  const text = await metrics();
  const found = text.matchAll(
    /^trawl_namespace_requests_total\{namespace="([^"]*)",operation="(\w+)"\} ([1-9]\d*)$/gm,
  );
  expect([...found].map(([, ...series]) => series)).toEqual([
    ["a", "write", "4"],
    ["b", "write", "4"],
    [OTHER_NAMESPACES, "write", "20"],
    [OTHER_NAMESPACES, "further", "1"],
  ]);
});

test("queries are timed by their kind, and by phase", async () => {
  const query = { rank_by: ["id", "asc"], limit: 1 };
  await rawCall("POST", "/v2/namespaces/a/query", query, { url: server.url });
  await rawCall("POST", "/v2/namespaces/a/query", { queries: [query, query] }, { url: server.url });
  const text = await metrics();
  expect(text).toMatch(/^trawl_query_seconds_count\{kind="order"\} 1$/m);
  expect(text).toMatch(/^trawl_query_seconds_count\{kind="multi"\} 1$/m);
  const phase = /^trawl_query_phase_seconds_total\{thread="(0|main)",phase="search"\} 0\.0/m;
  await expect.poll(metrics, { timeout: 20_000 }).toMatch(phase);
});

test("requests for API keys are counted", async () => {
  const listings = /^trawl_object_store_requests_total\{thread="main",request="list"\} [1-9]/m;
  expect(await metrics()).toMatch(listings);
});
