/** What each chart of the screen shows, and how its numbers are written. */

import { countText, sizeText } from "../../../src/base/amount-text.ts";
import type { Series } from "./live-series.ts";
import {
  counterRate,
  gaugeSum,
  histogramQuantile,
  type LabelFilter,
  type MetricChange,
} from "./metric-change.ts";

/** One chart. */
export interface Panel {
  readonly title: string;
  /** What the numbers are, for those who cannot see the axis. */
  readonly unit: string;
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  /** The top of the axis, where that is not for the values to say. */
  readonly most?: number;
  /** What to look at when it is high. */
  readonly hint: string;
}

const HTTP_REQUESTS = "trawl_http_requests_total";
const QUERY = { operation: "query" };
const WRITE = { operation: "write" };

/** All of them, in the order of the screen. */
export const PANELS: readonly Panel[] = [
  {
    title: "Throughput",
    unit: "requests a second",
    series: [
      { label: "queries", value: (change) => counterRate(change, HTTP_REQUESTS, QUERY) },
      { label: "writes", value: (change) => counterRate(change, HTTP_REQUESTS, WRITE) },
      { label: "refused or failed", value: failureRate },
    ],
    format: rateText,
    hint: "Answered requests of all clients.",
  },
  {
    title: "Query latency",
    unit: "milliseconds",
    series: latencies(QUERY),
    format: millisecondsText,
    hint: "From a request's headers to the end of its answer. Slow queries say what took the time.",
  },
  {
    title: "Write latency",
    unit: "milliseconds",
    series: latencies(WRITE),
    format: millisecondsText,
    hint: "Writes are answered once they are durable: most of it is the disk or the bucket.",
  },
  {
    title: "Cache hits",
    unit: "percent",
    series: [{ label: "found in memory", value: hitShare }],
    format: (value) => `${value.toFixed(value < 99.95 ? 1 : 0)} %`,
    most: 100,
    hint: "Looks of queries at stored bytes. A low share wants more --memory-limit.",
  },
  {
    title: "Not indexed yet",
    unit: "bytes",
    series: [
      { label: "in all", value: ({ after }) => gaugeSum(after, "trawl_unindexed_bytes") },
      {
        label: "of one namespace",
        value: ({ after }) => gaugeSum(after, "trawl_unindexed_bytes_max"),
      },
    ],
    format: sizeText,
    hint: "From 2 GiB of one namespace on its writes get 429 until the indexer has caught up.",
  },
  {
    title: "Indexer lag",
    unit: "seconds",
    series: [{ label: "lag", value: ({ after }) => gaugeSum(after, "trawl_index_lag_seconds") }],
    format: (value) => `${countText(Math.round(value * 10) / 10)} s`,
    hint: "How long a namespace has had enough to be indexed without becoming less.",
  },
  {
    title: "Store requests",
    unit: "requests a second",
    series: [
      { label: "reads", value: storeRate(["get", "getRange"]) },
      { label: "writes", value: storeRate(["put", "delete"]) },
      { label: "lists", value: storeRate(["list"]) },
      {
        label: "failed",
        value: (change) => counterRate(change, "trawl_object_store_failures_total"),
      },
    ],
    format: rateText,
    hint: "Of the server; an indexer counts its own in its log. Failed ones are tried again.",
  },
  {
    title: "Memory",
    unit: "bytes",
    series: [
      { label: "server", value: ({ after }) => gaugeSum(after, "process_resident_memory_bytes") },
      { label: "cache", value: ({ after }) => gaugeSum(after, "trawl_cache_bytes") },
      { label: "unindexed documents", value: memtableBytes },
    ],
    format: sizeText,
    hint: "--memory-limit bounds what is shared out; the indexer is a process of its own.",
  },
];

function latencies(filter: LabelFilter): Series[] {
  return [0.5, 0.95, 0.99].map((quantile) => ({
    label: `p${quantile * 100}`,
    value: (change) => {
      const name = "trawl_http_request_seconds";
      const seconds = histogramQuantile(change, { name, quantile, filter });
      return seconds === undefined ? undefined : seconds * 1000;
    },
  }));
}

function failureRate(change: MetricChange): number | undefined {
  const statuses = new Set(
    (change.after.samples.get(HTTP_REQUESTS) ?? []).map(({ labels }) => labels.status),
  );
  const failed = [...statuses].filter((status) => Number(status) >= 400);
  return counterRate(change, HTTP_REQUESTS, { status: failed });
}

function hitShare(change: MetricChange): number | undefined {
  const looks = counterRate(change, "trawl_cache_looks_total");
  const hits = counterRate(change, "trawl_cache_hits_total");
  if (looks === undefined || hits === undefined || looks === 0) return undefined;
  return (100 * hits) / looks;
}

function storeRate(request: readonly string[]): Series["value"] {
  return (change) => counterRate(change, "trawl_object_store_requests_total", { request });
}

function memtableBytes({ after }: MetricChange): number | undefined {
  return gaugeSum(after, "trawl_segment_memory_bytes");
}

function rateText(value: number): string {
  return `${value >= 100 ? countText(Math.round(value)) : value.toFixed(1)}/s`;
}

function millisecondsText(value: number): string {
  return `${value >= 100 ? countText(Math.round(value)) : value.toPrecision(2)} ms`;
}
