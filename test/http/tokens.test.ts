/**
 * Keys and tokens before a whole engine: what is seen through them is what a filter on documents,
 * and a list of names, would leave. Two servers share one store.
 */

import Turbopuffer from "@turbopuffer/turbopuffer";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signToken } from "../../src/access/query-token.ts";
import { effort } from "../support/effort.ts";
import { EngineFixture } from "../support/engine/engine-fixture.ts";
import { testRandom } from "../support/random/seed.ts";
import { type HttpFixture, httpFixture } from "../support/servers/http-fixture.ts";
import { expectFault, untyped } from "../support/servers/sdk-client.ts";
import { MemoryObjectStore } from "../support/stores/memory-object-store.ts";

const ROOT = "tpuf_root-of-this-test";
const store = new MemoryObjectStore();

interface Server {
  readonly http: HttpFixture;
  readonly engine: EngineFixture;
  readonly url: string;
}

let servers: Server[] = [];

beforeAll(async () => {
  for (let count = 0; count < 2; count++) {
    const engine = await EngineFixture.open({ store, isShared: true });
    const http = httpFixture({ apiKey: ROOT, keyStore: store, serves: engine.engine });
    await http.keys.open();
    servers.push({ http, engine, url: await http.server.listen() });
  }
  await client(ROOT)
    .namespace("docs")
    .write({
      upsert_rows: DOCUMENTS,
      distance_metric: "cosine_distance",
      schema: { text: { type: "string", full_text_search: true } },
    });
});

afterAll(async () => {
  await Promise.all(
    servers.map(async ({ http, engine }) => {
      let closed = false;
      const closing = http.server.close().finally(() => {
        closed = true;
      });
      while (!closed) {
        http.wake();
        await new Promise((go) => setImmediate(go));
      }
      await closing;
      await engine.close();
    }),
  );
  servers = [];
});

const WORDS = ["walrus", "fox", "otter", "sea"];
const DOCUMENTS = Array.from({ length: 60 }, (_, id) => ({
  id,
  tenant: id % 3,
  group: id % 4,
  text: `${WORDS[id % 4]} ${WORDS[(id * 7) % 4]}`,
  vector: [Math.cos(id), Math.sin(id)],
}));

function client(apiKey: string, server = 0): Turbopuffer {
  return new Turbopuffer({ baseURL: servers[server].url, apiKey, maxRetries: 0 });
}

function tokenOf(filter: unknown, namespace = "docs", key = ROOT): string {
  const expiresAtMs = servers[0].http.clock.nowMs() + 600_000;
  return signToken(key, { namespace, filter: JSON.stringify(filter), expiresAtMs });
}

async function created(members: object, server = 0): Promise<{ key: string; id: string }> {
  const answer = await fetch(`${servers[server].url}/trawl/keys`, {
    method: "POST",
    headers: { authorization: `Bearer ${ROOT}` },
    body: JSON.stringify({ name: "test", ...members }),
  });
  expect(answer.status).toBe(200);
  return (await answer.json()) as { key: string; id: string };
}

describe("a token's filter", () => {
  const TENANT = ["tenant", "Eq", 1] as const;
  const FILTERS = [
    undefined,
    ["group", "Lt", 2],
    ["tenant", "Eq", 2],
    ["tenant", "NotEq", 1],
    [
      "Or",
      [
        ["tenant", "Eq", 0],
        ["id", "Gte", 0],
      ],
    ],
    ["Not", ["tenant", "Eq", 1]],
    ["And", []],
  ];
  const RANKS = [
    ["id", "desc"],
    ["vector", "ANN", [1, 0]],
    ["text", "BM25", "walrus sea"],
    [
      "Sum",
      [
        ["text", "BM25", "fox"],
        ["Product", 2, ["tenant", "Eq", 2]],
      ],
    ],
  ];

  /** What a query with the filter in it finds. */
  const joined = (query: Record<string, unknown>) => ({
    ...query,
    filters: query.filters === undefined ? TENANT : ["And", [TENANT, query.filters]],
  });
  const answerOf = async (key: string, query: unknown) => {
    const docs = client(key).namespace("docs");
    const { billing, performance, ...answer } = untyped<Record<string, unknown>>(
      await docs.query(untyped(query)),
    );
    return answer;
  };

  test("is joined to every kind of query", async () => {
    const token = tokenOf(TENANT);
    // Without filters, and with those that would reach everything; all are drawn below.
    for (const filters of effort({ usual: [FILTERS[0], FILTERS[4]], full: FILTERS })) {
      const filter = filters === undefined ? {} : { filters };
      const documents = RANKS.map((rank_by) => {
        return { rank_by, limit: 20, include_attributes: ["tenant"], ...filter };
      });
      const counts = [
        { aggregate_by: { n: ["Count"], s: ["Sum", "group"] }, ...filter },
        { aggregate_by: { n: ["Count"] }, group_by: ["tenant", "group"], limit: 100, ...filter },
      ];
      const lookup = { limit: 20, filters: ["id", "In", [0, 1, 2, 3, 4, 5]] };
      for (const query of [...documents, ...counts, lookup]) {
        const expected = await answerOf(ROOT, joined(query));
        expect(await answerOf(token, query), JSON.stringify(query)).toEqual(expected);
      }
      const multi = [...documents, ...counts];
      expect(await answerOf(token, { queries: multi })).toEqual(
        await answerOf(ROOT, { queries: multi.map(joined) }),
      );
      const fused = { queries: documents, rerank_by: ["RRF"], limit: 10 };
      expect(await answerOf(token, fused)).toEqual(
        await answerOf(ROOT, { ...fused, queries: documents.map(joined) }),
      );
      const reranked = { model: "words", attribute: "text", query: "walrus" };
      const asked = { ...documents[0], include_attributes: ["text"], rerank_by: reranked };
      expect(await answerOf(token, asked)).toEqual(await answerOf(ROOT, joined(asked)));
    }
  });

  test("is met by all that is found, whatever is asked", async () => {
    const random = testRandom();
    const token = tokenOf(TENANT);
    const draw = <T>(of: readonly T[]) => of[random.below(of.length)];
    for (let round = 0; round < 40; round++) {
      let filters: unknown = draw(FILTERS) ?? ["id", "Gte", 0];
      for (let depth = random.below(4); depth > 0; depth--) {
        filters = draw([
          ["Not", filters],
          ["Or", [filters, draw(FILTERS.slice(1))]],
        ]);
      }
      const query = { rank_by: draw(RANKS), limit: 60, include_attributes: true, filters };
      const { rows } = (await answerOf(token, query)) as { rows: { tenant: number }[] };
      expect(new Set(rows.map(({ tenant }) => tenant)).has(0)).toBe(false);
      expect(rows.every(({ tenant }) => tenant === 1)).toBe(true);
    }
  });

  test("keeps integers exact, and what is wrong with it is told", async () => {
    const expiresAtMs = servers[0].http.clock.nowMs() + 60_000;
    const sign = (filter: string) => signToken(ROOT, { namespace: "docs", filter, expiresAtMs });
    const ask = (token: string) =>
      client(token)
        .namespace("docs")
        .query({ rank_by: ["id", "asc"], limit: 1 });
    const written = await fetch(`${servers[0].url}/v2/namespaces/docs`, {
      method: "POST",
      headers: { authorization: `Bearer ${ROOT}` },
      body: '{"upsert_rows":[{"id":18446744073709551615,"vector":[1,0]}]}',
    });
    expect([written.status, await written.text()]).toEqual([200, expect.any(String)]);
    expect((await ask(sign('["id","Eq",18446744073709551615]'))).rows).toHaveLength(1);
    expect((await ask(sign('["id","Eq",18446744073709551614]'))).rows).toEqual([]);
    await expectFault(ask(sign("{")), 400);
    await expectFault(ask(sign('["tenant","Is",1]')), 422, "the token's filter");
    await expectFault(ask(sign('["none","Eq",1]')), 400, "none");
  });
});

describe("a key with some namespaces", () => {
  test("lists those, and is told of no other", async () => {
    const root = client(ROOT);
    for (const name of ["secret-1", "mine-1", "mine-2", "secret-2", "own"]) {
      await root.namespace(name).write({ upsert_rows: [{ id: 1 }] });
    }
    const all = ["read", "write", "list"];
    const { key } = await created({ actions: all, namespaces: ["mine-*", "own", "secret-9"] });
    const names: string[] = [];
    for await (const { id } of client(key).namespaces({ page_size: 1 })) names.push(id);
    expect(names).toEqual(["mine-1", "mine-2", "own"]);
    const { namespaces } = await client(key).namespaces({ prefix: "sec" });
    expect(namespaces).toEqual([]);
    // "secret-9" is alike to others that are there.
    const absent = client(key).namespace("secret-9");
    await expectFault(absent.query({ rank_by: ["id", "asc"], limit: 1 }), 404, /not found$/);
    await expectFault(
      client(key)
        .namespace("secret-1")
        .query({ rank_by: ["id", "asc"], limit: 1 }),
      403,
      "lacks the action `read` on namespace 'secret-1'",
    );
  });

  test("copies and branches from those alone", async () => {
    const { key } = await created({ actions: ["read", "write"], namespaces: ["mine-*"] });
    const writer = await created({ actions: ["write"], namespaces: ["*"] });
    const target = (name: string, by = key) => client(by).namespace(name);
    for (const body of [
      { copy_from_namespace: "secret-1" },
      { copy_from_namespace: { source_namespace: "secret-1", source_api_key: ROOT } },
      { branch_from_namespace: "secret-1" },
      { copy_from_namespace: "secret-absent" },
    ]) {
      const message = /lacks the action `read` on namespace 'secret-/;
      await expectFault(target("mine-copy").write(untyped(body)), 403, message);
      await expectFault(target("mine-copy", writer.key).write(untyped(body)), 403, message);
    }
    const started = { copy_from_namespace: { source_namespace: "secret-1" } };
    const answer = await fetch(`${servers[0].url}/v2/namespaces/mine-copy/async`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify(started),
    });
    expect(answer.status).toBe(403);
    expect(await client(ROOT).namespace("mine-copy").exists()).toBe(false);
    await target("mine-copy").write({ copy_from_namespace: "mine-1" });
    await target("mine-branch").write(untyped({ branch_from_namespace: "mine-1" }));
    await expectFault(target("mine-x").write({ copy_from_namespace: "mine-7" }), 404, /not found/);
  });
});

describe("two servers", () => {
  const look = (server: number) => servers[server].http.keys.poll();

  test("a key of one opens the other, and a revoked one is refused by both", async () => {
    const { key, id } = await created({ actions: ["read"], namespaces: ["docs"] });
    const ask = (server: number) =>
      client(key, server)
        .namespace("docs")
        .query({ rank_by: ["id", "asc"], limit: 1 });
    await ask(0);
    await look(1);
    await ask(1);
    const token = tokenOf(["And", []], "docs", key);
    const askByToken = () =>
      client(token, 0)
        .namespace("docs")
        .query({ rank_by: ["id", "asc"], limit: 1 });
    await askByToken();
    const revoked = await fetch(`${servers[1].url}/trawl/keys/${id}`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${ROOT}` },
    });
    expect(revoked.status).toBe(200);
    await expectFault(ask(1), 401, "was revoked");
    await look(0);
    await expectFault(ask(0), 401, "was revoked");
    await expectFault(askByToken(), 401, "not valid");
  });

  test("keys are exchanged under load without one refusal", async () => {
    let current = await created({ actions: ["read", "write"], namespaces: ["*"] });
    const exchanges = effort({ usual: 2, full: 5 });
    let asked = 0;
    let isOver = false;
    const load = Array.from({ length: 8 }, async (_, worker) => {
      while (!isOver) {
        const docs = client(current.key, worker % 2).namespace("docs");
        await docs.query({ rank_by: ["id", "asc"], limit: 1 });
        asked++;
      }
    });
    const rotate = async () => {
      await look(1);
      for (let times = 0; times < exchanges; times++) {
        const old = current;
        const next = await created({ actions: ["read", "write"], namespaces: ["*"] }, times % 2);
        // Both servers know the new key before a client has it.
        await look(0);
        await look(1);
        current = next;
        const before = asked;
        while (asked < before + 40) await new Promise((go) => setImmediate(go));
        await servers[times % 2].http.keys.revoke(old.id);
        await look(0);
        await look(1);
      }
      isOver = true;
    };
    await look(1);
    await Promise.all([...load, rotate()]);
    expect(asked).toBeGreaterThan(40 * exchanges);
  });
});
