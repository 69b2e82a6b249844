/** Traces of a running server, as a collector has them. */

import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { callTool, connectMcp } from "../support/mcp/mcp-client.ts";
import { answerJson, type JsonService, startJsonService } from "../support/servers/json-service.ts";
import { rawCall } from "../support/servers/sdk-client.ts";
import { type ServerProcess, startServer } from "../support/servers/server-process.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: { key: string; value: { stringValue?: string; intValue?: string } }[];
}

interface Received {
  readonly resourceSpans: { scopeSpans: { spans: ReceivedSpan[] }[] }[];
}

const PARENT = "00f067aa0ba902b7";
/** Of what is stored and asked for. */
const LITERAL = "planted-literal";

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let collector: JsonService;
let server: ServerProcess;
const spans: ReceivedSpan[] = [];

beforeAll(async () => {
  directory = await temporaryDirectory();
  collector = await startJsonService<Received>((body, response, { url }) => {
    if (url === "/v1/traces") {
      spans.push(...body.resourceSpans.flatMap((of) => of.scopeSpans.flatMap((s) => s.spans)));
    }
    answerJson(response, 200, {});
  });
  server = await startServer({
    dataDir: directory.path,
    arguments: ["--query-threads", "1", "--indexer", "off", "--otlp-sample-rate", "0"],
    environment: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
  });
});

afterAll(async () => {
  await server?.stop();
  await collector?.close();
  await directory.remove();
});

async function call(path: string, body: unknown, headers: Record<string, string>) {
  const answer = await rawCall("POST", path, body, { url: server.url, headers });
  expect(answer.status, answer.text).toBe(200);
  return answer;
}

/** The spans of a trace, once the request's own is there. */
function traced(traceId: string): Promise<{ whole: ReceivedSpan; below: ReceivedSpan[] }> {
  return vi.waitFor(() => {
    const all = spans.filter((span) => span.traceId === traceId);
    const whole = all.find(({ parentSpanId }) => parentSpanId === PARENT);
    if (whole === undefined) throw new Error(`no span of ${traceId} yet`);
    return { whole, below: all.filter((span) => span !== whole) };
  }, 20_000);
}

const sampled = (traceId: string) => ({ traceparent: `00-${traceId}-${PARENT}-01` });
const attributesOf = ({ attributes }: ReceivedSpan) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]),
  );

test("a write and a query are in their clients' traces, with what was done for them", async () => {
  const [writing, querying] = ["a".repeat(32), "b".repeat(32)];
  const rows = Array.from({ length: 2000 }, (_, id) => ({ id, title: `${LITERAL} ${id}` }));
  const schema = { title: { type: "string", full_text_search: true } };
  const headers = { "x-request-id": "w-1", ...sampled(writing) };
  const write = await call("/v2/namespaces/books", { upsert_rows: rows, schema }, headers);
  expect(write.headers.get("x-request-id")).toBe("w-1");
  const query = { rank_by: ["title", "BM25", LITERAL], limit: 1000, include_attributes: true };
  await call("/v2/namespaces/books/query", query, { "x-request-id": "q-1", ...sampled(querying) });

  const write_ = await traced(writing);
  expect(attributesOf(write_.whole)).toMatchObject({
    "http.request.method": "POST",
    "http.response.status_code": "200",
    "url.path": "/v2/namespaces/books",
    "trawl.operation": "write",
    "trawl.namespace": "books",
    "trawl.request_id": "w-1",
  });
  expect(write_.below.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["open", "parse", "bind", "commit"]),
  );
  const query_ = await traced(querying);
  expect(attributesOf(query_.whole)).toMatchObject({
    "trawl.query.kind": "text",
    "trawl.query.shape": "rank_by title BM25 <string>; limit 1000; include_attributes true",
    "trawl.work.documents_scanned": "2000",
    "trawl.operator.score_us": expect.stringMatching(/^[1-9]\d*$/),
    "trawl.operator.return_us": expect.stringMatching(/^[1-9]\d*$/),
    "trawl.request_id": "q-1",
  });
  expect(query_.below.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["queue", "parse", "search", "serialize"]),
  );
  const searching = query_.below.filter(({ name }) => name === "search");
  const ranking = query_.below.find(({ name }) => name === "score");
  expect(searching.map(({ spanId }) => spanId)).toContain(ranking?.parentSpanId);
  for (const { whole, below } of [write_, query_]) {
    const parents = [whole, ...below].map(({ spanId }) => spanId);
    for (const span of below) {
      expect(parents).toContain(span.parentSpanId);
      expect(BigInt(span.endTimeUnixNano)).toBeGreaterThan(BigInt(span.startTimeUnixNano));
    }
  }
  expect(JSON.stringify(spans)).not.toContain(LITERAL);
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  expect(metrics).toMatch(/^trawl_trace_spans_exported_total [1-9]/m);
});

test("who does not sample is not traced, nor who is not drawn", async () => {
  const [unsampled, last] = ["c".repeat(32), "d".repeat(32)];
  const query = { rank_by: ["id", "asc"], limit: 1 };
  const path = "/v2/namespaces/books/query";
  await call(path, query, { traceparent: `00-${unsampled}-${PARENT}-00` });
  await call(path, query, {});
  const before = spans.length;
  await call(path, query, sampled(last));
  await traced(last);
  expect(spans.slice(before).every(({ traceId }) => traceId === last)).toBe(true);
  expect(spans.some(({ traceId }) => traceId === unsampled)).toBe(false);
});

test("an assistant's message has a span, and below it what its tools ask for", async () => {
  const asking = "e".repeat(32);
  const client = await connectMcp(server.url, { headers: sampled(asking) });
  const query = { rank_by: ["title", "BM25", LITERAL], top_k: 1 };
  const { isError, text } = await callTool(client, "query", { namespace: "books", ...query });
  expect(isError, text).toBe(false);
  await client.close();
  const found = await vi.waitFor(() => {
    const all = spans.filter(({ traceId }) => traceId === asking);
    const query = all.find(({ name }) => name === "query");
    const message = all.find(({ spanId }) => spanId === query?.parentSpanId);
    if (query === undefined || message === undefined) throw new Error("no spans yet");
    return { query, message, below: all.filter((span) => span.parentSpanId === query.spanId) };
  }, 20_000);
  expect(found.message).toMatchObject({ name: "mcp", parentSpanId: PARENT });
  expect(attributesOf(found.message)).toMatchObject({ "url.path": "/mcp" });
  expect(attributesOf(found.query)).toMatchObject({
    "url.path": "/v2/namespaces/books/query",
    "trawl.query.kind": "text",
    "trawl.operator.score_us": expect.stringMatching(/^\d+$/),
  });
  expect(found.below.map(({ name }) => name)).toEqual(expect.arrayContaining(["search"]));
  expect(BigInt(found.query.startTimeUnixNano)).toBeGreaterThanOrEqual(
    BigInt(found.message.startTimeUnixNano),
  );
  expect(JSON.stringify(spans)).not.toContain(LITERAL);
});

test("nobody waits for a collector that does not answer, but a stop for two seconds", async () => {
  const deaf = await startJsonService(() => {});
  const other = await temporaryDirectory();
  const traced = await startServer({
    dataDir: other.path,
    arguments: ["--query-threads", "1", "--indexer", "off", "--otlp-endpoint", deaf.url],
  });
  try {
    for (let i = 0; i < 50; i++) {
      const rows = { upsert_rows: [{ id: i }] };
      const answer = await rawCall("POST", "/v2/namespaces/n", rows, { url: traced.url });
      expect(answer.status).toBe(200);
    }
    await traced.stop();
    expect(traced.output()).toContain("stopped");
  } finally {
    await traced.kill();
    await deaf.close();
    await other.remove();
  }
});
