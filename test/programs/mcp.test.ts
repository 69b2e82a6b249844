/** Assistants and the real server, over HTTP and over standard streams, of both revisions. */

import { readdir, readFile } from "node:fs/promises";
import type { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import {
  callTool,
  connectMcp,
  mcpClient,
  REVISIONS,
  type Revision,
} from "../support/mcp/mcp-client.ts";
import { BUILT_PROGRAM } from "../support/processes/built-program.ts";
import { runCli } from "../support/servers/run-cli.ts";
import { nameOf, rawCall, testNamespaces } from "../support/servers/sdk-client.ts";

const BUILT = new URL("../../dist/", import.meta.url);

const namespace = testNamespaces("mcp");
const BOOKS = nameOf(namespace("books"));

const clients: Client[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

async function overStdio(revision: Revision, words: readonly string[] = []): Promise<Client> {
  const client = mcpClient(revision);
  clients.push(client);
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [BUILT_PROGRAM, "mcp", ...words],
      env: { TURBOPUFFER_BASE_URL: inject("serverUrl") },
    }),
  );
  return client;
}

async function overHttp(revision: Revision): Promise<Client> {
  const client = await connectMcp(inject("serverUrl"), { revision });
  clients.push(client);
  return client;
}

beforeAll(async () => {
  const rows = Array.from({ length: 40 }, (_, i) => ({
    id: i,
    vector: Array.from({ length: 32 }, (_, j) => Math.sin(i * 32 + j)),
    title: i % 2 === 0 ? `A walrus at sea, volume ${i}` : `The quick fox, volume ${i}`,
    year: 1980 + i,
  }));
  await rawCall("POST", `/v2/namespaces/${BOOKS}`, {
    upsert_rows: rows,
    distance_metric: "cosine_distance",
    schema: { title: { type: "string", full_text_search: true } },
  });
});

const DOORS = [
  ["HTTP", overHttp],
  ["standard streams", overStdio],
] as const;

describe.each(DOORS)("over %s", (_door, connect) => {
  test.each(REVISIONS)(
    "revision %s: from the list of namespaces to an answer",
    async (revision) => {
      const client = await connect(revision);
      expect(client.getNegotiatedProtocolVersion()).toBe(revision);
      const listed = await callTool(client, "trawl_list_namespaces", { prefix: BOOKS });
      expect(JSON.parse(listed.text).namespaces).toEqual([{ id: BOOKS }]);
      const described = await callTool(client, "describe_namespace", { namespace: BOOKS });
      expect(JSON.parse(described.text)).toMatchObject({
        approx_row_count: 40,
        schema: { title: { type: "string", full_text_search: expect.anything() } },
      });
      const found = await callTool(client, "query", {
        namespace: BOOKS,
        rank_by: ["title", "BM25", "walrus"],
        filters: ["year", "Gte", 2010],
        top_k: 2,
      });
      expect(JSON.parse(found.text)).toEqual({
        rows: [
          {
            id: 30,
            title: expect.any(String),
            year: 2010,
            $dist: expect.any(Number),
            vector: VECTOR,
          },
          {
            id: 32,
            title: expect.any(String),
            year: 2012,
            $dist: expect.any(Number),
            vector: VECTOR,
          },
        ],
      });
      const counted = await callTool(client, "query", {
        namespace: BOOKS,
        aggregate_by: { books: ["Count"] },
      });
      expect(JSON.parse(counted.text)).toEqual({ aggregations: { books: 40 } });
      const merged = await callTool(client, "query", {
        namespace: BOOKS,
        queries: [
          { rank_by: ["title", "BM25", "walrus"], top_k: 5 },
          { rank_by: ["year", "desc"], top_k: 5 },
        ],
        rerank_by: ["RRF"],
        top_k: 3,
      });
      expect(JSON.parse(merged.text)).toEqual({ results: [{ rows: [ROW, ROW, ROW] }] });
      const explained = await callTool(client, "explain", {
        namespace: BOOKS,
        rank_by: ["title", "BM25", "walrus"],
        analyze: true,
      });
      expect(JSON.parse(explained.text)).toMatchObject({
        plan_text: expect.stringContaining("title"),
        analysis: expect.anything(),
      });
      const measured = await callTool(client, "recall", { namespace: BOOKS, num: 5 });
      expect(JSON.parse(measured.text).avg_recall).toBe(1);
      const docs = await callTool(client, "search_docs", { query: "checkpoint before a mistake" });
      expect(docs.text).toContain("[docs/backup.md]");
    },
  );

  test("errors are the server's, and say what to change", async () => {
    const client = await connect("2026-07-28");
    const ask = (given: object) => callTool(client, "query", { namespace: BOOKS, ...given });
    expect(await ask({ rank_by: ["titel", "BM25", "walrus"] })).toEqual({
      text: expect.stringMatching(/titel.*title/),
      isError: true,
    });
    expect(await ask({ filters: ["year", "GreaterThan", 3] })).toEqual({
      text: expect.stringContaining("expected one of Eq, NotEq"),
      isError: true,
    });
    const none = await callTool(client, "describe_namespace", { namespace: "mcp-none" });
    expect(none).toEqual({ text: expect.stringContaining("mcp-none"), isError: true });
  });
});

const ROW = { id: expect.any(Number), $dist: expect.any(Number) };
const VECTOR = expect.stringMatching(/^\[-?\d.*, … 32 numbers\]$/);

describe("trawl mcp", () => {
  test("changes data only with --mcp-writes", async () => {
    const name = nameOf(namespace("written"));
    const reader = await overStdio("2026-07-28");
    expect((await reader.listTools()).tools.map(({ name }) => name)).not.toContain("write");
    const client = await overStdio("2026-07-28", ["--mcp-writes"]);
    const named = { namespace: name, confirm: name };
    const written = await callTool(client, "write", {
      ...named,
      upsert_rows: '[{"id": 18446744073709551615, "title": "One"}]',
      schema: { title: { type: "string", full_text_search: true } },
    });
    expect([written.text, written.isError]).toEqual([
      expect.stringContaining('"rows_affected":1'),
      false,
    ]);
    const found = await callTool(client, "query", { namespace: name });
    expect(found.text).toBe('{"rows":[{"id":18446744073709551615,"title":"One"}]}');
    expect((await callTool(client, "delete_namespace", named)).isError).toBe(false);
    expect((await callTool(client, "query", { namespace: name })).isError).toBe(true);
  });

  test("a server that is not there is told to the model", async () => {
    const client = await overStdio("2025-11-25", ["--url", "http://127.0.0.1:9"]);
    expect(await callTool(client, "trawl_list_namespaces")).toEqual({
      text: expect.stringContaining("cannot reach http://127.0.0.1:9: nothing listens there"),
      isError: true,
    });
  });

  test("says what it is for where a person starts it", async () => {
    const { code, err } = await runCli(["mcp"], { inIsTerminal: true });
    expect([code, err]).toEqual([2, expect.stringContaining("an assistant starts this command")]);
  });

  test("ends with its input", async () => {
    const { code, err, out } = await runCli(["mcp"], { input: "" });
    expect([code, err, out]).toEqual([0, "", ""]);
  });
});

test("what is shipped of the official package needs no package", async () => {
  const chunks = await readdir(new URL("chunks/", BUILT));
  const name = chunks.find((chunk) => chunk.startsWith("protocol-package-"));
  const text = await readFile(new URL(`chunks/${name}`, BUILT), "utf8");
  const imported = [...text.matchAll(/\b(?:from|import)\s*\(?"([^"]+)"/g)].map(([, name]) => name);
  expect(imported.filter((name) => !name.startsWith("node:"))).toEqual([]);
  const licences = await readFile(new URL("bundled-licenses.md", BUILT), "utf8");
  for (const name of ["@modelcontextprotocol/server", "zod"]) expect(licences).toContain(name);
});
