/** Responses and logs if the object store fails, for each kind of request. */

import { describe, expect, test } from "vitest";
import { DatabaseError, type ErrorCode } from "../../src/base/errors.ts";
import { OWN_ROUTES, ROUTES } from "../../src/http/routes/routes.ts";
import { TRAWL_ROUTES } from "../../src/http/routes/trawl-routes.ts";
import { storageError } from "../../src/storage/directory/file-system.ts";
import { EngineFixture } from "../support/engine/engine-fixture.ts";
import { type HttpFixture, httpFixture } from "../support/servers/http-fixture.ts";
import { HookedObjectStore } from "../support/stores/hooked-object-store.ts";

/** Texts that no client may read. */
const SECRETS = ["secret-bucket", "secret-prefix", "10.1.2.3", "minio.internal", "/var/lib/trawl"];
const REASON =
  "cannot use secret-prefix/x in s3://secret-bucket at http://minio.internal: connect 10.1.2.3";
const TOLD = /object store .*; retry later.*the server's log has the reason/;

const BODIES: Readonly<Record<string, unknown>> = {
  write: { upsert_rows: [{ id: 1, n: 1 }] },
  start_copy: { copy_from_namespace: "n" },
  query: { rank_by: ["id", "asc"], limit: 3 },
  explain: { rank_by: ["id", "asc"], limit: 3 },
  import: '{"id": 1}\n',
  begin_backup: { namespace: "n" },
  create_checkpoint: { name: "c", expires_in: "1h" },
  create_key: { name: "k", actions: ["admin"], namespaces: ["*"] },
  issue_token: { namespace: "n", expires_in: "1h", filter: ["And", []] },
};

interface Failing extends HttpFixture {
  readonly store: HookedObjectStore;
  readonly keyObjects: HookedObjectStore;
  /** All calls to the store fail from now on. */
  fail(code: ErrorCode): void;
  heal(): void;
  close(): Promise<void>;
}

async function failing(): Promise<Failing> {
  const [store, keyObjects] = [new HookedObjectStore(), new HookedObjectStore()];
  const engine = await EngineFixture.open({ store, isShared: true });
  await engine.write("n", { upsert_rows: [{ id: 1, n: 1 }] });
  await engine.indexAll();
  await engine.close();
  const server = await EngineFixture.open({ store, isShared: true, cacheBytes: 2 ** 22 });
  const http = httpFixture({ serves: server.engine, keyStore: keyObjects });
  const set = (hook: HookedObjectStore["before"]) => {
    for (const each of [store, keyObjects]) {
      each.before = hook;
      each.afterRange = hook;
    }
  };
  return {
    ...http,
    store,
    keyObjects,
    fail: (code) => set(() => Promise.reject(new DatabaseError(code, REASON))),
    heal: () => set(undefined),
    close: () => server.close(),
  };
}

/** Every request that there is. */
const REQUESTS = [
  ...ROUTES.flatMap(({ method, path, versions, operation }) =>
    versions.map((version) => ({ method, url: `/${version}/${path}`, name: operation })),
  ),
  ...OWN_ROUTES.map(({ method, path, operation }) => {
    return { method, url: `/trawl/${path}`, name: operation };
  }),
  ...TRAWL_ROUTES.map(({ method, path, name }) => ({ method, url: path, name })),
];

async function ask(http: Failing, { method, url, name }: (typeof REQUESTS)[number]) {
  const body = BODIES[name] ?? (["POST", "PATCH", "PUT"].includes(method) ? {} : undefined);
  return http.server.app.inject({
    method: method as "GET",
    url: url
      .replace(":namespace", "n")
      .replace(":token", "t")
      .replace(":id", "0123456789abcdef")
      .replace(":number", "0")
      .replace(":checkpoint", "c"),
    ...(body !== undefined && { payload: typeof body === "string" ? body : JSON.stringify(body) }),
  });
}

describe.each([
  { code: "unavailable", status: 503 },
  { code: "overloaded", status: 429 },
] as const)("a store that is $code", ({ code, status }) => {
  test.each([
    { what: "a namespace that is open", isOpen: true },
    { what: "a namespace that is not open", isOpen: false },
  ])("hides the store's location in errors of $what", async ({ isOpen }) => {
    const http = await failing();
    if (isOpen) expect((await ask(http, REQUESTS[0])).statusCode).toBe(200);
    http.fail(code);
    const failed = new Set<string>();
    for (const request of REQUESTS) {
      const answer = await ask(http, request);
      const what = `${request.method} ${request.url}: ${answer.statusCode} ${answer.body}`;
      const told = `${JSON.stringify(answer.headers)} ${answer.body}`;
      for (const secret of SECRETS) expect(told, what).not.toContain(secret);
      if (answer.statusCode !== status || request.method === "HEAD") continue;
      failed.add(request.name);
      const id = String(answer.headers["x-request-id"]);
      expect(answer.json(), what).toEqual({
        ...answer.json(),
        status: "error",
        error: expect.stringMatching(TOLD),
      });
      expect(answer.json().error, what).toContain(`the request id ${id}`);
      expect(Number(answer.headers["retry-after-ms"]), what).toBeGreaterThan(0);
      await new Promise((resolve) => setImmediate(resolve));
      const line = http.lines.find(({ facts }) => facts.request === id);
      expect(line?.facts.reason, what).toContain("s3://secret-bucket");
    }
    // Operations that need no store, or are refused for another reason, are not among these.
    const needed = ["write", "query", "get_metadata", "list_namespaces", "create_key"];
    expect([...failed]).toEqual(expect.arrayContaining(needed));
    http.heal();
    await http.close();
  });
});

describe("a write", () => {
  const wal = (key: string, kind: string) => kind === "put" && key.includes("/wal/");
  const write = (http: Failing) => ask(http, REQUESTS[0]);

  test("that the store refuses as one too many gets 429 and has no effect", async () => {
    const http = await failing();
    http.store.before = async (key, kind) => {
      if (wal(key, kind)) throw new DatabaseError("overloaded", REASON);
    };
    const before = (await http.store.list({ prefix: "namespaces/", limit: 1000 })).keys;
    const answer = await write(http);
    expect([answer.statusCode, answer.json().error]).toEqual([
      429,
      expect.stringContaining("the object store asks for fewer requests; retry later"),
    ]);
    http.heal();
    expect((await http.store.list({ prefix: "namespaces/", limit: 1000 })).keys).toEqual(before);
    expect((await write(http)).statusCode).toBe(200);
    await http.close();
  });

  test("with one try that may have taken effect gets 503", async () => {
    const http = await failing();
    let tries = 0;
    http.store.before = async (key, kind) => {
      if (!wal(key, kind)) return;
      throw new DatabaseError(++tries === 2 ? "unavailable" : "overloaded", REASON);
    };
    const answer = await write(http);
    expect([answer.statusCode, answer.json().error]).toEqual([
      503,
      expect.stringContaining("retry later; the write may have taken effect; the server"),
    ]);
    http.heal();
    await http.close();
  });
});

test("a full disk is named, but not its path", async () => {
  const http = await failing();
  const full = Object.assign(new Error("ENOSPC: no space left, '/var/lib/trawl/x'"), {
    code: "ENOSPC",
  });
  http.store.before = async (_key, kind) => {
    if (kind !== "put") return;
    throw storageError("write x", full);
  };
  const answer = await ask(http, REQUESTS[0]);
  expect([answer.statusCode, answer.json().error]).toEqual([
    503,
    expect.stringMatching(/^the server's disk is full; free space on that disk; the write may/),
  ]);
  expect(answer.body).not.toContain("/var/lib");
  http.heal();
  await http.close();
});
