/** Slow queries, and clients that do not wait for them. */

import { beforeAll, expect, test, vi } from "vitest";
import { fileServer } from "../support/servers/file-server.ts";

const DOCUMENTS = 3000;
/** Threads tell their counts once a second, and later where others have the machine. */
const WAIT = { timeout: 60_000 };
const NAMESPACES = ["slow-a", "slow-b", "slow-c"];

const server = fileServer(() => ({
  arguments: ["--indexer", "off", "--query-threads", "2", "--query-timeout", "3"],
}));

beforeAll(async () => {
  for (const namespace of [...NAMESPACES, "small"]) {
    const count = namespace === "small" ? 10 : DOCUMENTS;
    const id = Array.from({ length: count }, (_, i) => i);
    // Each value is tested by itself.
    const text = id.map((i) => `document ${i} ${"of a long text ".repeat(60)}`);
    const schema = { text: { type: "string", fuzzy: true, filterable: true } };
    await server.post(`/v2/namespaces/${namespace}`, { schema, upsert_columns: { id, text } });
  }
}, 60_000);

async function post(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  const request = { method: "POST", body: JSON.stringify(body), ...(signal && { signal }) };
  return fetch(server.url + path, request);
}

const byId = { rank_by: ["id", "asc"], limit: 1 };
/** Takes many seconds: hundreds of fuzzy searches in every text, each of which has a part of it. */
const EDITS = { max_edit_distance: [{ min_query_chars: 9, distance: 2 }] };
const SLOW = {
  queries: Array.from({ length: 16 }, (_, i) => {
    const parts = Array.from({ length: 40 }, (_, k) => [
      "text",
      "Fuzzy",
      `of a long text, nowhere to be found ${i} ${k}`,
      EDITS,
    ]);
    return { ...byId, filters: ["Or", parts] };
  }),
};

const slow = (namespace: string, signal?: AbortSignal) =>
  post(`/v2/namespaces/${namespace}/query`, SLOW, signal);

/** By name, all threads together. */
async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const values = text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "gm"));
  return [...values].reduce((sum, [, value]) => sum + Number(value), 0);
}

test("a lookup is answered beside slow queries on all threads, which end in time", async () => {
  // Each takes all slots of its namespace.
  const running = NAMESPACES.map((namespace) => slow(namespace));
  await vi.waitFor(async () => expect(await metric("trawl_queries_running")).toBe(3), WAIT);
  const lookup = await post("/v2/namespaces/small/query", byId);
  expect(await metric("trawl_queries_running")).toBe(3);
  expect(lookup.status).toBe(200);
  const { performance } = (await lookup.json()) as { performance: Record<string, number> };
  expect(performance.query_execution_ms).toBeLessThanOrEqual(performance.server_total_ms);
  for (const answer of await Promise.all(running)) {
    expect(answer.status).toBe(408);
    const { error } = (await answer.json()) as { error: string };
    expect(error).toMatch(/longer than 3000 ms \(--query-timeout\).* of them at: Filter: any of/);
  }
});

test("nobody's query runs: a client that leaves ends it", async () => {
  const endedBefore = await metric("trawl_queries_cancelled_total");
  const client = new AbortController();
  const running = NAMESPACES.map((namespace) => slow(namespace, client.signal));
  for (const answer of running) answer.catch(() => {});
  await vi.waitFor(async () => expect(await metric("trawl_queries_running")).toBe(3), WAIT);
  client.abort();
  await vi.waitFor(async () => {
    expect(await metric("trawl_queries_running")).toBe(0);
    expect(await metric("trawl_queries_unwanted")).toBe(0);
    expect(await metric("trawl_queries_cancelled_total")).toBe(endedBefore + 3);
  }, WAIT);
});
