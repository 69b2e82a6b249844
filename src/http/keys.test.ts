/** What keys and tokens open, over HTTP: each route with each action. */

import { describe, expect, test } from "vitest";
import {
  type HttpChoices,
  type HttpFixture,
  httpFixture,
} from "../../test/support/servers/http-fixture.ts";
import { MemoryObjectStore } from "../../test/support/stores/memory-object-store.ts";
import { signToken } from "../access/query-token.ts";
import { OWN_ROUTES, ROUTES } from "./routes/routes.ts";

const ROOT = "tpuf_root";
type Headers = Record<string, string>;

async function fixture(choices: HttpChoices = { apiKey: ROOT }) {
  const http = httpFixture(choices);
  await http.keys.open();
  const call = (method: string, url: string, key?: string, body?: unknown, headers?: Headers) =>
    http.server.app.inject({
      method: method as "GET",
      url,
      headers: { ...(key !== undefined && { authorization: `Bearer ${key}` }), ...headers },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    });
  const create = async (actions: string[], namespaces = ["*"], rest = {}): Promise<string> => {
    const asked = { name: "test", actions, namespaces, ...rest };
    const answer = await call("POST", "/trawl/keys", ROOT, asked);
    expect([answer.statusCode, answer.body]).toEqual([
      200,
      expect.stringContaining('"key":"tpuf_'),
    ]);
    return answer.json().key;
  };
  return { ...http, call, create };
}

/** By operation: which single actions open it. */
const OPENED_BY: Record<string, string[]> = {
  write: ["write"],
  start_copy: ["write"],
  query: ["read"],
  explain: ["read"],
  delete_namespace: ["write"],
  list_namespaces: ["list"],
  get_metadata: ["read"],
  update_metadata: ["write"],
  get_schema: ["read"],
  update_schema: ["write"],
  warm_cache_hint: ["read"],
  recall: ["read"],
  poll_operation: ["read", "write"],
  purge_cache: ["write"],
  warm_cache: ["read"],
  export_documents: ["read"],
  describe_namespace: ["read"],
};

const urlOf = (path: string, version: string) =>
  `/${version}/${path.replace(":namespace", "a-1").replace(":token", "t")}`;

describe("routes", () => {
  test.each(["read", "write", "list", "admin"])("%s opens what it should", async (action) => {
    const { call, create, engine } = await fixture();
    const key = await create([action]);
    for (const { method, path, versions, operation } of ROUTES) {
      for (const version of versions) {
        const before = engine.seen.length;
        const body = method === "POST" || method === "PATCH" ? {} : undefined;
        const answer = await call(method, urlOf(path, version), key, body);
        const isOpen = action === "admin" || OPENED_BY[operation].includes(action);
        expect([operation, answer.statusCode]).toEqual([operation, isOpen ? 200 : 403]);
        expect(engine.seen.length - before).toBe(isOpen ? 1 : 0);
        if (isOpen || method === "HEAD") continue;
        const [missing] = OPENED_BY[operation];
        expect(answer.json()).toEqual({
          status: "error",
          error: expect.stringMatching(`lacks the action \`${missing}\``),
        });
      }
    }
  });

  test("a key opens the namespaces of its patterns alone", async () => {
    const { call, create } = await fixture();
    const key = await create(["read", "write", "list"], ["a-*", "exact"]);
    for (const [name, status] of [
      ["a-", 200],
      ["a-1", 200],
      ["exact", 200],
      ["a", 403],
      ["exact-1", 403],
      ["b", 403],
    ] as const) {
      for (const [method, url, body] of [
        ["POST", `/v2/namespaces/${name}`, {}],
        ["POST", `/eu/v2/namespaces/${name}/query`, {}],
        ["GET", `/v1/namespaces/${name}/schema`, undefined],
        ["DELETE", `/v2/namespaces/${name}`, undefined],
      ] as const) {
        const answer = await call(method, url, key, body);
        expect([url, answer.statusCode]).toEqual([url, status]);
        if (status === 403) expect(answer.json().error).toContain(`on namespace '${name}'`);
      }
    }
  });

  test("the engine hears what a key may see and copy", async () => {
    const { call, create, engine } = await fixture();
    const scope = async (key: string) => {
      await call("POST", "/v2/namespaces/a-1", key, {});
      return engine.seen.at(-1)?.scope;
    };
    expect(await scope(ROOT)).toBeUndefined();
    expect(await scope(await create(["read", "write"]))).toBeUndefined();
    const holder = expect.stringMatching(/^key "test" \(….{4}\)$/);
    const namespaces = ["a-*"];
    expect(await scope(await create(["write"], namespaces))).toEqual({
      holder,
      visible: namespaces,
      readable: [],
    });
    expect(await scope(await create(["write", "read"], namespaces))).toEqual({
      holder,
      visible: namespaces,
      readable: namespaces,
    });
  });

  test("metrics need list on every namespace", async () => {
    const { call, create } = await fixture();
    const status = async (key?: string) => (await call("GET", "/metrics", key)).statusCode;
    expect(await status()).toBe(401);
    expect(await status(ROOT)).toBe(200);
    expect(await status(await create(["list"]))).toBe(200);
    expect(await status(await create(["read", "write"]))).toBe(403);
    expect(await status(await create(["list"], ["a-*"]))).toBe(403);
  });

  test("backups, restores and checkpoints need admin", async () => {
    const { call, create, engine } = await fixture();
    const reader = await create(["read", "write", "list"]);
    const admin = await create(["admin"]);
    for (const { method, path, operation } of OWN_ROUTES) {
      if (operation === "import") continue; // A write like others.
      const url = `/trawl/${path.replace(":namespace", "a-1").replaceAll(/:\w+/g, "1")}`;
      const body = method === "POST" || method === "PUT" ? {} : undefined;
      const refused = await call(method, url, reader, body);
      expect([operation, refused.statusCode, refused.json().error]).toEqual([
        operation,
        403,
        expect.stringContaining("lacks the action `admin`"),
      ]);
      const before = engine.seen.length;
      const served = await call(method, url, admin, body);
      expect([operation, served.statusCode, engine.seen.length]).toEqual([
        operation,
        200,
        before + 1,
      ]);
    }
  });

  test("addresses of keys need admin, and paths that are none are told so", async () => {
    const { call, create } = await fixture();
    const reader = await create(["read", "write", "list"]);
    for (const [method, url] of [
      ["POST", "/trawl/keys"],
      ["GET", "/trawl/keys"],
      ["DELETE", "/trawl/keys/0123456789abcdef"],
    ]) {
      expect((await call(method, url)).statusCode).toBe(401);
      const answer = await call(method, url, reader, method === "POST" ? {} : undefined);
      expect([answer.statusCode, answer.json().error]).toEqual([
        403,
        expect.stringContaining("lacks the action `admin`"),
      ]);
    }
    const wrong = await call("PATCH", "/trawl/keys", ROOT, {});
    expect([wrong.statusCode, wrong.headers.allow]).toEqual([405, "GET, POST"]);
    const unknown = await call("GET", "/trawl/key", ROOT);
    expect([unknown.statusCode, unknown.json().error]).toEqual([
      404,
      expect.stringContaining("did you mean GET /trawl/keys?"),
    ]);
    expect((await call("GET", "/trawl/%6beys", ROOT)).statusCode).toBe(404);
  });
});

describe("without keys", () => {
  const NEW = { name: "first", actions: ["admin"], namespaces: ["*"] };
  const from = (http: HttpFixture, remoteAddress: string, headers: Headers = {}) =>
    http.server.app.inject({
      method: "POST",
      url: "/trawl/keys",
      headers: { host: "localhost", ...headers },
      payload: JSON.stringify(NEW),
      remoteAddress,
    });

  test("keys are made from this machine alone", async () => {
    const http = await fixture({ allowedHosts: ["*"] });
    for (const address of ["10.0.0.1", "::2", "128.0.0.1", "::ffff:10.0.0.1"]) {
      const answer = await from(http, address);
      expect([answer.statusCode, answer.json().error]).toEqual([
        403,
        expect.stringContaining("from the server's own machine alone"),
      ]);
    }
    for (const name of ["x-forwarded-for", "forwarded", "x-real-ip", "via"]) {
      expect((await from(http, "127.0.0.1", { [name]: "10.0.0.1" })).statusCode).toBe(403);
    }
    const page = { origin: "https://evil.example" };
    expect((await from(http, "127.0.0.1", page)).statusCode).toBe(403);
    expect(http.keys.isLocked).toBe(false);
    expect((await http.call("GET", "/v1/namespaces")).statusCode).toBe(200);
    const answer = await from(http, "::ffff:127.0.0.1");
    expect(answer.statusCode).toBe(200);
    expect(answer.headers["cache-control"]).toBe("no-store");
    expect((await http.call("GET", "/v1/namespaces")).statusCode).toBe(401);
    expect((await from(http, "127.0.0.1")).statusCode).toBe(401);
  });

  test("tokens cannot be signed", async () => {
    const { call } = await fixture({});
    const answer = await call("POST", "/trawl/tokens", undefined, { namespace: "a" });
    expect([answer.statusCode, answer.json().error]).toEqual([
      400,
      expect.stringContaining("POST /trawl/keys"),
    ]);
  });
});

describe("keys over HTTP", () => {
  test("are made, listed, revoked, and refused from then on", async () => {
    const { call, create } = await fixture();
    const key = await create(["read"], ["a-*"], { expires_in: "1h" });
    const { keys } = (await call("GET", "/trawl/keys", ROOT)).json();
    expect(keys).toMatchObject([{ name: "test", actions: ["read"], namespaces: ["a-*"] }]);
    expect(JSON.stringify(keys)).not.toContain(key);
    const query = () => call("POST", "/v2/namespaces/a-1/query", key, {});
    expect((await query()).statusCode).toBe(200);
    const revoked = await call("DELETE", `/trawl/keys/${keys[0].id}`, ROOT);
    expect(revoked.json()).toEqual({ status: "OK", id: keys[0].id, name: "test" });
    const refused = await query();
    expect([refused.statusCode, refused.headers["www-authenticate"]]).toEqual([401, "Bearer"]);
    expect(refused.json().error).toContain("was revoked");
    expect((await call("DELETE", "/trawl/keys/ffffffffffffffff", ROOT)).statusCode).toBe(404);
  });

  test("bodies are limited, and what is wrong with them is told", async () => {
    const { call } = await fixture();
    const long = await call("POST", "/trawl/keys", ROOT, { name: "x".repeat(70_000) });
    expect(long.statusCode).toBe(413);
    const wrong = await call("POST", "/trawl/keys", ROOT, { name: "x", actions: ["all"] });
    expect([wrong.statusCode, wrong.json().status]).toEqual([422, "error"]);
  });
});

describe("who a key is of", () => {
  const caller = async (http: Awaited<ReturnType<typeof fixture>>, key?: string) =>
    (await http.call("GET", "/trawl/caller", key)).json();

  test("says what a key may do, and nothing that opens anything", async () => {
    const http = await fixture();
    const key = await http.create(["read"], ["a-*"], { expires_in: "1h" });
    expect(await caller(http, key)).toEqual({
      kind: "key",
      name: "test",
      last_four: key.slice(-4),
      actions: ["read"],
      namespaces: ["a-*"],
      expires_at: expect.stringMatching(/Z$/),
    });
    expect(await caller(http, ROOT)).toMatchObject({
      kind: "key",
      last_four: "",
      actions: ["read", "write", "list", "admin"],
      namespaces: ["*"],
      expires_at: null,
    });
    expect((await http.call("GET", "/trawl/caller")).statusCode).toBe(401);
  });

  test("a token may query its namespace alone", async () => {
    const http = await fixture();
    const key = await http.create(["read"], ["*"]);
    const asked = { namespace: "a", filter: ["b", "Eq", 1] };
    const { token } = (await http.call("POST", "/trawl/tokens", key, asked)).json();
    expect(await caller(http, token)).toEqual({
      kind: "token",
      actions: ["query"],
      namespaces: ["a"],
    });
  });

  test("without keys everybody may do all, but manage keys from elsewhere", async () => {
    const { server } = await fixture({ allowedHosts: ["*"] });
    const from = async (remoteAddress: string) =>
      (
        await server.app.inject({
          url: "/trawl/caller",
          headers: { host: "localhost" },
          remoteAddress,
        })
      ).json();
    const rest = { kind: "anyone", namespaces: ["*"] };
    expect(await from("127.0.0.1")).toEqual({
      ...rest,
      actions: ["read", "write", "list", "admin"],
    });
    expect(await from("10.0.0.1")).toEqual({ ...rest, actions: ["read", "write", "list"] });
  });
});

describe("tokens over HTTP", () => {
  const filter = '["tenant","Eq",7]';
  test("query their namespace under their filter, and nothing else", async () => {
    const { call, engine, clock } = await fixture();
    const expiresAtMs = clock.nowMs() + 60_000;
    const token = signToken(ROOT, { namespace: "a-1", filter, expiresAtMs });
    const answer = await call("POST", "/v2/namespaces/a-1/query", token, {});
    expect(answer.statusCode).toBe(200);
    expect(engine.seen).toMatchObject([
      { operation: "query", scope: { visible: ["a-1"], readable: ["a-1"], forcedFilter: filter } },
    ]);
    expect((await call("POST", "/v2/namespaces/a-2/query", token, {})).statusCode).toBe(403);
    for (const { method, path, versions, operation } of ROUTES) {
      if (operation === "query") continue;
      const body = method === "POST" || method === "PATCH" ? {} : undefined;
      const refused = await call(method, urlOf(path, versions[0]), token, body);
      expect([operation, refused.statusCode]).toEqual([operation, 403]);
      if (method !== "HEAD") expect(refused.json().error).toContain("a token may only query");
    }
    for (const [method, url] of [
      ["POST", "/trawl/keys"],
      ["GET", "/trawl/keys"],
      ["DELETE", "/trawl/keys/0123456789abcdef"],
      ["POST", "/trawl/tokens"],
      ["GET", "/metrics"],
    ]) {
      const refused = await call(method, url, token, method === "POST" ? {} : undefined);
      expect([url, refused.statusCode]).toEqual([url, 403]);
    }
    expect(engine.seen).toHaveLength(1);
  });

  test("can do no more than their key, and end with it", async () => {
    const { call, create, keys, clock } = await fixture();
    const key = await create(["read"], ["a-*"]);
    const expiresAtMs = clock.nowMs() + 60_000;
    const sign = (namespace: string, by = key) => signToken(by, { namespace, filter, expiresAtMs });
    const status = async (namespace: string, by?: string) =>
      (await call("POST", `/v2/namespaces/${namespace}/query`, sign(namespace, by), {})).statusCode;
    expect(await status("a-1")).toBe(200);
    expect(await status("b")).toBe(403);
    expect(await status("a-1", await create(["write"]))).toBe(403);
    const [{ id }] = (await call("GET", "/trawl/keys", ROOT)).json().keys.slice(-1);
    await keys.revoke(id);
    expect(await status("a-1")).toBe(401);
  });
});

describe("limits of a key", () => {
  test("are told with 429 and a time to wait, and tokens count for their key", async () => {
    const { call, create, clock } = await fixture();
    const key = await create(["read"], ["*"], { requests_per_second: 0.01 });
    const expiresAtMs = clock.nowMs() + 60_000;
    const token = signToken(key, { namespace: "a-1", filter: '["And",[]]', expiresAtMs });
    const ask = (by: string) => call("POST", "/v2/namespaces/a-1/query", by, {});
    expect((await ask(token)).statusCode).toBe(200);
    const answer = await ask(key);
    expect([answer.statusCode, answer.json().status]).toEqual([429, "error"]);
    expect(answer.json().error).toMatch(
      /^the key "test" \(….{4}\) may ask .* 0.01 requests per second/,
    );
    expect(Number(answer.headers["retry-after-ms"])).toBeGreaterThan(0);
    expect((await ask(ROOT)).statusCode).toBe(200);
  });

  test("count the bytes of requests and answers", async () => {
    const { call, create, engine } = await fixture();
    engine.answer = () => ({
      status: 200,
      headers: { "content-type": "application/json" },
      body: Buffer.alloc(1000),
    });
    const key = await create(["read"], ["*"], { bytes_per_second: 5 });
    const ask = () => call("POST", "/v2/namespaces/a-1/query", key, { x: "y".repeat(990) });
    expect((await ask()).statusCode).toBe(200);
    const answer = await ask();
    expect([answer.statusCode, answer.json().error]).toEqual([
      429,
      expect.stringContaining("5 bytes per second"),
    ]);
    // 2,000 bytes and the next one, but for what the test took.
    expect(Number(answer.headers["retry-after-ms"])).toBeGreaterThan(300_000);
  });
});

test("queries take turns by the key that they came with", async () => {
  const { call, create, engine } = await fixture();
  const keyOf = async (key: string) => {
    await call("POST", "/v2/namespaces/a-1/query", key, {});
    return engine.seen.at(-1)?.key;
  };
  const [one, other] = [await create(["read"]), await create(["read"])];
  const seen = [await keyOf(one), await keyOf(other), await keyOf(one)];
  expect(seen[0]).toMatch(/^[0-9a-f]{16}$/);
  expect(seen[1]).not.toBe(seen[0]);
  expect(seen[2]).toBe(seen[0]);
  const anyone = await fixture({});
  await anyone.call("POST", "/v2/namespaces/a-1/query", undefined, {});
  expect(anyone.engine.seen.at(-1)?.key).toBeUndefined();
});

test("a key that another server has revoked opens nothing after a quiet hour either", async () => {
  const keyStore = new MemoryObjectStore();
  const [one, other] = [await fixture({ keyStore, apiKey: ROOT }), await fixture({ keyStore })];
  const key = await one.create(["read", "write"]);
  const ask = async (by: Headers) =>
    (await other.server.app.inject({ method: "POST", url: "/v2/namespaces/a-1", headers: by }))
      .statusCode;
  await other.keys.poll();
  expect(await ask({ authorization: `Bearer ${key}` })).toBe(200);
  const id = (await one.call("GET", "/trawl/keys", ROOT)).json().keys[0].id;
  await one.call("DELETE", `/trawl/keys/${id}`, ROOT);
  other.forward(3_600_000);
  const seen = other.engine.seen.length;
  expect(await ask({ authorization: `Bearer ${key}` })).toBe(401);
  expect(other.engine.seen).toHaveLength(seen);
});

test("the first key of all closes a server that has been quiet", async () => {
  const keyStore = new MemoryObjectStore();
  const other = await fixture({ keyStore });
  const ask = async () =>
    (await other.call("POST", "/v2/namespaces/a-1/query", undefined, {})).statusCode;
  expect(await ask()).toBe(200);
  const one = await fixture({ keyStore, apiKey: ROOT });
  await one.create(["admin"]);
  other.forward(3_600_000);
  expect(await ask()).toBe(401);
});
