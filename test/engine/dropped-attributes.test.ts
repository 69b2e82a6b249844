/** Attributes that were dropped: gone from every answer at once, from the store by compaction. */

import { afterEach, describe, expect, test } from "vitest";
import { must } from "../../src/base/assert.ts";
import type { SegmentId } from "../../src/base/ids.ts";
import { seededRandom } from "../../src/base/random.ts";
import { ManifestStore } from "../../src/manifest/manifest-store.ts";
import { loadStoredSegment } from "../../src/segment/segment-objects.ts";
import { parseGenerationPrefix, segmentKey } from "../../src/storage/object-keys.ts";
import type { ObjectStore } from "../../src/storage/object-store.ts";
import { InstantClock } from "../support/clocks/instant-clock.ts";
import { EngineFixture, type FixtureOptions } from "../support/engine/engine-fixture.ts";
import { TestSegmentMemory } from "../support/segments/test-segment-memory.ts";
import { MemoryObjectStore } from "../support/stores/memory-object-store.ts";

const engines: EngineFixture[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

async function open(store: ObjectStore, rest: FixtureOptions = {}): Promise<EngineFixture> {
  const engine = await EngineFixture.open({ store, ...rest });
  engines.push(engine);
  return engine;
}

const TEXT = { type: "string", full_text_search: true, filterable: true };
const CREATE = {
  distance_metric: "euclidean_squared",
  schema: { t: TEXT, n: "int", other: { type: "[2]f32", ann: true } },
  upsert_rows: [1, 2, 3].map((id) => ({
    id,
    t: `secret words ${id}`,
    n: id,
    kept: `k${id}`,
    vector: [id, 0],
    other: [0, id],
  })),
};
const DROP = { t: { drop: true }, n: { drop: true }, other: { drop: true } };
const KEPT = [1, 2, 3].map((id) => ({ id, kept: `k${id}`, vector: [id, 0] }));

/** Expects that nothing of what was dropped is answered. */
async function expectGone(engine: EngineFixture, name = "n"): Promise<void> {
  expect(await engine.rows(name)).toEqual(KEPT);
  const refusals = [
    { filters: ["n", "Eq", 1], limit: 3 },
    { rank_by: ["n", "desc"], limit: 3 },
    { rank_by: ["t", "BM25", "secret"], limit: 3 },
    { rank_by: ["other", "ANN", [0, 1]], limit: 3 },
    { rank_by: ["id", "asc"], limit: 3, include_attributes: ["n"] },
    { aggregate_by: { sum: ["Sum", "n"] } },
    { aggregate_by: { count: ["Count"] }, group_by: ["n"], limit: 3 },
  ];
  for (const query of refusals) {
    const { status, json } = await engine.call("query", name, query);
    expect([status, json.error]).toEqual([400, expect.stringMatching(/"?[nt]"?|other/)]);
  }
  const { json: schema } = await engine.call("get_schema", name);
  expect(Object.keys(schema)).toEqual(["id", "kept", "vector"]);
  const { json: metadata } = await engine.call("get_metadata", name);
  expect(Object.keys(metadata.schema)).toEqual(["id", "kept", "vector"]);
  const exported = await engine.call("export_documents", name);
  expect(JSON.stringify(exported.json)).not.toMatch(/secret|"n"|"other"/);
  const recall = await engine.call("recall", name, { include_ground_truth: true, num: 2 });
  expect(recall.status).toBe(200);
  expect(JSON.stringify(recall.json)).not.toMatch(/secret|"n"|"other"/);
}

/** The same names with other types; what was there before is nowhere to be seen. */
async function expectReusable(engine: EngineFixture, name = "n"): Promise<void> {
  await engine.write(name, {
    schema: { n: "string", t: { type: "int" }, other: TEXT },
    upsert_rows: [{ id: 4, n: "four", t: 4, other: "fresh words", vector: [4, 0] }],
    patch_rows: [{ id: 2, n: "two" }],
  });
  expect(await engine.rows(name)).toEqual([
    KEPT[0],
    { ...KEPT[1], n: "two" },
    KEPT[2],
    { id: 4, n: "four", t: 4, other: "fresh words", vector: [4, 0] },
  ]);
  const found = async (query: object) => {
    const { status, json } = await engine.call("query", name, { limit: 10, ...query });
    expect(json.error).toBeUndefined();
    expect(status).toBe(200);
    return json.rows.map(({ id }: { id: number }) => id);
  };
  expect(await found({ filters: ["n", "NotEq", null] })).toEqual([2, 4]);
  expect(await found({ filters: ["n", "Eq", "two"] })).toEqual([2]);
  expect(await found({ filters: ["t", "Gte", 0] })).toEqual([4]);
  expect(await found({ rank_by: ["n", "desc"] })).toEqual([2, 4, 1, 3]);
  expect(await found({ rank_by: ["other", "BM25", "words"] })).toEqual([4]);
  const sum = await engine.call("query", name, { aggregate_by: { sum: ["Sum", "t"] } });
  expect(sum.json.aggregations).toEqual({ sum: 4 });
  const groups = { aggregate_by: { count: ["Count"] }, group_by: ["n"] };
  const { json } = await engine.call("query", name, groups);
  expect(json.aggregation_groups).toEqual([
    { n: null, count: 2 },
    { n: "four", count: 1 },
    { n: "two", count: 1 },
  ]);
}

describe("a dropped attribute", () => {
  const places: [string, (engine: EngineFixture) => Promise<void>][] = [
    ["in memory", async () => {}],
    ["in stored segments", (engine) => engine.indexAll()],
  ];

  test.each(places)("is gone at once, and its name free, %s", async (_, place) => {
    const engine = await open(new MemoryObjectStore());
    await engine.write("n", CREATE);
    await place(engine);
    const { status } = await engine.call("update_schema", "n", DROP);
    expect(status).toBe(200);
    await expectGone(engine);
    await expectReusable(engine);
  });

  test.each(places)("stays so after restarts and indexing, %s", async (_, place) => {
    const store = new MemoryObjectStore();
    const first = await open(store);
    await first.write("n", CREATE);
    await place(first);
    await first.write("n", { schema: DROP });
    await expectGone(await open(store));
    const indexed = await open(store);
    await indexed.rows("n");
    await indexed.indexAll();
    await expectGone(indexed);
    await expectGone(await open(store));
    const last = await open(store);
    await expectReusable(last);
    await last.indexAll();
    const rows = await last.rows("n");
    expect(await (await open(store)).rows("n")).toEqual(rows);
    const again = await open(store);
    await again.write("n", { schema: { t: { drop: true } }, patch_rows: [{ id: 1, t: "third" }] });
    expect((await again.rows("n"))?.map(({ t }) => t)).toEqual(["third", ...Array(3)]);
  });

  test("leaves the store with the next pass of an indexer, others stay", async () => {
    const store = new MemoryObjectStore();
    const engine = await open(store);
    await engine.write("n", CREATE);
    await engine.indexAll();
    expect(await storedColumns(store)).toEqual(["kept", "n", "other", "t", "vector"]);
    await engine.write("n", { schema: DROP });
    await engine.index();
    await engine.index();
    expect(await storedColumns(store)).toEqual(["kept", "vector"]);
    await expectGone(engine);
    await engine.write("n", { patch_rows: [{ id: 1, n: 7 }] });
    await engine.indexAll();
    expect(await storedColumns(store)).toEqual(["$3:n", "kept", "vector"]);
  });

  test("leaves memory, and the billed size, before the write returns", async () => {
    const engine = await open(new MemoryObjectStore());
    await engine.write("n", CREATE);
    const size = async () => {
      return (await engine.call("get_metadata", "n")).json.approx_logical_bytes;
    };
    const text = CREATE.upsert_rows.reduce((sum, { t }) => sum + t.length, 0);
    const before = await size();
    await engine.write("n", { schema: { t: { drop: true } } });
    expect(before - (await size())).toBe(text);
    await engine.write("n", { deletes: [1, 2, 3] });
    expect(await size()).toBe(0);
  });

  test("in one request with documents and filters, is dropped first", async () => {
    const engine = await open(new MemoryObjectStore());
    await engine.write("n", CREATE);
    const schema = { n: { drop: true } };
    await engine.write("n", { schema, patch_rows: [{ id: 1, n: "one" }] });
    expect((await engine.rows("n"))?.map(({ n }) => n)).toEqual(["one", undefined, undefined]);
    const refused = await engine.call("write", "n", {
      schema,
      delete_by_filter: ["n", "Eq", "one"],
    });
    expect([refused.status, refused.json.error]).toEqual([400, expect.stringContaining("n")]);
    expect((await engine.rows("n"))?.[0].n).toBe("one");
    const patched = { patch_by_filter: { filters: ["id", "Gt", 1], patch: { n: "more" } } };
    await engine.write("n", { schema, ...patched });
    expect((await engine.rows("n"))?.map(({ n }) => n)).toEqual([undefined, "more", "more"]);
  });

  test("is written by nobody who has not seen the drop", async () => {
    const engine = await open(new MemoryObjectStore());
    await engine.write("n", CREATE);
    const row = (id: number, n: unknown) => ({ id, n, vector: [0, 0], other: [0, 0] });
    const answers = await Promise.all([
      engine.call("write", "n", { upsert_rows: [row(5, 5)] }),
      engine.call("write", "n", { schema: { n: { drop: true } } }),
      engine.call("write", "n", { upsert_rows: [row(6, "six")] }),
      engine.call("write", "n", { upsert_rows: [row(7, 7)] }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 400]);
    const rows = await engine.rows("n");
    expect(rows?.map(({ n }) => n)).toEqual([...Array(4), "six"]);
  });

  test("is gone for another server, whose writes go by the new schema", async () => {
    const store = new MemoryObjectStore();
    const shared = { isShared: true };
    const a = await open(store, shared);
    const b = await open(store, shared);
    await a.write("n", CREATE);
    expect(await b.rows("n")).toHaveLength(3);
    await a.write("n", { schema: DROP });
    await expectGone(b);
    await expectReusable(b);
    expect(await a.rows("n")).toEqual(await b.rows("n"));
    await a.indexAll();
    await b.follow();
    expect(await a.rows("n")).toEqual(await b.rows("n"));
  });

  test.each(["copy", "branch"])("stays gone in a %s", async (kind) => {
    const store = new MemoryObjectStore();
    const engine = await open(store);
    await engine.write("n", CREATE);
    await engine.indexAll();
    await engine.write("n", { schema: DROP });
    await engine.write("m", { [`${kind}_from_namespace`]: "n" });
    await expectGone(engine, "m");
    const reopened = await open(store);
    await expectGone(reopened, "m");
    await expectReusable(reopened, "m");
    await reopened.indexAll();
    await expectGone(reopened, "n");
  });
});

/** All columns of the stored segments of the namespace `n`. */
async function storedColumns(store: ObjectStore): Promise<string[]> {
  const memory = new TestSegmentMemory();
  const generation = must(parseGenerationPrefix("namespaces/n-table/0000000001/"), "a generation");
  const options = { store, clock: new InstantClock(), random: seededRandom(1), generation };
  const manifest = await new ManifestStore(options).load();
  const columns = new Set<string>();
  for (const { id } of manifest?.segments ?? []) {
    const key = segmentKey(generation, id);
    const { view } = await loadStoredSegment(store, key, { id: id as SegmentId, memory });
    for (const column of view.attributes) columns.add(column);
  }
  return [...columns].sort();
}
