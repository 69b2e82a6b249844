/** Spans of requests: one for each, and below it what threads have recorded of it. */

import type { EngineMetric, HttpAnswer } from "../../api/engine.ts";
import { clip } from "../../base/bounded-text.ts";
import type { Clock } from "../../base/clock.ts";
import type { Random } from "../../base/random.ts";
import type { Span } from "../../trace/span.ts";
import type { ExporterStats, SpanExporter } from "../../trace/span-exporter.ts";
import type { TimedSpan } from "../../trace/span-recorder.ts";
import { parseTraceparent, type RequestTrace } from "../../trace/trace-context.ts";
import type { ApiOutcome } from "./api-outcome.ts";

/** Where spans go, and whose are made. */
export interface TracingOptions {
  readonly exporter: Pick<SpanExporter, "add" | "stats">;
  /** Share of the requests whose client has not decided. */
  readonly sampleRate: number;
}

/** A traced request that is over. */
export interface TracedRequest {
  readonly trace: RequestTrace;
  readonly requestId: string;
  readonly method: string;
  /** Without the query string. */
  readonly path: string;
  readonly outcome: ApiOutcome;
  readonly ms: number;
}

/** Characters of a path: what waits to be exported is counted in spans. */
const PATH_CHARACTERS_MAX = 512;

/** See the file's head. */
export class RequestTracing {
  readonly #options: TracingOptions;
  readonly #clock: Pick<Clock, "nowMs">;
  readonly #random: Random;

  constructor(options: TracingOptions, clock: Pick<Clock, "nowMs">, random: Random) {
    this.#options = options;
    this.#clock = clock;
    this.#random = random;
  }

  /** Decides whether a request is traced, by its client's header if that has decided. */
  begin(traceparent: string | string[] | undefined): RequestTrace | undefined {
    const context = typeof traceparent === "string" ? parseTraceparent(traceparent) : undefined;
    const isTraced = context?.isSampled ?? this.#random.next() < this.#options.sampleRate;
    if (!isTraced) return undefined;
    return {
      traceId: context?.traceId ?? this.#newId(16),
      spanId: this.#newId(8),
      parentId: context?.parentId,
      arrivedAtMs: this.#clock.nowMs(),
    };
  }

  /** The trace of a request that the server makes for a traced one. */
  beginBelow({ traceId, spanId }: RequestTrace): RequestTrace {
    const arrivedAtMs = this.#clock.nowMs();
    return { traceId, spanId: this.#newId(8), parentId: spanId, arrivedAtMs };
  }

  /** Exports the spans of a request; none of one without a key (401), or anybody could fill them. */
  end(request: TracedRequest): void {
    const { trace, outcome, ms } = request;
    if (outcome.answer.status === 401) return;
    const { traceId, spanId, arrivedAtMs } = trace;
    const { operation, answer } = outcome;
    const below = (answer.spans ?? []).flatMap((span) => this.#spansOf(span, trace, spanId));
    const whole: Span = {
      ...{ traceId, spanId, parentId: trace.parentId, name: operation, kind: "server" },
      startMs: arrivedAtMs,
      endMs: arrivedAtMs + ms,
      attributes: attributesOf(request),
      isError: answer.status >= 500,
    };
    this.#options.exporter.add([whole, ...below]);
  }

  /** A span, and those of its parts below it. */
  #spansOf({ parts = [], ...span }: TimedSpan, trace: RequestTrace, parentId: string): Span[] {
    const { traceId, arrivedAtMs } = trace;
    const spanId = this.#newId(8);
    const whole: Span = {
      ...{ traceId, spanId, parentId, name: span.name, kind: "internal" },
      startMs: arrivedAtMs + span.startMs,
      endMs: arrivedAtMs + span.endMs,
      attributes: {},
    };
    return [whole, ...parts.flatMap((part) => this.#spansOf(part, trace, spanId))];
  }

  #newId(bytes: number): string {
    return Buffer.from(this.#random.bytes(bytes)).toString("hex");
  }
}

/** By OpenTelemetry's conventions for HTTP where it has names; nothing here is a document's. */
function attributesOf({ requestId, method, path, outcome }: TracedRequest): Span["attributes"] {
  const { answer, namespace, operation } = outcome;
  return {
    "http.request.method": method,
    "url.path": clip(path, PATH_CHARACTERS_MAX),
    "http.response.status_code": answer.status,
    "trawl.operation": operation,
    "trawl.namespace": namespace,
    "trawl.request_id": requestId,
    ...queryAttributes(answer),
  };
}

function queryAttributes({ times }: HttpAnswer): Span["attributes"] {
  if (times === undefined) return {};
  const { shape, plan, segments, documents, work = {}, reads } = times.details ?? {};
  const operators = Object.entries(times.operatorsUs ?? {}).map(([name, us]) => {
    return [`trawl.operator.${name}_us`, us];
  });
  const counts = Object.entries(work).map(([name, count]) => [`trawl.work.${snake(name)}`, count]);
  return {
    "trawl.query.kind": times.kind,
    "trawl.query.shape": shape,
    "trawl.query.plan": plan,
    "trawl.segments": segments,
    "trawl.documents": documents,
    ...(Object.fromEntries([...operators, ...counts]) as Record<string, number>),
    "trawl.reads.rounds": reads?.rounds,
    "trawl.reads.loaded_bytes": reads?.loadedBytes,
    "trawl.reads.store_bytes": reads?.storeBytes,
  };
}

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** What became of spans; none where nothing is traced. */
export function traceMetrics(stats: ExporterStats | undefined): EngineMetric[] {
  if (stats === undefined) return [];
  const counter = (name: string, help: string, value: number): EngineMetric => {
    return { name: `trawl_trace_${name}_total`, help, kind: "counter", value };
  };
  return [
    counter("spans_exported", "Spans that the collector has taken.", stats.exported),
    counter("spans_dropped", "Spans that found no room, or were not taken.", stats.dropped),
    counter("export_failures", "Requests to the collector that failed.", stats.failures),
  ];
}
