/** What `/metrics` shows: requests, their latencies, the event loop's lag, the engine's stats. */

import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { EngineMetric } from "../../api/engine.ts";
import { type ClientTelemetry, parseClientTelemetry } from "./client-telemetry.ts";

/** Upper bounds of the latency histogram, in seconds: from a cached lookup to the longest write. */
const LATENCY_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];
/** Sampling of the event loop's lag, in milliseconds; lag below it is not seen. */
const LAG_RESOLUTION_MS = 10;

/** The stats of the requests with the same labels. */
interface RequestStats {
  readonly requests: { inc(): void };
  readonly seconds: { observe(value: number): void };
}

/** What is read when somebody asks. */
export interface HttpReadings {
  readonly bodyBytesInFlight: () => number;
  readonly answerBytesWaiting: () => number;
  readonly requestsInFlight: () => number;
}

/** Prometheus stats of one server; `close` ends the sampling. */
export class HttpMetrics {
  readonly #registry = new Registry();
  readonly #requests: Counter<"operation" | "status">;
  readonly #seconds: Histogram<"operation" | "status">;
  readonly #unknownFields: Counter<"operation">;
  readonly #queries: Histogram<"kind">;
  readonly #slow: Counter<"operation">;
  readonly #slowUnlogged: Counter;
  readonly #clientRequests: Counter<"operation" | "status">;
  readonly #clientSeconds: Counter<"operation">;
  readonly #clientDropped: Counter;
  readonly #clientMalformed: Counter;
  readonly #lag: IntervalHistogram;
  /** By operation and status, of which there are few: finding them by labels is slow. */
  readonly #stats = new Map<string, RequestStats>();
  readonly #kinds = new Map<string, RequestStats["seconds"]>();

  constructor(readings: HttpReadings) {
    const registers = [this.#registry];
    const labelNames = ["operation", "status"] as const;
    this.#lag = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS });
    this.#lag.enable();
    this.#requests = new Counter({
      name: "trawl_http_requests_total",
      help: "Answered requests by operation and status.",
      labelNames,
      registers,
    });
    this.#seconds = new Histogram({
      name: "trawl_http_request_seconds",
      help: "Time from a request's headers to the end of its answer.",
      labelNames,
      buckets: LATENCY_SECONDS,
      registers,
    });
    const counter = <Name extends string>(
      name: string,
      help: string,
      labels: readonly Name[],
    ): Counter<Name> => new Counter({ name, help, labelNames: labels, registers });
    this.#unknownFields = counter(
      "trawl_http_unknown_fields_total",
      "Requests with fields that were ignored since they are unknown, by operation.",
      ["operation"],
    );
    this.#queries = new Histogram({
      name: "trawl_query_seconds",
      help: "Time of queries by kind, from their headers to the end of their answers.",
      labelNames: ["kind"],
      buckets: LATENCY_SECONDS,
      registers,
    });
    this.#slow = counter(
      "trawl_http_slow_requests_total",
      "Requests that took longer than --slow-query-ms.",
      ["operation"],
    );
    this.#slowUnlogged = counter(
      "trawl_http_slow_requests_unlogged_total",
      "Those of them that were not logged as slow: more than 60 in one minute.",
      [],
    );
    this.#clientRequests = counter(
      "trawl_client_requests_total",
      "Requests that clients have reported, by operation and status; 0 where none came.",
      labelNames,
    );
    this.#clientSeconds = counter(
      "trawl_client_request_seconds_total",
      "Time that these took, as clients have measured it.",
      ["operation"],
    );
    this.#clientDropped = counter(
      "trawl_client_reports_dropped_total",
      "Reports of requests that clients had no room for.",
      [],
    );
    this.#clientMalformed = counter(
      "trawl_client_reports_malformed_total",
      "Headers with reports that were not understood.",
      [],
    );
    this.#readGauges(readings);
    collectDefaultMetrics({ register: this.#registry });
  }

  #readGauges(readings: HttpReadings): void {
    const registers = [this.#registry];
    const lag = this.#lag;
    gauge(registers, "trawl_event_loop_lag_p99_seconds", "Lag since the last scrape.", () => {
      // The histogram's times include the sampling interval itself.
      const p99Ms = Math.max(0, lag.percentile(99) / 1e6 - LAG_RESOLUTION_MS);
      lag.reset();
      return Number.isFinite(p99Ms) ? p99Ms / 1000 : 0;
    });
    gauge(
      registers,
      "trawl_http_answer_bytes_waiting",
      "Answers that clients have not taken yet, in bytes.",
      readings.answerBytesWaiting,
    );
    gauge(
      registers,
      "trawl_http_body_bytes_in_flight",
      "Request bodies in memory, in bytes.",
      readings.bodyBytesInFlight,
    );
    gauge(
      registers,
      "trawl_http_requests_in_flight",
      "Requests that are being answered.",
      readings.requestsInFlight,
    );
  }

  /** Counts one answered request. */
  observe(operation: string, status: number, seconds: number): void {
    const key = `${operation} ${status}`;
    let stats = this.#stats.get(key);
    if (stats === undefined) {
      const labels = { operation, status: String(status) };
      stats = { requests: this.#requests.labels(labels), seconds: this.#seconds.labels(labels) };
      this.#stats.set(key, stats);
    }
    stats.requests.inc();
    stats.seconds.observe(seconds);
  }

  /** Notes one query, by what it asked for. */
  observeQuery(kind: string, seconds: number): void {
    let observer = this.#kinds.get(kind);
    if (observer === undefined) {
      observer = this.#queries.labels({ kind });
      this.#kinds.set(kind, observer);
    }
    observer.observe(seconds);
  }

  /** Counts one slow request. */
  countSlow(operation: string, noted: "logged" | "unlogged"): void {
    this.#slow.inc({ operation });
    if (noted === "unlogged") this.#slowUnlogged.inc();
  }

  /** Counts one request with fields that were ignored. */
  countUnknownFields(operation: string): void {
    this.#unknownFields.inc({ operation });
  }

  /** Counts what a client reports in a header. */
  report(header: string): void {
    const telemetry = parseClientTelemetry(header);
    if (telemetry === undefined) this.#clientMalformed.inc();
    else this.#reported(telemetry);
  }

  #reported({ records, dropped }: ClientTelemetry): void {
    for (const { operation, status, seconds } of records) {
      this.#clientRequests.inc({ operation, status });
      this.#clientSeconds.inc({ operation }, seconds);
    }
    this.#clientDropped.inc(dropped);
  }

  /** Renders everything in the text format; resets the lag's histogram. */
  async render(engine: readonly EngineMetric[]): Promise<string> {
    return Registry.merge([this.#registry, engineRegistry(engine)]).metrics();
  }

  /** Content type of what `render` gives. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  close(): void {
    this.#lag.disable();
    this.#registry.clear();
  }
}

function gauge(registers: Registry[], name: string, help: string, read: () => number): void {
  new Gauge({
    name,
    help,
    registers,
    collect() {
      this.set(read());
    },
  });
}

/** Figures that are kept elsewhere, as they are now. */
function engineRegistry(metrics: readonly EngineMetric[]): Registry {
  const registry = new Registry();
  for (const [name, group] of Map.groupBy(metrics, (metric) => metric.name)) {
    const [{ kind, help }] = group;
    const labelNames = [...new Set(group.flatMap(({ labels = {} }) => Object.keys(labels)))];
    const options = { name, help, labelNames, registers: [registry] };
    const figure = kind === "counter" ? new Counter(options) : new Gauge(options);
    for (const { labels = {}, value } of group) figure.inc(labels, value);
  }
  return registry;
}
