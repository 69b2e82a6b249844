/** `POST /trawl/namespaces/:namespace/import`: documents as lines of JSON. */

import { request } from "node:http";
import { gzipSync } from "node:zlib";
import { describe, expect, inject, test } from "vitest";
import { nameOf, rawCall, testNamespaces } from "../support/servers/sdk-client.ts";

const namespace = testNamespaces("lines");

function send(name: string, body: string, { query = "", headers = {} } = {}) {
  const path = `/trawl/namespaces/${name}/import${query}`;
  return rawCall("POST", path, body, {
    headers: { "content-type": "application/x-ndjson", ...headers },
  });
}

async function ids(name: string): Promise<unknown[]> {
  const body = { rank_by: ["id", "asc"], top_k: 9_999 };
  const { json } = await rawCall("POST", `/v2/namespaces/${name}/query`, body);
  return json.rows.map(({ id }: { id: unknown }) => id);
}

describe("lines", () => {
  test("become documents, with a schema and a metric from the query string", async () => {
    const name = nameOf(namespace("schema"));
    const schema = encodeURIComponent('{"title":{"type":"string","full_text_search":true}}');
    const query = `?schema=${schema}&distance_metric=euclidean_squared`;
    const body = '{"id":1,"vector":[1,2],"title":"a fox"}\r\n\n{"id":2,"vector":[2,3],"title":"b"}';
    const { status, json } = await send(name, body, { query });
    expect(json).toEqual({
      status: "OK",
      message: "documents committed successfully",
      rows_affected: 2,
      rows_upserted: 2,
      batches: 1,
      billing: { billable_logical_bytes_written: expect.any(Number) },
      performance: { server_total_ms: expect.any(Number) },
    });
    expect(status).toBe(200);
    const found = await rawCall("POST", `/v2/namespaces/${name}/query`, {
      rank_by: ["title", "BM25", "fox"],
      top_k: 5,
    });
    expect(found.json.rows.map(({ id }: { id: number }) => id)).toEqual([1]);
  });

  test("in a body of several batches are all there", async () => {
    const name = nameOf(namespace("many"));
    const text = "x".repeat(2_000);
    const lines = Array.from({ length: 9_000 }, (_, id) => `{"id":${id},"t":"${text}"}\n`);
    const { json } = await send(name, lines.join(""));
    expect(json).toMatchObject({ rows_upserted: 9_000 });
    expect(json.batches).toBeGreaterThan(3);
    expect(await ids(name)).toEqual(lines.map((_, id) => id));
  });

  test("may be gzip, and keep 64-bit ids", async () => {
    const name = nameOf(namespace("gzip"));
    const path = `/trawl/namespaces/${name}/import`;
    const response = await fetch(inject("serverUrl") + path, {
      method: "POST",
      headers: { "content-encoding": "gzip" },
      body: gzipSync('{"id":18446744073709551615}\n'),
    });
    expect(response.status).toBe(200);
    const { text } = await rawCall("POST", `/v2/namespaces/${name}/query`, {
      rank_by: ["id", "asc"],
      top_k: 1,
    });
    expect(text).toContain('"id":18446744073709551615');
  });

  test("that came before the client left are committed by whole batches", async () => {
    const name = nameOf(namespace("left"));
    const text = "x".repeat(2_000);
    const line = (id: number) => `{"id":${id},"t":"${text}"}\n`;
    const url = `${inject("serverUrl")}/trawl/namespaces/${name}/import`;
    const upload = request(url, { method: "POST" });
    upload.on("error", () => {});
    const batch = Array.from({ length: 3_000 }, (_, id) => line(id)).join("");
    upload.write(batch);
    upload.write('{"id":99999,"t":"half a li');
    const exists = async () => {
      const { status } = await rawCall("GET", `/v1/namespaces/${name}/schema`);
      return status;
    };
    await expect.poll(exists, { timeout: 30_000 }).toBe(200);
    upload.destroy();
    const committed = await ids(name);
    expect(committed.length).toBeGreaterThan(1_000);
    expect(committed).toEqual(committed.map((_, id) => id));
    expect(committed).not.toContain(99999);
  });
});

describe("a bad line", () => {
  test("is named, with what was committed before it", async () => {
    const name = nameOf(namespace("bad"));
    const lines = Array.from({ length: 12_000 }, (_, id) => `{"id":${id},"n":${id}}`);
    lines[11_000] = '{"id":11000,"n":"x"}';
    const { status, json } = await send(name, lines.join("\n"));
    expect(status).toBe(400);
    expect(json).toEqual({
      status: "error",
      error: expect.stringMatching(
        /n.*; in line 11001 of the body; lines 1 to 10000 were committed \(10,000 rows\): go on behind them$/,
      ),
      line: 11_001,
      lines_committed: 10_000,
      rows_committed: 10_000,
    });
    expect((await ids(name)).length).toBe(9_999);
  });

  test.each([
    [
      '{"id":1}\n{"id":2',
      422,
      /its end at byte 8; in line 2 of the body; lines 1 to 1 were committed \(1 row\)/,
    ],
    [
      '[{"id":1}]',
      422,
      /expected a JSON object, got .* in line 1 of the body; nothing was committed/,
    ],
    ['{"id":1}],"deletes":[1', 422, /expected one object in a line/],
    ['{"n":1}\n', 422, /missing field `id`; .*in line 1 of the body/],
    ['{"id":1,"n":NaN}\n', 400, /finite numbers only.*in line 1 of the body/],
    ['{"id":1}\n{"id":1}\n', 400, /duplicate document IDs.*in lines 1 to 2 of the body/],
    ["", 400, /there are no lines; send one JSON object in each line/],
  ])("%s answers %d", async (body, status, message) => {
    const answer = await send(nameOf(namespace("line")), body);
    expect([answer.status, answer.json.error]).toEqual([status, expect.stringMatching(message)]);
  });

  test("query parameters that are none, or no JSON, are refused", async () => {
    const name = nameOf(namespace("parameters"));
    const unknown = await send(name, "{}", { query: "?schemas={}" });
    expect([unknown.status, unknown.json.error]).toEqual([
      400,
      '💔 unknown query parameter "schemas"; did you mean schema?',
    ]);
    const broken = await send(name, "{}", { query: "?schema={" });
    expect(broken.json.error).toMatch(/the query parameter schema is no JSON/);
  });
});

test("another method is told which is served", async () => {
  const { status, json } = await rawCall("GET", "/trawl/namespaces/a/import");
  expect([status, json.error]).toEqual([
    405,
    expect.stringMatching(/POST \/trawl\/namespaces\/:namespace\/import/),
  ]);
  const { json: missed } = await rawCall("POST", "/trawl/namespaces/a/imports", "{}");
  expect(missed.error).toMatch(/did you mean POST \/trawl\/namespaces\/:namespace\/import/);
});
