import { expect, test } from "vitest";
import { jsonAnswer } from "../../../test/support/servers/fake-engine.ts";
import { seededRandom } from "../../base/random.ts";
import { noPhases } from "../../model/request-stats.ts";
import type { Span } from "../../trace/span.ts";
import { RequestTracing, traceMetrics } from "./request-tracing.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";

function tracingAt(sampleRate: number) {
  const spans: Span[] = [];
  const stats = { exported: 0, dropped: 0, failures: 0 };
  const exporter = { add: (added: readonly Span[]) => void spans.push(...added), stats };
  const clock = { nowMs: () => 1000 };
  const tracing = new RequestTracing({ exporter, sampleRate }, clock, seededRandom(41));
  return { tracing, spans };
}

test("a client that has decided is followed, others are sampled", () => {
  const never = tracingAt(0).tracing;
  const always = tracingAt(1).tracing;
  const sampled = `00-${TRACE}-${PARENT}-01`;
  expect(never.begin(sampled)).toMatchObject({ traceId: TRACE, parentId: PARENT });
  expect(always.begin(`00-${TRACE}-${PARENT}-00`)).toBeUndefined();
  for (const header of [undefined, "nonsense", ["a", "b"]]) {
    expect(never.begin(header)).toBeUndefined();
    const own = always.begin(header);
    expect(own).toMatchObject({ parentId: undefined, arrivedAtMs: 1000 });
    expect(own?.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(own?.spanId).toMatch(/^[0-9a-f]{16}$/);
  }
  const some = tracingAt(0.25).tracing;
  const count = Array.from({ length: 1000 }, () => some.begin(undefined)).filter(Boolean).length;
  expect(Math.abs(count - 250)).toBeLessThan(60);
});

test("the request's span is below its client's, and what threads did below that", () => {
  const { tracing, spans } = tracingAt(0);
  const trace = tracing.begin(`00-${TRACE}-${PARENT}-01`);
  if (trace === undefined) throw new Error("it is sampled");
  const details = {
    phases: noPhases(),
    shape: "rank_by id asc; limit 1",
    plan: "documents(order(id))",
    documents: 5,
    segments: 2,
    work: { documentsScanned: 5 },
    reads: { rounds: 1, loadedBytes: 10, storeBytes: 20 },
  };
  const operatorsUs = { filter: 0, vector_scan: 120 };
  const times = { workedMs: 1, waitedMs: 2, kind: "order", details, operatorsUs };
  const below = [{ name: "search", startMs: 1.5, endMs: 4 }];
  const answer = { ...jsonAnswer({}, 503), times, spans: below };
  const outcome = { answer, operation: "query", namespace: "a", bytesReceived: 1 };
  const request = { method: "POST", path: "/v2/namespaces/a/query", requestId: "r1" };
  tracing.end({ trace, outcome, ms: 6, ...request });
  const [server, search] = spans;
  expect(server).toEqual({
    traceId: TRACE,
    spanId: trace.spanId,
    parentId: PARENT,
    name: "query",
    kind: "server",
    startMs: 1000,
    endMs: 1006,
    attributes: {
      "http.request.method": "POST",
      "url.path": "/v2/namespaces/a/query",
      "http.response.status_code": 503,
      "trawl.operation": "query",
      "trawl.namespace": "a",
      "trawl.request_id": "r1",
      "trawl.query.kind": "order",
      "trawl.query.shape": details.shape,
      "trawl.query.plan": details.plan,
      "trawl.segments": 2,
      "trawl.documents": 5,
      "trawl.operator.filter_us": 0,
      "trawl.operator.vector_scan_us": 120,
      "trawl.work.documents_scanned": 5,
      "trawl.reads.rounds": 1,
      "trawl.reads.loaded_bytes": 10,
      "trawl.reads.store_bytes": 20,
    },
    isError: true,
  });
  expect(search).toMatchObject({ traceId: TRACE, parentId: trace.spanId, name: "search" });
  expect(search).toMatchObject({ kind: "internal", startMs: 1001.5, endMs: 1004 });
  expect(search.spanId).not.toBe(trace.spanId);
});

test("what the server asks itself for a request is below that one's span", () => {
  const { tracing } = tracingAt(1);
  const outer = tracing.begin(`00-${TRACE}-${PARENT}-01`);
  if (outer === undefined) throw new Error("it is sampled");
  const inner = tracing.beginBelow(outer);
  expect(inner).toMatchObject({ traceId: TRACE, parentId: outer.spanId, arrivedAtMs: 1000 });
  expect(inner.spanId).not.toBe(outer.spanId);
});

test("requests of nobody who is known have no spans", () => {
  const { tracing, spans } = tracingAt(1);
  const request = { method: "POST", path: "/v2/namespaces/a/query", requestId: "r1", ms: 1 };
  for (const status of [401, 403]) {
    const trace = tracing.begin(`00-${TRACE}-${PARENT}-01`);
    if (trace === undefined) throw new Error("it is sampled");
    const outcome = { answer: jsonAnswer({}, status), operation: "query", bytesReceived: 0 };
    tracing.end({ trace, outcome, ...request });
  }
  expect(spans.map(({ attributes }) => attributes["http.response.status_code"])).toEqual([403]);
});

test("there are no metrics of traces where nothing is traced", () => {
  expect(traceMetrics(undefined)).toEqual([]);
  const metrics = traceMetrics({ exported: 1, dropped: 2, failures: 3 });
  expect(metrics.map(({ name, value }) => [name, value])).toEqual([
    ["trawl_trace_spans_exported_total", 1],
    ["trawl_trace_spans_dropped_total", 2],
    ["trawl_trace_export_failures_total", 3],
  ]);
});
