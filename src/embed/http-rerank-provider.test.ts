import { expect, test } from "vitest";
import { InstantClock } from "../../test/support/clocks/instant-clock.ts";
import { answerJson, type JsonHandler } from "../../test/support/servers/json-service.ts";
import { faultOf, scriptedService } from "../../test/support/servers/scripted-service.ts";
import type { Clock } from "../base/clock.ts";
import { HttpRerankProvider } from "./http-rerank-provider.ts";

interface SentBody {
  readonly model: string;
  readonly query: string;
  readonly documents: string[];
  readonly top_n: number;
}

type Handler = JsonHandler<SentBody>;

const service = scriptedService<SentBody>();

/** A clock whose short waits take no time; a request's timeout never comes. */
class HastyClock extends InstantClock {
  override async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms < 10_000) return;
    await new Promise((_resolve, reject) => signal?.addEventListener("abort", reject));
  }
}

function rerank(documents: readonly string[], query = "q", clock: Clock = new HastyClock()) {
  const url = `${service.url}/v2/`;
  const provider = new HttpRerankProvider({ url, apiKey: "secret", models: ["m"], clock });
  return provider.rerank({ model: "m", query, documents });
}

/** Scores that say how long each text was, best first as services send them. */
const lengths: Handler = ({ documents }, response) => {
  const results = documents
    .map(({ length }, index) => ({ index, relevance_score: length / 2 - 1 }))
    .sort((a, b) => b.relevance_score - a.relevance_score);
  answerJson(response, 200, { id: "x", results, meta: {} });
};

test("documents get their scores in their order", async () => {
  let sent: (string | undefined)[] = [];
  service.handlers = [
    (body, response, request) => {
      sent = [request.url, request.headers.authorization];
      lengths(body, response, request);
    },
  ];
  expect(await rerank(["a", "four", "bc"])).toEqual([-0.5, 1, 0]);
  expect(sent).toEqual(["/v2/rerank", "Bearer secret"]);
  expect(service.bodies).toEqual([
    { model: "m", query: "q", documents: ["a", "four", "bc"], top_n: 3, return_documents: false },
  ]);
});

test("many documents, and long ones, go in several requests", async () => {
  service.handlers = [lengths];
  const many = Array.from({ length: 250 }, (_, i) => "x".repeat(i + 1));
  expect(await rerank(many)).toEqual(many.map(({ length }) => length / 2 - 1));
  expect(service.bodies.map(({ documents }) => documents.length)).toEqual([100, 100, 50]);
  service.bodies = [];
  await rerank(Array.from({ length: 40 }, () => "x".repeat(32_768)));
  expect(service.bodies.map(({ documents }) => documents.length)).toEqual([32, 8]);
  expect(service.bodies[0].top_n).toBe(32);
});

test("texts that are too long for the model are cut until it takes them", async () => {
  service.handlers = [
    (body, response, request) => {
      const longest = Math.max(...body.documents.map((text) => text.length));
      if (longest <= 10_000) lengths(body, response, request);
      else answerJson(response, 400, { error: { message: "input is too long" } });
    },
  ];
  expect(await rerank(["x".repeat(100_000), "four"])).toEqual([8192 / 2 - 1, 1]);
});

test("faults that may pass are tried again, a few times", async () => {
  const busy: Handler = (_body, response) => answerJson(response, 503, "busy");
  service.handlers = [busy, (_body, response) => response.destroy(), lengths];
  expect(await rerank(["a"])).toEqual([-0.5]);
  expect(service.bodies).toHaveLength(3);
  service.handlers = [busy];
  const fault = await faultOf(rerank(["a"]));
  expect([fault.code, fault.message]).toEqual([
    "unavailable",
    "reranking service answers 503: busy",
  ]);
  expect(service.bodies).toHaveLength(6);
});

const items = (...results: unknown[]): Handler => {
  return (_body, response) => answerJson(response, 200, { results });
};

test.each<[string, Handler, string, string]>([
  [
    "an overloaded service",
    (_body, response) => answerJson(response, 429, "slow down", { "retry-after": "2" }),
    "overloaded",
    "slow down",
  ],
  [
    "a refused key",
    (_body, response) => answerJson(response, 401, { error: "bad key" }),
    "unavailable",
    "refuses this server's key (401): bad key",
  ],
  [
    "a refused model",
    (_body, response) => answerJson(response, 404, { error: "no such model" }),
    "invalid",
    '💔 reranking with model "m" failed (404): no such model',
  ],
  ["no JSON", (_body, response) => answerJson(response, 200, "hello"), "unavailable", "no JSON"],
  ["no object", (_body, response) => answerJson(response, 200, "3"), "unavailable", "no object"],
  ["no results", (_body, response) => answerJson(response, 200, {}), "unavailable", "no array"],
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
  service.handlers = [handler];
  const fault = await faultOf(rerank(["a", "b"]));
  expect([fault.code, fault.message]).toEqual([code, expect.stringContaining(text)]);
});

test("a service that does not answer in time is given up", async () => {
  service.handlers = [() => undefined];
  const fault = await faultOf(rerank(["a"], "q", new InstantClock()));
  expect(fault.message).toContain("reranking service does not answer within");
});
