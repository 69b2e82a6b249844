import { expect, test } from "vitest";
import { jsonAnswer } from "../../../test/support/servers/fake-engine.ts";
import { httpFixture } from "../../../test/support/servers/http-fixture.ts";
import { RecentSlowRequests } from "./recent-slow-requests.ts";
import type { RequestEnd } from "./request-log.ts";

function endOf(id: string): RequestEnd {
  const answer = jsonAnswer({ error: "the word is secret" }, 400);
  const outcome = { answer, operation: "write", bytesReceived: 1 };
  const request = { id, method: "POST", path: "/v2/namespaces/a" };
  return { request, outcome, ms: 2000, slow: { unloggedCount: 0 } };
}

test("the newest come first, the oldest are forgotten, and no message is kept", () => {
  let nowMs = Date.UTC(2026, 0, 31);
  const recent = new RecentSlowRequests({ nowMs: () => nowMs });
  for (let i = 0; i < 250; i++) {
    recent.add(endOf(String(i)));
    nowMs += 1000;
  }
  const kept = recent.list();
  expect(kept).toHaveLength(200);
  expect(kept[0]).toEqual({
    time: "2026-01-31T00:04:09.000Z",
    request: "249",
    method: "POST",
    path: "/v2/namespaces/a",
    operation: "write",
    status: 400,
    ms: 2000,
    bytesIn: 1,
    bytesOut: expect.any(Number),
    message: "slow request",
  });
  expect(kept.at(-1)).toMatchObject({ request: "50" });
  expect(JSON.stringify(kept)).not.toContain("secret");
});

test("a server tells of them who has all rights, and of nothing that was quick", async () => {
  const listOf = async (slowRequestMs: number, key: string, actions = ["admin"]) => {
    const { server, keys } = httpFixture({ apiKey: "tpuf_root", slowRequestMs });
    await keys.open();
    const ask = (url: string, by: string, payload?: object) => {
      const headers = { authorization: `Bearer ${by}` };
      const method = payload === undefined ? "GET" : "POST";
      return server.app.inject({ method, url, headers, ...(payload && { payload }) });
    };
    const body = { name: "other", actions, namespaces: ["*"] };
    const made = (await ask("/trawl/keys", "tpuf_root", body)).json().key as string;
    await ask("/v2/namespaces/books/query", "tpuf_root", {});
    return ask("/trawl/slow-queries", key === "other" ? made : key);
  };
  const answer = await listOf(1e-9, "tpuf_root");
  expect(answer.statusCode).toBe(200);
  expect(answer.headers["cache-control"]).toBe("no-store");
  const { slow_queries: slow, ...rules } = answer.json();
  expect(rules).toEqual({ slow_query_ms: 1e-9, slow_query_sample: expect.any(Number) });
  expect(slow[0]).toMatchObject({ operation: "query", namespace: "books", status: 200 });
  expect((await listOf(1e9, "other")).json().slow_queries).toEqual([]);
  const refused = await listOf(1e-9, "other", ["read", "list"]);
  expect([refused.statusCode, refused.json().error]).toEqual([
    403,
    expect.stringContaining("lacks the action `admin`, which is needed to see slow queries"),
  ]);
});

test("who has no key takes no place among them, however slowly answers are read", async () => {
  const { server, lines } = httpFixture({ apiKey: "tpuf_root", slowRequestMs: 1e-9 });
  for (const url of ["/healthz", "/openapi.json", "/v1/namespaces", "/metrics", "/nowhere"]) {
    await server.app.inject({ url });
  }
  const headers = { authorization: "Bearer tpuf_root" };
  const answer = await server.app.inject({ url: "/trawl/slow-queries", headers });
  expect(answer.json().slow_queries).toEqual([]);
  expect(lines.filter(({ message }) => message === "slow request")).toHaveLength(1);
});
