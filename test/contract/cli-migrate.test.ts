/** `trawl migrate`, from small servers with the documented answers of other databases. */

import { readdir } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { EVERY_TYPE_ROWS, EVERY_TYPE_SCHEMA } from "../support/documents/every-type.ts";
import { runCli } from "../support/servers/run-cli.ts";
import { nameOf, rawCall, testNamespaces } from "../support/servers/sdk-client.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";
import {
  type AskedRequest,
  answerAs,
  chroma,
  type OtherDatabase,
  pinecone,
  qdrant,
} from "../support/transfer/other-databases.ts";

const namespace = testNamespaces("cli-migrate");
let database: OtherDatabase = qdrant;
let asked: AskedRequest[] = [];
/** After so many requests the other database is gone; for runs that are cut off. */
let requestsMax = Number.POSITIVE_INFINITY;
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let sourceUrl = "";

const other = createServer(async (request, response) => {
  let text = "";
  for await (const chunk of request) text += chunk;
  const { method = "", headers } = request;
  const url = new URL(request.url ?? "", "http://other");
  const seen = { method, url, headers, body: text === "" ? undefined : JSON.parse(text) };
  asked.push(seen);
  if (asked.length > requestsMax) {
    response.writeHead(500);
    response.end("the other database has a fault");
  } else answerAs(database, seen, response);
});

beforeAll(async () => {
  directory = await temporaryDirectory();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  sourceUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
});

afterAll(async () => {
  other.closeAllConnections();
  other.close();
  await directory.remove();
});

function migrate(from: string, to: string, ...words: string[]) {
  asked = [];
  const state = ["--state", join(directory.path, `${to}.migrate`)];
  const target = ["--namespace", to, "--url", inject("serverUrl")];
  return runCli(["migrate", sourceUrl, "--from", from, ...target, ...state, ...words]);
}

/** The namespace's documents as they are on the wire, and its metadata's schema. */
async function broughtTo(to: string) {
  const body = { rank_by: ["id", "asc"], limit: 100, include_attributes: true };
  const { text } = await rawCall("POST", `/v2/namespaces/${to}/query`, body);
  const { json } = await rawCall("GET", `/v2/namespaces/${to}/metadata`);
  return { text, schema: json.schema, rows: JSON.parse(text).rows };
}

describe("Qdrant", () => {
  test("points come with ids, named vectors and nested payloads", async () => {
    database = qdrant;
    const to = nameOf(namespace("qdrant"));
    const { code, json, err } = await migrate(
      "qdrant",
      to,
      ...["--source", "books", "--source-api-key", "secret", "--json"],
      ...["--schema", '{"price":"float"}'],
    );
    expect([code, err]).toEqual([0, ""]);
    expect(json).toEqual({ rows: 3, seconds: expect.any(Number) });
    const { text, schema, rows } = await broughtTo(to);
    expect(schema).toMatchObject({
      id: { type: "uint" },
      text: { type: "[2]f32", ann: { distance_metric: "cosine_distance" } },
      image: { type: "[3]f32" },
      words: { type: "{}f16" },
      price: { type: "float" },
      tags: { type: "[]string" },
      "author.born": { type: "int" },
    });
    expect(rows[0]).toEqual({
      id: 7,
      text: [0.1, 0.9],
      image: [1, 2, 3],
      words: { 1: 0.5, 5: 0.25 },
      title: "A walrus",
      price: 5,
      tags: ["sea", "ice"],
      "author.name": "Ann",
      "author.born": 1950,
    });
    expect(text).toContain('"id":9007199254740993,');
    expect(text).toContain('"id":18446744073709551615,');
    expect(rows[1]).toMatchObject({ price: 7.5, id_: "own", parts: '[{"a":1},{"b":2}]' });
    expect(asked.map(({ url }) => url.pathname)).toEqual([
      "/collections/books",
      ...Array(3).fill("/collections/books/points/scroll"),
    ]);
  });

  test("what it refuses is told as its own words", async () => {
    database = qdrant;
    const to = nameOf(namespace("refused"));
    const { code, err } = await migrate("qdrant", to, "--source", "books");
    expect(code).toBe(1);
    expect(err).toMatch(/collections\/books answers 404 \(.*there is no such thing.*qdrant says/);
    const gone = await runCli([
      ...["migrate", "http://127.0.0.1:1", "--from", "qdrant", "--namespace", to],
      ...["--url", inject("serverUrl"), "--state", join(directory.path, "gone")],
    ]);
    expect(gone.err).toContain(
      "cannot reach http://127.0.0.1:1: nothing listens there; look into the log of qdrant, and at",
    );
  });
});

describe("Chroma", () => {
  test("collections come with documents that can be searched", async () => {
    database = chroma;
    const to = nameOf(namespace("chroma"));
    const { code, out, err } = await migrate("chroma", to, "--source", "mine/all/books");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(new RegExp(`^brought 3 documents to ${to} in `));
    const { schema, rows } = await broughtTo(to);
    expect(schema).toMatchObject({
      vector: { type: "[2]f32", ann: { distance_metric: "euclidean_squared" } },
      document: { type: "string", full_text_search: { tokenizer: expect.any(String) } },
    });
    expect(rows).toEqual([
      { id: "a", vector: [0.1, 0.9], document: "A walrus at sea", year: 1999, document_: "other" },
      { id: "b", vector: [0.8, 0.2] },
      { id: "c", vector: [0.5, 0.5], document: "The quick fox", year: 2011, new: true },
    ]);
  });
});

describe("Pinecone", () => {
  test("vectors come with sparse values and metadata; an unknown metric must be said", async () => {
    database = pinecone;
    const to = nameOf(namespace("pinecone"));
    const unsaid = await migrate("pinecone", to, "--source", "books");
    expect([unsaid.code, unsaid.err]).toEqual([1, expect.stringContaining("--distance-metric")]);
    const metric = ["--distance-metric", "cosine_distance"];
    const { code, err } = await migrate("pinecone", to, "--source", "books", ...metric);
    expect([code, err]).toEqual([0, ""]);
    expect((await broughtTo(to)).rows).toEqual([
      {
        id: "769c134d-07b8-4225-954a-b6cc5ffc320c",
        vector: [0.1, 0.5],
        sparse: { 3: 0.5 },
        year: 1990,
      },
      { id: "doc1#1", vector: [0.1, 0.5], sparse: { 3: 0.5 }, year: 1990 },
      { id: "doc1#2", vector: [0.2, 0.5], year: 1991 },
    ]);
    const unknown = await migrate("pinecone", to, "--source", "boks", ...metric);
    expect(unknown.err).toContain('no namespace "boks"; it has "books", ""');
  });
});

describe("the same API", () => {
  test("every type comes over the same to the bit", async () => {
    const source = nameOf(namespace("types"));
    const schema = JSON.stringify(EVERY_TYPE_SCHEMA);
    const body =
      `{"upsert_rows":[${EVERY_TYPE_ROWS.join(",")}],"schema":${schema},` +
      '"distance_metric":"cosine_distance"}';
    expect((await rawCall("POST", `/v2/namespaces/${source}`, body)).status).toBe(200);
    const to = nameOf(namespace("types-again"));
    const url = inject("serverUrl");
    const { code, err } = await runCli([
      ...["migrate", url, "--from", "trawl", "--source", source, "--namespace", to],
      ...["--url", url, "--state", join(directory.path, "types")],
    ]);
    expect([code, err]).toEqual([0, ""]);
    const [before, after] = [await broughtTo(source), await broughtTo(to)];
    const rowsOf = (text: string) => text.slice(0, text.indexOf('],"billing"'));
    expect(rowsOf(after.text)).toBe(rowsOf(before.text));
    expect(after.schema).toEqual(before.schema);
  });
});

describe("a migration", () => {
  const words = ["--source", "books", "--source-api-key", "secret"];

  test("continues where it was cut off", async () => {
    database = qdrant;
    const to = nameOf(namespace("resumed"));
    requestsMax = 2;
    const cut = await migrate("qdrant", to, ...words, "--schema", '{"price":"float"}');
    expect([cut.code, cut.err]).toEqual([1, expect.stringContaining("has a fault")]);
    requestsMax = Number.POSITIVE_INFINITY;
    const otherSource = await migrate("qdrant", to, "--source", "boks");
    expect(otherSource.err).toContain("is of a migration with sourceName books instead of boks");
    const again = await migrate("qdrant", to, ...words, "--json");
    expect([again.code, again.json.rows]).toEqual([0, 3]);
    expect(again.err).toContain("going on after 1 document\n");
    expect(asked.filter(({ url }) => url.pathname.endsWith("scroll"))).toHaveLength(2);
    expect((await broughtTo(to)).rows).toHaveLength(3);
    expect(await readdir(directory.path)).toEqual([]);
  });

  test("can start again", async () => {
    database = qdrant;
    const to = nameOf(namespace("anew"));
    requestsMax = 2;
    await migrate("qdrant", to, ...words, "--schema", '{"price":"float"}');
    requestsMax = Number.POSITIVE_INFINITY;
    const { code } = await migrate(
      "qdrant",
      to,
      ...words,
      "--restart",
      "--schema",
      '{"price":"float"}',
    );
    expect(code).toBe(0);
    expect(asked.filter(({ url }) => url.pathname.endsWith("scroll"))).toHaveLength(3);
  });

  test.each([
    [["migrate", "http://x", "--from", "solr", "--namespace", "x"], "Allowed choices are qdrant"],
    [["migrate", "x:1", "--from", "qdrant", "--namespace", "x"], "the source's URL: x:1 is of"],
    [["migrate", "http://x", "--namespace", "x"], "required option '--from"],
    [
      ["migrate", "http://x", "--from", "qdrant", "--namespace", "x", "--schema", "[]"],
      "--schema must be an object",
    ],
  ])("%j is refused with code 2", async (line, said) => {
    const { code, err } = await runCli(line);
    expect(err).toContain(said);
    expect(code).toBe(2);
  });
});
