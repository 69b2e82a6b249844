/** Assistants over HTTP: the official client against the server, over an engine that records. */

import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  callTool,
  connectMcp,
  REVISIONS,
  type Revision,
} from "../../test/support/mcp/mcp-client.ts";
import { jsonAnswer } from "../../test/support/servers/fake-engine.ts";
import { type HttpChoices, httpFixture } from "../../test/support/servers/http-fixture.ts";
import { signToken } from "../access/query-token.ts";
import { RESULT_BYTES_MAX } from "../mcp/tools/shorten-answer.ts";

const ROOT = "tpuf_root";
const READING = [
  "trawl_list_namespaces",
  "describe_namespace",
  "query",
  "explain",
  "recall",
  "search_docs",
];

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function fixture(choices: HttpChoices = {}) {
  const http = httpFixture(choices);
  await http.keys.open();
  const url = await http.server.listen();
  closing.push(() => {
    const closed = http.server.close();
    http.wake();
    return closed;
  });
  const connect = async (options: { readonly revision?: Revision; readonly key?: string } = {}) => {
    const client = await connectMcp(url, options);
    closing.push(() => client.close());
    return client;
  };
  const create = async (actions: string[], namespaces = ["*"], rest = {}): Promise<string> => {
    const answer = await http.server.app.inject({
      method: "POST",
      url: "/trawl/keys",
      headers: { authorization: `Bearer ${ROOT}` },
      payload: JSON.stringify({ name: "test", actions, namespaces, ...rest }),
    });
    return answer.json().key;
  };
  /** A message that no client of good will sends. */
  const post = async (body: string | Uint8Array, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${url}/mcp`, {
      method: "POST",
      body,
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
    });
    return { status: answer.status, text: await answer.text(), headers: answer.headers };
  };
  return { ...http, url, connect, create, post };
}

describe.each(REVISIONS)("revision %s", (revision) => {
  test("lists tools that read, with their annotations and examples", async () => {
    const { connect } = await fixture({ mcp: "reading" });
    const client = await connect({ revision });
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    expect(client.getServerVersion()).toMatchObject({ name: "trawl", version: "0.0.0-test" });
    expect(client.getInstructions()).toContain("trawl_list_namespaces");
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(READING);
    for (const { annotations, inputSchema, title, description } of tools) {
      expect(annotations).toEqual({
        title,
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      });
      expect(description?.length).toBeGreaterThan(80);
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
      for (const property of Object.values(inputSchema.properties ?? {})) {
        expect(property).toMatchObject({ description: expect.any(String) });
      }
    }
  });

  test("a query is a request of its own, by the same key", async () => {
    const { connect, create, engine, lines } = await fixture({ apiKey: ROOT });
    const client = await connect({ revision, key: await create(["read"], ["books"]) });
    engine.answer = () => jsonAnswer({ rows: [{ id: 1, title: "A walrus" }], billing: {} });
    const given = { namespace: "books", rank_by: ["title", "BM25", "walrus"], top_k: 3 };
    const result = await callTool(client, "query", given);
    expect(result).toEqual({ text: '{"rows":[{"id":1,"title":"A walrus"}]}', isError: false });
    const [seen] = engine.seen;
    expect(seen).toMatchObject({
      operation: "query",
      namespace: "books",
      isStrict: true,
      apiVersion: "v2",
      scope: { visible: ["books"] },
    });
    expect(JSON.parse(seen.body ?? "")).toEqual({
      rank_by: ["title", "BM25", "walrus"],
      limit: 3,
      include_attributes: true,
    });
    const [inner, outer] = lines.slice(-2).map(({ facts }) => facts);
    expect(inner).toMatchObject({
      operation: "query",
      namespace: "books",
      path: "/v2/namespaces/books/query",
      status: 200,
    });
    expect(outer).toMatchObject({ operation: "mcp", path: "/mcp", status: 200 });
    expect(inner.request).toBe(outer.request);
  });

  test("what the server refuses is told in its words", async () => {
    const { connect, create } = await fixture({ apiKey: ROOT });
    const client = await connect({ revision, key: await create(["read"], ["books"]) });
    expect(await callTool(client, "query", { namespace: "films" })).toEqual({
      text: expect.stringMatching(/lacks the action `read` on namespace 'films'.*are books$/),
      isError: true,
    });
    expect(await callTool(client, "trawl_list_namespaces")).toEqual({
      text: expect.stringContaining("lacks the action `list`"),
      isError: true,
    });
  });
});

describe("who may what", () => {
  test("without a key, or with one that is unknown, there is no answer", async () => {
    const { post, connect } = await fixture({ apiKey: ROOT });
    const { status, headers } = await post("{}");
    expect([status, headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    await expect(connect({ key: "tpuf_wrong" })).rejects.toThrow();
  });

  test.each([
    [["read", "write"], true],
    [["admin"], true],
    [["read"], false],
  ])("a key with %j is offered tools that write: %j", async (actions, writes) => {
    const { connect, create } = await fixture({ apiKey: ROOT });
    const client = await connect({ key: await create(actions) });
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(writes ? [...READING, "write", "delete_namespace"] : READING);
  });

  test("without --mcp-writes no key is, and they cannot be called either", async () => {
    const { connect, engine } = await fixture({ apiKey: ROOT, mcp: "reading" });
    const client = await connect({ key: ROOT });
    expect((await client.listTools()).tools).toHaveLength(READING.length);
    const given = { namespace: "books", confirm: "books" };
    await expect(client.callTool({ name: "delete_namespace", arguments: given })).rejects.toThrow(
      "delete_namespace not found",
    );
    expect(engine.seen).toEqual([]);
  });

  test("tools that write say so", async () => {
    const client = await (await fixture()).connect();
    const { tools } = await client.listTools();
    for (const name of ["write", "delete_namespace"]) {
      expect(tools.find((tool) => tool.name === name)?.annotations).toMatchObject({
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: true,
      });
    }
  });

  test("a token queries under its filter, and nothing else", async () => {
    const { connect, create, engine, clock } = await fixture({ apiKey: ROOT });
    const key = await create(["read"], ["books"]);
    const filter = ["tenant", "Eq", 7];
    const token = signToken(key, {
      namespace: "books",
      filter: JSON.stringify(filter),
      expiresAtMs: clock.nowMs() + 60_000,
    });
    const client = await connect({ key: token });
    expect((await callTool(client, "query", { namespace: "books" })).isError).toBe(false);
    expect(engine.seen[0].scope).toMatchObject({ forcedFilter: expect.anything() });
    for (const name of ["explain", "describe_namespace", "recall"]) {
      const refused = await callTool(client, name, { namespace: "books" });
      expect(refused).toEqual({
        text: expect.stringContaining("a token may only query"),
        isError: true,
      });
    }
    expect(engine.seen).toHaveLength(1);
  });

  test("limits of a key count what tools ask for", async () => {
    const { connect, create } = await fixture({ apiKey: ROOT });
    const client = await connect({
      key: await create(["read"], ["*"], { requests_per_second: 1000, bytes_per_second: 100_000 }),
    });
    const given = { namespace: "books", filters: ["a", "Eq", "x".repeat(200_000)] };
    await callTool(client, "query", given);
    await expect(callTool(client, "query", { namespace: "books" })).rejects.toThrow(
      /bytes per second, which were used up/,
    );
  });

  test("pages of other origins are refused where there is no key", async () => {
    const { post } = await fixture();
    const { status, text } = await post("{}", { origin: "https://evil.example" });
    expect([status, text]).toEqual([403, expect.stringContaining("--allowed-origins")]);
  });

  test("--no-mcp turns it off", async () => {
    const { post } = await fixture({ mcp: "off" });
    const { status, text } = await post("{}");
    expect([status, text]).toEqual([404, expect.stringContaining("--no-mcp")]);
  });
});

describe("changes", () => {
  const rows = [{ id: 1, title: "A walrus" }];

  test("need the namespace's name twice", async () => {
    const { connect, engine } = await fixture();
    const client = await connect();
    const wrong = { namespace: "books", confirm: "book", upsert_rows: rows };
    expect(await callTool(client, "write", wrong)).toEqual({
      text: expect.stringMatching(/^confirm is "book".*nothing was changed/),
      isError: true,
    });
    const { upsert_rows: _, ...named } = wrong;
    expect((await callTool(client, "delete_namespace", named)).isError).toBe(true);
    expect(engine.seen).toEqual([]);
    await callTool(client, "write", { ...wrong, confirm: "books" });
    await callTool(client, "delete_namespace", { namespace: "books", confirm: "books" });
    expect(engine.seen.map(({ operation, body }) => [operation, body])).toEqual([
      ["write", JSON.stringify({ upsert_rows: rows })],
      ["delete_namespace", undefined],
    ]);
  });

  test("of nothing are a mistake", async () => {
    const client = await (await fixture()).connect();
    expect(await callTool(client, "write", { namespace: "books", confirm: "books" })).toEqual({
      text: expect.stringContaining("there is nothing to write; give one of upsert_rows"),
      isError: true,
    });
  });

  test("of more rows than one call may have are refused, in either form", async () => {
    const { connect, engine } = await fixture();
    const client = await connect();
    const named = { namespace: "books", confirm: "books" };
    const lists = {
      upsert_rows: (count: number) => Array.from({ length: count }, (_, id) => ({ id })),
      patch_rows: (count: number) => Array.from({ length: count }, (_, id) => ({ id, a: 1 })),
      deletes: (count: number) => Array.from({ length: count }, (_, id) => id),
    };
    for (const [name, list] of Object.entries(lists)) {
      for (const form of [(value: unknown) => value, JSON.stringify]) {
        const refused = await callTool(client, "write", { ...named, [name]: form(list(1001)) });
        expect([name, refused.isError, refused.text]).toEqual([
          name,
          true,
          expect.stringMatching(new RegExp(`${name} .* 1000 `)),
        ]);
      }
      const text = JSON.stringify(list(1000));
      await callTool(client, "write", { ...named, [name]: text });
      expect(engine.seen.at(-1)?.bodyBytes).toBe(`{"${name}":${text}}`.length);
    }
    expect(engine.seen).toHaveLength(3);
  });

  test("are in the audit", async () => {
    const noted: unknown[] = [];
    const audit = {
      hasWrites: true,
      note: (event: object) => noted.push(event),
      metrics: () => [],
    };
    const { connect } = await fixture({ audit: audit as never, apiKey: ROOT });
    const client = await connect({ key: ROOT });
    await callTool(client, "delete_namespace", { namespace: "books", confirm: "books" });
    expect(noted).toEqual([
      expect.objectContaining({ action: "delete_namespace", targets: ["books"], status: 200 }),
    ]);
  });
});

describe("what models write", () => {
  // The first message makes a server compile the schemas of all tools: none of these changes it.
  let shared: Awaited<ReturnType<typeof fixture>>;
  let ends: (() => Promise<void>)[];
  beforeAll(async () => {
    shared = await fixture();
    ends = closing.splice(0);
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });

  test.each([
    [{ namespace: "b", topk: 5 }, 'unknown argument "topk"; did you mean "top_k"?'],
    [{}, 'the argument "namespace" is missing, such as "books"'],
    [{ namespace: "b", top_k: 101 }, "top_k must be <= 100"],
    [{ namespace: "b", top_k: "5" }, "top_k must be integer"],
    [{ namespace: "b", rank_by: "[title" }, 'rank_by: "[title" is no JSON'],
    [{ namespace: "b", filters: ["id", "Eq", 2 ** 60] }, "give filters as JSON text"],
    [{ namespace: "a/b" }, "Namespace contains invalid characters"],
    [{ namespace: "../../keys" }, "Namespace contains invalid characters"],
  ])("%j is answered with %j", async (given, part) => {
    const { connect, engine } = shared;
    const result = await callTool(await connect(), "query", given);
    expect(result).toEqual({ text: expect.stringContaining(part), isError: true });
    expect(engine.seen).toEqual([]);
  });

  test("JSON as text goes on as it is, integers of 64 bits too", async () => {
    const { connect, engine } = await fixture();
    const filters = '["id","Eq",18446744073709551615]';
    await callTool(await connect(), "query", { namespace: "b", filters });
    expect(engine.seen[0].body).toContain(`"filters":${filters}`);
  });

  test("a vector may be as long as a message", async () => {
    const { post, engine } = await fixture();
    const rank_by = ["v", "ANN", new Array(400_000).fill(1)];
    const params = { name: "query", arguments: { namespace: "b", rank_by } };
    const { text } = await post(
      JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    );
    expect(text).not.toContain("failed inside Trawl");
    expect(engine.seen.at(-1)?.operation).toBe("query");
  });

  test("a namespace that no address can hold is refused as any other bad name", async () => {
    const { connect } = shared;
    const result = await callTool(await connect(), "query", { namespace: "a\ud800" });
    expect(result).toEqual({
      text: expect.stringContaining("Namespace contains invalid characters"),
      isError: true,
    });
  });

  test("text cannot add members to the body", async () => {
    const { connect, engine } = shared;
    const filters = '["a","Eq",1],"limit":10000';
    const result = await callTool(await connect(), "query", { namespace: "b", filters });
    expect(result.isError).toBe(true);
    expect(engine.seen).toEqual([]);
  });

  test.each([
    ["{", 400, "no JSON"],
    ["[]", 400, "one JSON-RPC message"],
    ["null", 400, "one JSON-RPC message"],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"x":', 400, "no JSON"],
    [`{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, 400, "levels of arrays"],
    [`{"a":[${"[],".repeat(50_000)}[]]}`, 400, "more than 50000 arrays and objects"],
    [
      `{"a":{${Array.from({ length: 4097 }, (_, i) => `"a,\\"${i}":1`).join()}}}`,
      400,
      "4096 members",
    ],
    [`{"jsonrpc":"2.0","id":"${"x".repeat(129)}","method":"ping"}`, 400, "`id` has 129 characters"],
    [
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${"x".repeat(900_000)}"}}`,
      400,
      "`params.name` has 900000 characters; at most 128",
    ],
    ['{"jsonrpc":"2.0","id":1,"method":"no/such"}', 200, "Method not found"],
    [`{"a":"${"x".repeat(2 ** 20)}"}`, 413, "limit of 1048576 bytes"],
  ])("message %#", async (body, status, part) => {
    const answer = await shared.post(body);
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(part)]);
  });

  test("bytes that are no text, another type, and other methods are refused", async () => {
    const { post, url } = shared;
    expect((await post(new Uint8Array([0xff, 0xfe, 0]))).status).toBe(400);
    expect((await post("{}", { "content-type": "text/plain" })).status).toBe(415);
    for (const method of ["GET", "DELETE", "PUT"]) {
      const answer = await fetch(`${url}/mcp`, { method });
      expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"]);
    }
  });

  test("nobody may hold a stream open", async () => {
    const { connect } = await fixture();
    const client = await connect({ revision: "2026-07-28" });
    await expect(client.listen({ toolsListChanged: true })).rejects.toThrow();
  });
});

describe("what models read", () => {
  const row = (id: number, text: string) => ({ id, title: `Title ${id}`, text });

  test("a huge answer is cut, and says what is left", async () => {
    const { connect, engine } = await fixture();
    const rows = Array.from({ length: 100 }, (_, i) => row(i, "é".repeat(5000)));
    engine.answer = () => jsonAnswer({ rows });
    const { text } = await callTool(await connect(), "query", { namespace: "b", top_k: 100 });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(RESULT_BYTES_MAX);
    const [note, json] = text.split("\n");
    const shown = JSON.parse(json).rows;
    expect(shown.length).toBeGreaterThan(5);
    expect(note).toContain(`${shown.length} of 100 rows are shown`);
    expect(note).toContain("include_attributes");
    expect(shown[0]).toMatchObject({ id: 0, text: expect.stringContaining("(5000 characters)") });
  });

  test("one that is too large to be looked at is an error", async () => {
    const { connect, engine } = await fixture();
    engine.answer = () => jsonAnswer({ rows: [row(1, "x".repeat(5 * 2 ** 20))] });
    expect(await callTool(await connect(), "query", { namespace: "b" })).toEqual({
      text: expect.stringMatching(/^the answer has \d+ bytes, at most 4194304 .*lower top_k/),
      isError: true,
    });
  });

  test("documentation that came with the program", async () => {
    const client = await (await fixture()).connect();
    const { text } = await callTool(client, "search_docs", { query: "expire an API key" });
    expect(text).toContain("[docs/keys.md]");
    expect(Buffer.byteLength(text)).toBeLessThan(RESULT_BYTES_MAX);
    const none = await callTool(client, "search_docs", { query: "xyzzy" });
    expect(none.text).toContain("No page has any of these words");
  });
});

test("a query ends when its assistant leaves, which is no bug", async () => {
  const { connect, engine, lines } = await fixture();
  const client = await connect();
  const leaving = new AbortController();
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  engine.answer = () =>
    new Promise((answer) => {
      engine.signals[0].addEventListener("abort", () => {
        resolve();
        answer(jsonAnswer({}));
      });
      leaving.abort();
    });
  const call = client.callTool(
    { name: "query", arguments: { namespace: "b" } },
    { signal: leaving.signal },
  );
  await expect(call).rejects.toThrow();
  await ended;
  const isOver = () =>
    lines.some(({ facts: { operation: name, status } }) => name === "mcp" && status === 499);
  await expect.poll(isOver).toBe(true);
  expect(lines.filter(({ level }) => level === "error")).toEqual([]);
});

test("a bug is logged, and the model is told that it is none of its own", async () => {
  const { connect, engine, lines } = await fixture();
  engine.answer = () => {
    throw new TypeError("broken");
  };
  const result = await callTool(await connect(), "query", { namespace: "b" });
  expect(result).toEqual({ text: expect.any(String), isError: true });
  expect(lines.filter(({ level }) => level === "error")).toHaveLength(1);
});
