/** Reranking by a service over HTTP; what needs none is in the tables of the contract. */

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { fileServer } from "../support/servers/file-server.ts";
import { type RerankServer, startRerankServer } from "../support/servers/rerank-server.ts";
import { expectFault, idsOf, sdkClient, untyped } from "../support/servers/sdk-client.ts";
import { startServer } from "../support/servers/server-process.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

let service: RerankServer;
let ns: ReturnType<ReturnType<typeof sdkClient>["namespace"]>;

const server = fileServer(async () => {
  service = await startRerankServer();
  return {
    arguments: [
      ...["--query-threads", "1", "--reranker", "http", "--rerank-url", service.url],
      ...["--rerank-models", "small,maker/large", "--indexer", "off"],
    ],
    environment: { TRAWL_RERANK_API_KEY: "service-key" },
  };
});

beforeAll(async () => {
  ns = sdkClient({ baseURL: server.url, timeout: 20_000 }).namespace("service");
  await ns.write({
    distance_metric: "euclidean_squared",
    schema: { text: { type: "string", full_text_search: true } },
    upsert_rows: [
      { id: 1, vector: [0, 0], text: "one" },
      { id: 2, vector: [1, 0], text: "two fish and a fish" },
      { id: 3, vector: [2, 0], text: "a fish" },
      { id: 4, vector: [3, 0], text: "" },
      { id: 5, vector: [4, 0] },
    ],
  });
});

beforeEach(() => {
  service.mood = "working";
  service.calls.length = 0;
});

afterAll(() => service.close());

function nearest(rerank: object = {}) {
  return {
    rank_by: untyped<["vector", "ANN", number[]]>(["vector", "ANN", [0, 0]]),
    limit: 5,
    include_attributes: ["text"],
    rerank_by: { model: "maker/large", attribute: "text", query: "fish", ...rerank },
  };
}

test("a query's documents are ranked by the service", async () => {
  const answer = await ns.query(untyped(nearest()));
  expect(answer.rows).toEqual([
    { id: 2, $dist: 1, text: "two fish and a fish" },
    { id: 3, $dist: 0, text: "a fish" },
    { id: 1, $dist: -1, text: "one" },
    { id: 4, text: "" },
    { id: 5 },
  ]);
  expect(service.calls).toEqual([
    {
      model: "maker/large",
      query: "fish",
      documents: ["one", "two fish and a fish", "a fish"],
      authorization: "Bearer service-key",
    },
  ]);
});

test("a multi-query's are sent once, and the window is cut from their ranking", async () => {
  const { rerank_by, ...vector } = nearest();
  const text = {
    rank_by: untyped<["text", "BM25", string]>(["text", "BM25", "fish"]),
    limit: 5,
    include_attributes: ["text"],
  };
  const answer = await ns.multiQuery(
    untyped({ queries: [vector, text], rerank_by, limit: 2, offset: 1 }),
  );
  expect(answer.results).toHaveLength(1);
  expect(idsOf(answer.results[0])).toEqual([3, 1]);
  expect(service.calls.map(({ documents }) => documents.length)).toEqual([3]);
});

test("documents without text ask no service", async () => {
  const query = { ...nearest(), filters: untyped<["id", "Gt", number]>(["id", "Gt", 3]) };
  expect(idsOf(await ns.query(untyped(query)))).toEqual([4, 5]);
  expect(service.calls).toEqual([]);
});

test("an unknown model asks no service, and the message lists those there are", async () => {
  const query = ns.query(untyped(nearest({ model: "maker/larger" })));
  await expectFault(query, 400, /small, maker\/large; the nearest is "maker\/large"/);
  expect(service.calls).toEqual([]);
});

test("the service's faults are reported as its own", async () => {
  service.mood = "rate_limited";
  await expectFault(ns.query(untyped(nearest())), 429, "reranking service is overloaded");
  for (const mood of ["broken", "misshapen"] as const) {
    service.mood = mood;
    service.calls.length = 0;
    await expectFault(ns.query(untyped(nearest())), 503, "reranking service");
    // It was tried again before it was given up.
    expect([mood, service.calls.length]).toEqual([mood, 3]);
  }
});

test("without a reranker, the message says how to have one", async () => {
  const other = await temporaryDirectory();
  const flags = ["--query-threads", "1", "--indexer", "off"];
  const plain = await startServer({ dataDir: other.path, arguments: flags });
  try {
    const client = sdkClient({ baseURL: plain.url }).namespace("plain");
    await client.write({ upsert_rows: [{ id: 1, text: "a" }] });
    const query = { limit: 1, include_attributes: true, rerank_by: nearest().rerank_by };
    await expectFault(client.query(untyped(query)), 400, "--reranker http");
  } finally {
    await plain.stop();
    await other.remove();
  }
});
