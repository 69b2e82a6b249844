import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { InstantClock } from "../../test/support/clocks/instant-clock.ts";
import type { Clock } from "../base/clock.ts";
import { DatabaseError } from "../base/errors.ts";
import { HttpRerankProvider } from "./http-rerank-provider.ts";

interface SentBody {
  readonly model: string;
  readonly query: string;
  readonly documents: string[];
  readonly top_n: number;
}

type Handler = (body: SentBody, response: ServerResponse, request: IncomingMessage) => void;

/** What the next requests are answered with; the last one stays. */
let handlers: Handler[] = [];
let bodies: SentBody[] = [];
let server: ReturnType<typeof createServer>;
let url: string;

beforeEach(async () => {
  handlers = [];
  bodies = [];
  server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as SentBody;
    bodies.push(body);
    const handler = handlers.length > 1 ? handlers.shift() : handlers[0];
    handler?.(body, response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2/`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** A clock whose short waits take no time; a request's timeout never comes. */
class HastyClock extends InstantClock {
  override async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms < 10_000) return;
    await new Promise((_resolve, reject) => signal?.addEventListener("abort", reject));
  }
}

function rerank(documents: readonly string[], query = "q", clock: Clock = new HastyClock()) {
  const provider = new HttpRerankProvider({ url, apiKey: "secret", models: ["m"], clock });
  return provider.rerank({ model: "m", query, documents });
}

function answer(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

/** Scores that say how long each text was, best first as services send them. */
const lengths: Handler = ({ documents }, response) => {
  const results = documents
    .map(({ length }, index) => ({ index, relevance_score: length / 2 - 1 }))
    .sort((a, b) => b.relevance_score - a.relevance_score);
  answer(response, 200, { id: "x", results, meta: {} });
};

async function faultOf(promise: Promise<unknown>): Promise<DatabaseError> {
  const error = await promise.then(
    () => new Error("nothing was thrown"),
    (reason) => reason,
  );
  if (error instanceof DatabaseError) return error;
  throw error;
}

test("documents get their scores in their order", async () => {
  let sent: (string | undefined)[] = [];
  handlers = [
    (body, response, request) => {
      sent = [request.url, request.headers.authorization];
      lengths(body, response, request);
    },
  ];
  expect(await rerank(["a", "four", "bc"])).toEqual([-0.5, 1, 0]);
  expect(sent).toEqual(["/v2/rerank", "Bearer secret"]);
  expect(bodies).toEqual([
    { model: "m", query: "q", documents: ["a", "four", "bc"], top_n: 3, return_documents: false },
  ]);
});

test("many documents, and long ones, go in several requests", async () => {
  handlers = [lengths];
  const many = Array.from({ length: 250 }, (_, i) => "x".repeat(i + 1));
  expect(await rerank(many)).toEqual(many.map(({ length }) => length / 2 - 1));
  expect(bodies.map(({ documents }) => documents.length)).toEqual([100, 100, 50]);
  bodies = [];
  await rerank(Array.from({ length: 40 }, () => "x".repeat(32_768)));
  expect(bodies.map(({ documents }) => documents.length)).toEqual([32, 8]);
  expect(bodies[0].top_n).toBe(32);
});

test("texts that are too long for the model are cut until it takes them", async () => {
  handlers = [
    (body, response, request) => {
      const longest = Math.max(...body.documents.map((text) => text.length));
      if (longest <= 10_000) lengths(body, response, request);
      else answer(response, 400, { error: { message: "input is too long" } });
    },
  ];
  expect(await rerank(["x".repeat(100_000), "four"])).toEqual([8192 / 2 - 1, 1]);
});

test("faults that may pass are tried again, a few times", async () => {
  const busy: Handler = (_body, response) => answer(response, 503, "busy");
  handlers = [busy, (_body, response) => response.destroy(), lengths];
  expect(await rerank(["a"])).toEqual([-0.5]);
  expect(bodies).toHaveLength(3);
  handlers = [busy];
  const fault = await faultOf(rerank(["a"]));
  expect([fault.code, fault.message]).toEqual([
    "unavailable",
    "reranking service answers 503: busy",
  ]);
  expect(bodies).toHaveLength(6);
});

const items = (...results: unknown[]): Handler => {
  return (_body, response) => answer(response, 200, { results });
};

test.each<[string, Handler, string, string]>([
  [
    "an overloaded service",
    (_body, response) => answer(response, 429, "slow down", { "retry-after": "2" }),
    "overloaded",
    "slow down",
  ],
  [
    "a refused key",
    (_body, response) => answer(response, 401, { error: "bad key" }),
    "unavailable",
    "refuses this server's key (401): bad key",
  ],
  [
    "a refused model",
    (_body, response) => answer(response, 404, { error: "no such model" }),
    "invalid",
    '💔 reranking with model "m" failed (404): no such model',
  ],
  ["no JSON", (_body, response) => answer(response, 200, "hello"), "unavailable", "no JSON"],
  ["no object", (_body, response) => answer(response, 200, "3"), "unavailable", "no object"],
  ["no results", (_body, response) => answer(response, 200, {}), "unavailable", "no array"],
  ["too few results", items(), "unavailable", "2 documents gave 0 results"],
  ["a result that is none", items(1, 2), "unavailable", "is no object"],
  [
    "a score that is none",
    items({ index: 0, relevance_score: "1" }, { index: 1 }),
    "unavailable",
    "`relevance_score` is no number",
  ],
  [
    "an index twice",
    items({ index: 0, relevance_score: 1 }, { index: 0, relevance_score: 1 }),
    "unavailable",
    "index 1 is missing",
  ],
  [
    "an index beyond the documents",
    items({ index: 0, relevance_score: 1 }, { index: 2, relevance_score: 1 }),
    "unavailable",
    "index 1 is missing",
  ],
])("%s is reported", async (_name, handler, code, text) => {
  handlers = [handler];
  const fault = await faultOf(rerank(["a", "b"]));
  expect([fault.code, fault.message]).toEqual([code, expect.stringContaining(text)]);
});

test("a service that does not answer in time is given up", async () => {
  handlers = [() => undefined];
  const fault = await faultOf(rerank(["a"], "q", new InstantClock()));
  expect(fault.message).toContain("reranking service does not answer within");
});
