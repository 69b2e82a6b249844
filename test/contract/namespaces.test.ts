/** Everything about namespaces as a whole: list, metadata, delete, copy, branch, caches, recall. */

import { describe, expect, test } from "vitest";
import { pause } from "../support/clocks/pause.ts";
import {
  expectFault,
  idsOf,
  nameOf,
  rawCall,
  sdkClient,
  testNamespaces,
  untyped,
} from "../support/servers/sdk-client.ts";

const client = sdkClient();
const namespace = testNamespaces("namespaces");
const ISO_NANOSECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/;

describe("the list", () => {
  test("pages by prefix through names in the order of their storage keys", async () => {
    const names = ["demo", "demo-copy", "demo.x", "demo0", "demoA", "demo_", "demo-"];
    const prefix = "list-";
    await Promise.all(
      names.map((name) => client.namespace(prefix + name).write({ upsert_rows: [{ id: 1 }] })),
    );
    const expected = names
      .map((name) => prefix + name)
      .sort((a, b) => Buffer.compare(Buffer.from(`${a}-table/`), Buffer.from(`${b}-table/`)));
    const found: string[] = [];
    for await (const { id } of client.namespaces({ prefix, page_size: 3 })) found.push(id);
    expect(found).toEqual(expected);
    expect(found.indexOf("list-demo-copy")).toBeLessThan(found.indexOf("list-demo"));
    const first = await client.namespaces({ prefix, page_size: 3 });
    const second = await client.namespaces({
      prefix,
      page_size: 3,
      cursor: first.next_cursor ?? "",
    });
    expect(second.namespaces.map(({ id }) => id)).toEqual(expected.slice(3, 6));
    expect(second.next_cursor).not.toBe(first.next_cursor);
  });

  test("a full last page has a cursor to an empty one", async () => {
    const prefix = "list-full-";
    await Promise.all(
      [1, 2].map((i) => client.namespace(prefix + i).write({ upsert_rows: [{ id: 1 }] })),
    );
    const full = await rawCall("GET", `/v1/namespaces?prefix=${prefix}&page_size=2`);
    expect(full.json.next_cursor).toEqual(expect.any(String));
    const cursor = encodeURIComponent(full.json.next_cursor);
    const empty = await rawCall(
      "GET",
      `/v1/namespaces?prefix=${prefix}&page_size=2&cursor=${cursor}`,
    );
    expect(empty.json).toEqual({ namespaces: [], next_cursor: null });
  });

  test("checks page size and cursor", async () => {
    for (const page_size of [0, 1001]) {
      const text = `Page size must be in range 1..=1000, was ${page_size}`;
      await expectFault(client.namespaces({ page_size }), 400, text);
    }
    await expectFault(client.namespaces({ cursor: "%%%" }), 400);
  });
});

describe("metadata", () => {
  test("has exactly the documented members", async () => {
    const ns = namespace();
    await ns.write({ upsert_rows: [{ id: 1, a: 1 }] });
    const metadata = await ns.metadata();
    expect(metadata).toEqual({
      schema: expect.any(Object),
      approx_logical_bytes: expect.any(Number),
      approx_row_count: expect.any(Number),
      created_at: expect.stringMatching(ISO_NANOSECONDS),
      updated_at: expect.stringMatching(ISO_NANOSECONDS),
      last_write_at: expect.stringMatching(ISO_NANOSECONDS),
      encryption: { mode: "default" },
      index: { status: "up-to-date", unindexed_rows: 1 },
    });
    const v1 = await rawCall("GET", `/v1/namespaces/${nameOf(ns)}/metadata`);
    expect(v1.json.encryption).toEqual({ sse: true, mode: "default" });
  });

  test("updated_at moves with data and schema, last_write_at with data only", async () => {
    const ns = namespace();
    await ns.write({ upsert_rows: [{ id: 1, a: 1 }] });
    const stamps = async () => {
      const { updated_at, last_write_at } = untyped<Record<string, string>>(await ns.metadata());
      return { updated_at, last_write_at };
    };
    const first = await stamps();
    await pause(5); // Two times differ.
    await ns.updateSchema({ schema: { a: { type: "int", filterable: false } } });
    const second = await stamps();
    expect(second.updated_at > first.updated_at).toBe(true);
    expect(second.last_write_at).toBe(first.last_write_at);
    await pause(5); // Two times differ.
    await ns.write({ upsert_rows: [{ id: 2 }] });
    const third = await stamps();
    expect(third.last_write_at > second.last_write_at).toBe(true);
    await ns.updateMetadata(untyped({ read_only: true }));
    expect(await stamps()).toEqual(third);
  });

  test("pinning is set, shown and cleared", async () => {
    const ns = namespace();
    await ns.write({ upsert_rows: [{ id: 1 }] });
    const pinned = await ns.updateMetadata({ pinning: { replicas: 2 } });
    expect(pinned.pinning).toMatchObject({
      replicas: 2,
      status: { ready_replicas: 2, utilization: expect.any(Number) },
    });
    expect((await ns.updateMetadata({ pinning: true })).pinning).toMatchObject({
      replicas: expect.any(Number),
    });
    expect(await ns.updateMetadata({ pinning: null })).not.toHaveProperty("pinning");
    await expectFault(
      ns.updateMetadata({ pinning: { replicas: 0 } }),
      400,
      "replicas must be greater than 0",
    );
    const misshapen = ns.updateMetadata(untyped({ pinning: "yes" }));
    await expectFault(
      misshapen,
      422,
      "pinning: data did not match any variant of untagged enum UpdatePinningInput",
    );
  });

  test("a read-only namespace answers queries and refuses writes", async () => {
    const ns = namespace();
    await ns.write({ upsert_rows: [{ id: 1 }] });
    expect(await ns.updateMetadata(untyped({ read_only: true }))).toMatchObject({
      read_only: true,
    });
    const text = "Writes not permitted. This namespace is read-only.";
    await expectFault(ns.write({ upsert_rows: [{ id: 2 }] }), 400, text);
    await expectFault(ns.updateSchema({ schema: { a: "string" } }), 400, text);
    expect(idsOf(await ns.query({ rank_by: ["id", "asc"], limit: 5 }))).toEqual([1]);
    expect(await ns.updateMetadata(untyped({ read_only: false }))).not.toHaveProperty("read_only");
    await ns.write({ upsert_rows: [{ id: 2 }] });
    await expectFault(ns.updateMetadata(untyped({ read_only: 1 })), 422);
    await ns.updateMetadata(untyped({ read_only: true }));
    expect(await ns.deleteAll()).toMatchObject({ status: "OK" });
  });
});

describe("deleting", () => {
  test("removes the namespace, and its name can be used again at once", async () => {
    const ns = namespace();
    await ns.write({ upsert_rows: [{ id: 1, a: "text" }] });
    expect(await ns.deleteAll()).toEqual({ status: "OK" });
    await expectFault(
      ns.query({ rank_by: ["id", "asc"], limit: 1 }),
      404,
      `'${nameOf(ns)}' was not found`,
    );
    await expectFault(ns.deleteAll(), 404);
    await ns.write({ upsert_rows: [{ id: "other", a: 1 }] });
    expect((await ns.query({ rank_by: ["id", "asc"], limit: 5 })).rows).toEqual([{ id: "other" }]);
    const legacy = await rawCall("DELETE", `/v1/namespaces/${nameOf(ns)}`);
    expect(legacy).toMatchObject({ status: 200, json: { status: "OK" } });
  });
});

describe("copies and branches", () => {
  const row = { id: 1, vector: [1, 0], text: "quick fox" };
  const source = async () => {
    const ns = namespace("source");
    await ns.write({
      distance_metric: "cosine_distance",
      schema: { text: { type: "string", full_text_search: true } },
      upsert_rows: [row, { ...row, id: 2 }],
    });
    return ns;
  };

  test("a copy has all documents and the schema, and goes its own way", async () => {
    const from = await source();
    const to = namespace("copy");
    const answer = await to.copyFrom({ source_namespace: nameOf(from) });
    expect(answer).toMatchObject({
      status: "OK",
      message: "namespace cloned successfully",
      rows_affected: 2,
    });
    expect(answer).not.toHaveProperty("rows_upserted");
    await from.write({ deletes: [1] });
    await to.write({ deletes: [2] });
    expect(idsOf(await to.query({ rank_by: ["text", "BM25", "fox"], limit: 5 }))).toEqual([1]);
    expect(idsOf(await from.query({ rank_by: ["vector", "ANN", [1, 0]], limit: 5 }))).toEqual([2]);
    expect(await to.schema()).toEqual(await from.schema());
    const short = namespace("copy");
    await short.write({ copy_from_namespace: nameOf(from) });
    expect(idsOf(await short.query({ rank_by: ["id", "asc"], limit: 5 }))).toEqual([2]);
  });

  test("a branch names its parent and goes its own way", async () => {
    const from = await source();
    const to = namespace("branch");
    const answer = await to.branchFrom({ source_namespace: nameOf(from) });
    expect(answer).toMatchObject({
      status: "OK",
      message: "namespace branch successful",
      rows_affected: 0,
    });
    const metadata = untyped<Record<string, unknown>>(await to.metadata());
    expect(metadata.branching).toEqual({ parent: nameOf(from) });
    expect(metadata.last_write_at).toBe(
      untyped<Record<string, unknown>>(await from.metadata()).last_write_at,
    );
    await to.write({ upsert_rows: [{ ...row, id: 3 }] });
    await from.write({ deletes: [1, 2] });
    expect(idsOf(await to.query({ rank_by: ["id", "asc"], limit: 5 }))).toEqual([1, 2, 3]);
    expect(idsOf(await from.query({ rank_by: ["id", "asc"], limit: 5 }))).toEqual([]);
  });

  test("the destination must not exist, and nothing else may be in the request", async () => {
    const from = await source();
    const taken = namespace("taken");
    await taken.write({ upsert_rows: [{ id: 1 }] });
    await expectFault(taken.copyFrom({ source_namespace: nameOf(from) }), 409);
    await expectFault(taken.branchFrom({ source_namespace: nameOf(from) }), 409);
    await expectFault(namespace().copyFrom({ source_namespace: "no-such-namespace" }), 404);
    const mixed = namespace().write({ copy_from_namespace: nameOf(from), upsert_rows: [row] });
    await expectFault(
      mixed,
      400,
      "copy_from_namespace cannot be used with other write request fields",
    );
  });

  test("a copy inherits read_only, and only a first write asks for shards", async () => {
    const from = await source();
    await from.updateMetadata(untyped({ read_only: true }));
    const to = namespace("copy");
    await to.copyFrom({ source_namespace: nameOf(from) });
    await expectFault(to.write({ upsert_rows: [row] }), 400, "read-only");
    const sharded = namespace("sharded");
    await sharded.write({ upsert_rows: [{ id: 1 }], sharding: { num_shards: 4 } });
    expect(await sharded.metadata()).toMatchObject({ sharding: { num_shards: 4 } });
    await expectFault(namespace().branchFrom({ source_namespace: nameOf(sharded) }), 400);
    const beyond = namespace().write({ upsert_rows: [{ id: 1 }], sharding: { num_shards: 257 } });
    await expectFault(beyond, 400);
  });
});

describe("caches, plans, recall", () => {
  const ns = namespace("recall");
  const count = 50;

  test("a warm hint is accepted", async () => {
    await ns.write({
      distance_metric: "euclidean_squared",
      upsert_rows: Array.from({ length: count }, (_, id) => ({
        id,
        vector: [id, id % 7],
        even: id % 2 === 0,
      })),
    });
    const answer = await ns.hintCacheWarm();
    expect(answer).toMatchObject({ status: "ACCEPTED", message: expect.any(String) });
    const raw = await rawCall("GET", `/v1/namespaces/${nameOf(ns)}/hint_cache_warm`, undefined, {
      headers: { prefer: "respond-async" },
    });
    expect(raw.status).toBe(202);
    expect(raw.headers.get("preference-applied")).toBeNull();
    await expectFault(namespace().hintCacheWarm(), 404);
  });

  test("the debug endpoints answer", async () => {
    for (const name of ["purge_cache", "warm_cache"]) {
      const { status } = await rawCall("GET", `/v1/namespaces/${nameOf(ns)}/_debug/${name}`);
      expect([name, status]).toEqual([name, expect.toSatisfy((s) => s === 200 || s === 409)]);
    }
  });

  test("a plan is text that names the ranking", async () => {
    const answer = await ns.explainQuery({
      rank_by: ["vector", "ANN", [1, 1]],
      filters: ["even", "Eq", true],
      limit: 3,
    });
    expect(answer.plan_text).toMatch(/vector/);
    await expectFault(namespace().explainQuery({ rank_by: ["id", "asc"], limit: 1 }), 404);
    await expectFault(ns.explainQuery({ rank_by: ["nope", "asc"], limit: 1 }), 400);
  });

  test("recall is measured against the exact answer", async () => {
    const plain = await ns.recall();
    expect(plain).toEqual({ avg_recall: 1, avg_ann_count: 10, avg_exhaustive_count: 10 });
    const detailed = await ns.recall({
      num: 3,
      top_k: 4,
      include_ground_truth: true,
      filters: ["even", "Eq", true],
    });
    expect(detailed.avg_ann_count).toBe(4);
    expect(detailed.ground_truth).toHaveLength(3);
    for (const { query_vector, nearest_neighbors } of detailed.ground_truth ?? []) {
      expect(query_vector).toHaveLength(2);
      expect(nearest_neighbors).toHaveLength(4);
      for (const { id } of nearest_neighbors) expect(Number(id) % 2).toBe(0);
    }
    await expectFault(namespace().recall(), 404);
  });

  test("the deprecated export and describe calls still answer", async () => {
    const exported = await rawCall("GET", `/v1/namespaces/${nameOf(ns)}`);
    expect(exported.json.ids).toHaveLength(count);
    expect(exported.json.vectors[3]).toEqual([3, 3]);
    expect(exported.json.attributes.even[2]).toBe(true);
    const head = await rawCall("HEAD", `/v1/namespaces/${nameOf(ns)}`);
    expect(head.status).toBe(200);
  });

  test("operations that nobody started are unknown", async () => {
    const { status, json } = await rawCall("GET", `/v1/namespaces/${nameOf(ns)}/operations/nope`);
    expect([status, json.status]).toEqual([404, "error"]);
  });

  test("all documents can be paged by id", async () => {
    const ids: (string | number)[] = [];
    for (let last: number | undefined = 0; last !== undefined; ) {
      const page = idsOf(
        await ns.query({ rank_by: ["id", "asc"], filters: ["id", "Gt", last], limit: 7 }),
      );
      ids.push(...page);
      last = page.length < 7 ? undefined : Number(page.at(-1));
    }
    expect(ids).toEqual(Array.from({ length: count - 1 }, (_, i) => i + 1));
  });
});

test("names are checked with the documented plain texts", async () => {
  const bad = await rawCall("GET", "/v1/namespaces/a%20b/metadata");
  expect([bad.status, bad.text, bad.headers.get("content-type")]).toEqual([
    400,
    "Invalid URL: Namespace contains invalid characters, must be [A-Za-z0-9-_.]",
    expect.stringContaining("text/plain"),
  ]);
  const long = "n".repeat(129);
  const tooLong = await rawCall("POST", `/v2/namespaces/${long}`, {});
  expect([tooLong.status, tooLong.text]).toEqual([
    400,
    `Invalid URL: Namespace \`${long}\` is too long, limit is currently 128 characters`,
  ]);
});

describe("create_namespace", () => {
  const write = (ns: ReturnType<typeof namespace>, body: object) => ns.write(untyped(body));

  test("true makes an empty namespace that is there", async () => {
    const ns = namespace("created");
    expect(await ns.exists()).toBe(false);
    const answer = await write(ns, { create_namespace: true, schema: { id: "uuid", n: "int" } });
    expect(answer).toMatchObject({ status: "OK", rows_affected: 0 });
    expect(await ns.exists()).toBe(true);
    expect(Object.keys(await ns.schema())).toEqual(["id", "n"]);
    const { namespaces } = await client.namespaces({ prefix: nameOf(ns) });
    expect(namespaces).toEqual([{ id: nameOf(ns) }]);
    await write(ns, { create_namespace: true });
    expect((await ns.query({ filters: ["n", "Eq", 1], limit: 1 })).rows).toEqual([]);
  });

  test("false makes none, and an empty one needs the type of its ids", async () => {
    const ns = namespace("not-created");
    const rows = { upsert_rows: [{ id: 1 }] };
    await expectFault(write(ns, { ...rows, create_namespace: false }), 404, "was not found");
    await expectFault(write(ns, { create_namespace: true }), 400, "the type of `id`");
    expect(await ns.exists()).toBe(false);
  });

  test("a write of nothing is refused", async () => {
    await expectFault(namespace().write({ upsert_rows: [] }), 400, "no writes provided");
  });
});
