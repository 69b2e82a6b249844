import { describe, expect, test } from "vitest";
import { httpFixture } from "../../../test/support/servers/http-fixture.ts";
import { ROUTES, routedUrl } from "./routes.ts";

type Method = "GET" | "POST" | "PATCH" | "DELETE" | "HEAD" | "PUT" | "OPTIONS";

async function ask(method: Method, url: string) {
  const { engine, server } = httpFixture();
  const hasBody = method === "POST" || method === "PATCH" || method === "PUT";
  const payload = hasBody ? { payload: "{}" } : {};
  const answer = await server.app.inject({ method, url, ...payload });
  return { answer, seen: engine.seen[0], text: answer.body };
}

const PATHS: readonly [Method, string, string, "v1" | "v2"][] = [
  ["POST", "/v2/namespaces/a", "write", "v2"],
  ["POST", "/v2/namespaces/a/query", "query", "v2"],
  ["POST", "/v2/namespaces/a/explain_query", "explain", "v2"],
  ["DELETE", "/v2/namespaces/a", "delete_namespace", "v2"],
  ["DELETE", "/v1/namespaces/a", "delete_namespace", "v1"],
  ["GET", "/v1/namespaces/a/metadata", "get_metadata", "v1"],
  ["GET", "/v2/namespaces/a/metadata", "get_metadata", "v2"],
  ["PATCH", "/v1/namespaces/a/metadata", "update_metadata", "v1"],
  ["PATCH", "/v2/namespaces/a/metadata", "update_metadata", "v2"],
  ["GET", "/v1/namespaces/a/schema", "get_schema", "v1"],
  ["GET", "/v2/namespaces/a/schema", "get_schema", "v2"],
  ["POST", "/v1/namespaces/a/schema", "update_schema", "v1"],
  ["POST", "/v2/namespaces/a/schema", "update_schema", "v2"],
  ["GET", "/v1/namespaces/a/hint_cache_warm", "warm_cache_hint", "v1"],
  ["POST", "/v1/namespaces/a/_debug/recall", "recall", "v1"],
  ["GET", "/v1/namespaces/a/_debug/recall", "recall", "v1"],
  ["GET", "/v1/namespaces/a/operations/tok", "poll_operation", "v1"],
  ["POST", "/v2/namespaces/a/async", "start_copy", "v2"],
  ["GET", "/v1/namespaces/a/_debug/purge_cache", "purge_cache", "v1"],
  ["GET", "/v1/namespaces/a/_debug/warm_cache", "warm_cache", "v1"],
  ["GET", "/v1/namespaces/a", "export_documents", "v1"],
  ["HEAD", "/v1/namespaces/a", "describe_namespace", "v1"],
  ["HEAD", "/v1/namespaces/a/schema", "get_schema", "v1"],
];

describe("operations", () => {
  test.each(PATHS)("%s %s is %s", async (method, url, operation, apiVersion) => {
    for (const prefix of ["", "/gcp-us-central1", "/anything"]) {
      const { answer, seen } = await ask(method, prefix + url);
      expect(answer.statusCode).toBe(200);
      expect(seen).toMatchObject({ operation, apiVersion, namespace: "a" });
    }
  });

  test("the table above has every operation of a namespace", () => {
    const covered = new Set(PATHS.map(([, , operation]) => operation));
    const all = new Set(ROUTES.map(({ operation }) => operation));
    all.delete("list_namespaces");
    expect([...all].filter((operation) => !covered.has(operation))).toEqual([]);
  });

  test.each<[Method, string, string, Record<string, string>]>([
    ["POST", "/trawl/backups", "begin_backup", {}],
    [
      "GET",
      "/trawl/backups/ab/objects/7?start=9",
      "read_backup",
      { id: "ab", number: "7", start: "9" },
    ],
    ["DELETE", "/trawl/backups/ab", "end_backup", { id: "ab" }],
    ["POST", "/trawl/restores", "begin_restore", {}],
    ["GET", "/trawl/restores/ab/objects/7", "look_restore", { id: "ab", number: "7" }],
    ["PUT", "/trawl/restores/ab/objects/7", "put_restore", { id: "ab", number: "7" }],
    ["POST", "/trawl/restores/ab/finish", "finish_restore", { id: "ab" }],
    ["DELETE", "/trawl/restores/ab", "end_restore", { id: "ab" }],
    ["POST", "/trawl/namespaces/a/checkpoints", "create_checkpoint", {}],
    ["GET", "/trawl/namespaces/a/checkpoints", "list_checkpoints", {}],
    ["DELETE", "/trawl/namespaces/a/checkpoints/c", "delete_checkpoint", { checkpoint: "c" }],
    [
      "POST",
      "/trawl/namespaces/a/checkpoints/c/restore",
      "restore_checkpoint",
      { checkpoint: "c" },
    ],
  ])("of our own: %s %s is %s", async (method, url, operation, parameters) => {
    const { answer, seen } = await ask(method, url);
    expect(answer.statusCode).toBe(200);
    expect(seen).toMatchObject({ operation, parameters });
    expect(seen.namespace).toBe(url.includes("namespaces") ? "a" : undefined);
    expect(seen.body !== undefined).toBe(method === "POST" || method === "PUT");
  });

  test("the listing gets its parameters and no namespace", async () => {
    for (const url of ["/v1/namespaces", "/v2/namespaces", "/region/v1/namespaces/"]) {
      const { seen } = await ask("GET", `${url}?prefix=a%2Fb&page_size=5&cursor=x&prefix=second`);
      expect(seen.operation).toBe("list_namespaces");
      expect(seen.namespace).toBeUndefined();
      expect(seen.parameters).toEqual({ prefix: "a/b", page_size: "5", cursor: "x" });
    }
  });

  test("an operation's token is a parameter that the query string cannot replace", async () => {
    const { seen } = await ask("GET", "/v1/namespaces/a/operations/x%20y?token=other");
    expect(seen.parameters).toEqual({ token: "x y" });
  });

  test("unknown query parameters reach the engine and harm nothing", async () => {
    const { seen } = await ask("POST", "/v2/namespaces/a/query?stainless_overload=multiQuery");
    expect(seen.operation).toBe("query");
    expect(seen.parameters).toEqual({ stainless_overload: "multiQuery" });
  });

  test("Prefer: respond-async is passed on", async () => {
    const { engine, server } = httpFixture();
    for (const prefer of ["respond-async", "Respond-Async, wait=10", "wait=10"]) {
      const headers = { prefer };
      await server.app.inject({ method: "POST", url: "/v2/namespaces/a", headers, payload: "{}" });
    }
    expect(engine.seen.map(({ respondAsync }) => respondAsync)).toEqual([true, true, false]);
  });
});

describe("namespace names", () => {
  const LONGEST = "n".repeat(128);

  test.each([["a-b_c.D9"], [LONGEST], ["v2"], ["..."], ["namespaces"]])(
    "%s is one",
    async (name) => {
      const { seen } = await ask("POST", `/v2/namespaces/${name}/query`);
      expect(seen.namespace).toBe(name);
    },
  );

  test("percent escapes are decoded first", async () => {
    const { seen } = await ask("POST", "/v2/namespaces/%61%2Db/query");
    expect(seen.namespace).toBe("a-b");
  });

  test.each([["a%2Fb"], ["a%20b"], ["%C3%A9"], ["a:b"]])("%s is none", async (name) => {
    const { answer, text, seen } = await ask("POST", `/v2/namespaces/${name}/query`);
    expect(answer.statusCode).toBe(400);
    expect(answer.headers["content-type"]).toMatch(/^text\/plain/);
    expect(text).toBe("Invalid URL: Namespace contains invalid characters, must be [A-Za-z0-9-_.]");
    expect(seen).toBeUndefined();
  });

  test("129 characters are too many", async () => {
    const name = "n".repeat(129);
    const { answer, text } = await ask("POST", `/v2/namespaces/${name}`);
    expect(answer.statusCode).toBe(400);
    expect(text).toBe(
      `Invalid URL: Namespace \`${name}\` is too long, limit is currently 128 characters`,
    );
  });

  test("a broken percent escape is a 400 in the error shape", async () => {
    const { answer } = await ask("GET", "/v1/namespaces/%zz/schema");
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ status: "error" });
  });
});

describe("paths", () => {
  test.each([
    ["/v2/namespaces/a", "/v2/namespaces/a"],
    ["/v2/namespaces/a/?x=/v2/", "/v2/namespaces/a?x=/v2/"],
    ["/x/v1/namespaces", "/v1/namespaces"],
    ["/%zz/v2/namespaces/", "/v2/namespaces"],
    ["//v2/namespaces", "/v2/namespaces"],
    ["/v1/v2/namespaces", "/v1/v2/namespaces"],
    ["/x/y/v2/namespaces", "/x/y/v2/namespaces"],
    ["/x/v3/namespaces", "/x/v3/namespaces"],
    ["/x?y=/v2/z", "/x?y=/v2/z"],
    ["/", "/"],
    ["/?x", "/?x"],
    ["", ""],
  ])("%s is routed as %s", (sent, routed) => {
    expect(routedUrl(sent)).toBe(routed);
  });

  test.each([
    ["GET", "//v2/namespaces"],
    ["GET", "/%zz/v2/namespaces"],
    ["GET", "/%C3%28/v1/namespaces/?prefix=%zz"],
    ["HEAD", "/v1/namespaces"],
  ] as const)("%s %s is the listing", async (method, url) => {
    const { seen } = await ask(method, url);
    expect(seen.operation).toBe("list_namespaces");
  });

  test("parameters are decoded once", async () => {
    const { seen } = await ask("GET", "/v1/namespaces/a/operations/%2525%23%2F%C3%A9+");
    expect(seen.parameters).toEqual({ token: "%25#/é+" });
  });

  test.each([
    ["GET", "/v1/v2/namespaces"],
    ["GET", "/v2/n%61mespaces"],
    ["GET", "/v%32/namespaces"],
    ["GET", "/v2/namespaces//"],
    ["POST", "/v2/namespaces//query"],
    ["POST", "/v2/namespaces/a//query"],
    ["POST", "/v2/namespaces/a/query//"],
    ["GET", "/healthz/"],
    ["GET", "/x/healthz"],
    ["GET", "/v2/namespaces/a/metadata;x"],
  ] as const)("%s %s is not what the table says", async (method, url) => {
    const { answer, seen } = await ask(method, url);
    expect(answer.statusCode).toBe(404);
    expect(answer.json().error).toContain(`there is no route ${method} ${url}`);
    expect(seen).toBeUndefined();
  });

  test("a name of thousands of characters is too long, not unknown", async () => {
    const { answer, text } = await ask("POST", `/v2/namespaces/${"n".repeat(5000)}`);
    expect(answer.statusCode).toBe(400);
    expect(text).toContain("is too long");
  });
});

describe("what is not served", () => {
  test.each([
    ["POST", "/v2/namespace/a/query", "POST /v2/namespaces/:namespace/query"],
    ["POST", "/v2/namespaces/a/qurey", "POST /v2/namespaces/:namespace/query"],
    ["GET", "/v1/namespaces/a/shema", "GET /v1/namespaces/:namespace/schema"],
    ["GET", "/a/b/v2/namespaces", "GET /v"],
    ["POST", "/v1/vectors/a", "POST /v"],
  ] as const)("%s %s is a 404 with a hint", async (method, url, hint) => {
    const { answer } = await ask(method, url);
    expect(answer.statusCode).toBe(404);
    const { status, error } = answer.json();
    expect(status).toBe("error");
    expect(error).toContain(`there is no route ${method} ${url}`);
    expect(error).toContain(`did you mean ${hint}`);
  });

  test.each([
    ["GET", "/v2/namespaces/a/query", "POST"],
    ["PUT", "/v2/namespaces/a", "DELETE, POST"],
    ["POST", "/v1/namespaces/a", "DELETE, GET, HEAD"],
    ["OPTIONS", "/v1/namespaces", "GET"],
    ["POST", "/healthz", "GET, HEAD"],
  ] as const)("%s %s is a 405 that says what is served", async (method, url, allowed) => {
    const { answer } = await ask(method, url);
    expect(answer.statusCode).toBe(405);
    expect(answer.headers.allow).toBe(allowed);
    expect(answer.json().error).toContain(`served: ${allowed}`);
  });

  test("a legacy write is told where writes go", async () => {
    const { answer } = await ask("POST", "/v1/namespaces/a");
    expect(answer.json().error).toContain("did you mean POST /v2/namespaces/:namespace?");
  });
});

describe("service routes", () => {
  test("GET / and /healthz answer 200 without a key", async () => {
    const { server } = httpFixture({ apiKey: "k" });
    for (const url of ["/", "/healthz", "/readyz"]) {
      const answer = await server.app.inject({ method: "GET", url });
      expect(answer.statusCode).toBe(200);
      expect(answer.json().status).toBe("OK");
    }
  });

  test("readyz says why the engine is not ready", async () => {
    const { server, engine } = httpFixture();
    engine.ready = { ready: false, reason: "recovering" };
    const answer = await server.app.inject({ method: "GET", url: "/readyz" });
    expect(answer.statusCode).toBe(503);
    expect(answer.json()).toEqual({ status: "error", error: "recovering" });
  });

  test("metrics count requests by operation and status and show the engine's stats", async () => {
    const { server, engine } = httpFixture();
    engine.reportedMetrics = [
      { name: "trawl_namespaces", help: "Open ones.", kind: "gauge", value: 3 },
      { name: "trawl_x_total", help: "X.", kind: "counter", value: 1, labels: { a: 'q"' } },
    ];
    await server.listen();
    await server.app.inject({ method: "POST", url: "/v2/namespaces/a/query", payload: "{}" });
    const answer = await server.app.inject({ method: "GET", url: "/metrics" });
    expect(answer.headers["content-type"]).toContain("text/plain");
    expect(answer.body).toContain('trawl_http_requests_total{operation="query",status="200"} 1');
    expect(answer.body).toContain('trawl_http_request_seconds_count{operation="query",');
    expect(answer.body).toContain("# TYPE trawl_namespaces gauge\ntrawl_namespaces 3\n");
    expect(answer.body).toContain('trawl_x_total{a="q\\""} 1\n');
    expect(answer.body).toContain("trawl_event_loop_lag_p99_seconds");
    expect(answer.body).toContain("process_resident_memory_bytes");
    await server.close();
  });
});
