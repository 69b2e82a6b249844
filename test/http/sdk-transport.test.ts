/** What the official client does with URLs, compression, errors and retries, against the server. */

import { Turbopuffer } from "@turbopuffer/turbopuffer";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { errorAnswer } from "../../src/api/error-answer.ts";
import { invalid } from "../../src/base/errors.ts";
import { jsonAnswer } from "../support/servers/fake-engine.ts";
import { httpFixture } from "../support/servers/http-fixture.ts";

const { engine, server, tick } = httpFixture({ apiKey: "tpuf_key" });
let url = "";

beforeAll(async () => {
  url = await server.listen();
});

afterAll(async () => {
  let closed = false;
  const closing = server.close().finally(() => {
    closed = true;
  });
  while (!closed) {
    tick(1);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await closing;
});

beforeEach(() => {
  engine.seen.length = 0;
});

test("the region placeholder of a base URL may become a path segment", async () => {
  const client = new Turbopuffer({
    baseURL: `${url}/{region}`,
    region: "eu-1",
    apiKey: "tpuf_key",
  });
  engine.answer = () => jsonAnswer({ namespaces: [{ id: "a" }], next_cursor: null });
  const page = await client.namespaces({ prefix: "x", page_size: 7 });
  expect(page.namespaces).toEqual([{ id: "a" }]);
  expect(engine.seen[0]).toMatchObject({
    operation: "list_namespaces",
    apiVersion: "v1",
    respondAsync: true,
    isStrict: false,
    parameters: { prefix: "x", page_size: "7" },
  });
});

test.each([true, false])("bodies and answers travel with compression %s", async (compression) => {
  const client = new Turbopuffer({ baseURL: url, apiKey: "tpuf_key", compression });
  const text = "x".repeat(100_000);
  engine.answer = () => jsonAnswer({ rows: [{ id: 1, text }], billing: {}, performance: {} });
  await client.namespace("a").write({ upsert_rows: [{ id: 1, text }] });
  expect(engine.seen[0].bodyBytes).toBeGreaterThan(100_000);
  const { rows } = await client.namespace("a").query({ filters: ["text", "Eq", text], top_k: 1 });
  expect(rows?.[0].text).toBe(text);
});

test("an overloaded answer is retried after the time that it names", async () => {
  const client = new Turbopuffer({ baseURL: url, apiKey: "tpuf_key" });
  let refusals = 2;
  engine.answer = () => {
    if (refusals-- <= 0) return jsonAnswer({ status: "OK" });
    const { status, headers, body } = errorAnswer(invalid("later"));
    return { status: status + 29, headers: { ...headers, "retry-after-ms": "1" }, body };
  };
  await client.namespace("a").write({ deletes: [1] });
  expect(engine.seen).toHaveLength(3);
});

test("errors reach the user with their text", async () => {
  const client = new Turbopuffer({ baseURL: url, apiKey: "tpuf_key" });
  engine.answer = () => errorAnswer(invalid("💔 upsert_rows[3].id: must not be null"));
  const write = client.namespace("a").write({ upsert_rows: [] });
  await expect(write).rejects.toThrow("upsert_rows[3].id: must not be null");
  const wrong = new Turbopuffer({ baseURL: url, apiKey: "wrong" });
  await expect(wrong.namespace("a").schema()).rejects.toThrow("unknown API key");
});
