/** Memory is given back, absent names cost nothing, and want of room is said in time (I15). */

import { expect, test } from "vitest";
import { KIB } from "../../src/base/byte-sizes.ts";
import { seededRandom } from "../../src/base/random.ts";
import { CountingObjectStore } from "../../src/storage/counting-object-store.ts";
import { InstantClock } from "../support/clocks/instant-clock.ts";
import { effort } from "../support/effort.ts";
import { EngineFixture } from "../support/engine/engine-fixture.ts";
import { FaultyObjectStore } from "../support/stores/faulty-object-store.ts";
import { MemoryObjectStore } from "../support/stores/memory-object-store.ts";

const upsert = (...rows: object[]) => ({
  upsert_rows: rows,
  schema: { text: { type: "string", filterable: false } },
});

async function turns(count = 40): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test("segments that merges, deletes and deletions drop are given back", async () => {
  const engine = await EngineFixture.open({ queryThreads: 2 });
  for (let i = 0; i < 60; i++) {
    await engine.write("n", upsert({ id: i, text: "x".repeat(2000) }));
    await engine.rows("n");
  }
  await turns();
  const full = engine.arenas.usedBytes;
  await engine.write("n", { delete_by_filter: ["id", "Gt", 1] });
  await engine.rows("n");
  await engine.write("n", upsert({ id: 100 }));
  await turns();
  expect(engine.arenas.usedBytes).toBeLessThan(full / 5);
  await engine.write("m", upsert({ id: 1 }));
  await engine.call("delete_namespace", "n");
  await engine.call("delete_namespace", "m");
  await turns();
  expect(engine.arenas.usedBytes).toBe(0);
  expect(engine.catalog.openCount).toBe(0);
  expect(engine.catalog.instanceCount).toBe(0);
});

test("writes that fail give back what they had prepared", async () => {
  const store = new MemoryObjectStore();
  const engine = await EngineFixture.open({ store });
  await engine.write("n", upsert({ id: 1 }));
  await engine.rows("n");
  const before = engine.arenas.usedBytes;
  const put = store.put.bind(store);
  for (let round = 0; round < 5; round++) {
    store.put = async () => {
      throw new Error("gone");
    };
    const body = upsert({ id: 2, text: "x".repeat(9000) });
    expect((await engine.call("write", "n", body)).status).toBe(500);
    store.put = put;
    expect(await engine.rows("n")).toEqual([{ id: 1 }]);
    await turns();
    expect(engine.arenas.usedBytes).toBe(before);
    expect(engine.catalog.instanceCount).toBe(1);
  }
});

test("a deleted namespace leaves nothing but its mark", async () => {
  const store = new MemoryObjectStore();
  const engine = await EngineFixture.open({ store });
  await engine.write("n", upsert({ id: 1 }));
  await engine.call("delete_namespace", "n");
  expect((await engine.call("list_namespaces", undefined)).json.namespaces).toEqual([]);
  await engine.close();
  const { keys } = await store.list({ prefix: "", limit: 100 });
  expect(keys).toEqual(["deleted/n-table/0000000001"]);
});

test("names that never existed are not remembered, whatever was asked of them", async () => {
  const counting = new CountingObjectStore(new MemoryObjectStore());
  const engine = await EngineFixture.open({ store: counting });
  const asked = [
    engine.call("query", "a", { rank_by: ["id", "asc"] }),
    engine.call("write", "b", upsert({ id: "not", a: { b: 1 } })),
    engine.call("write", "c", { deletes: [1] }),
    engine.call("write", "d", "no JSON"),
    engine.call("write", "e", { copy_from_namespace: "nowhere" }),
    engine.call("delete_namespace", "f"),
    engine.call("get_metadata", "g"),
    engine.call("update_metadata", "h", { read_only: true }),
    engine.call("update_schema", "i", { a: "int" }),
    engine.call("write", "j", { ...upsert({ id: 1 }), encryption: { nonsense: 1 } }),
    engine.call("write", "k", { patch_rows: [{ id: 1, a: 1 }] }),
    engine.call("warm_cache_hint", "l"),
  ];
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  for (const status of statuses) expect(status).toBeLessThan(500);
  await turns();
  expect(engine.catalog.openCount).toBe(0);
  expect(engine.catalog.instanceCount).toBe(0);
  expect(counting.counts().requests.put).toBe(0);
  expect((await engine.call("list_namespaces", undefined)).json.namespaces).toEqual([]);
});

test("without memory a write is refused before it is durable, and the server goes on", async () => {
  const store = new MemoryObjectStore();
  const memoryBytes = 600 * KIB;
  const engine = await EngineFixture.open({ store, memoryBytes });
  const large = (id: number) => upsert({ id, text: "x".repeat(3000 + id) });
  let written = 0;
  let refused: { status: number; headers: Readonly<Record<string, string>> } | undefined;
  for (let id = 0; id < 500 && refused === undefined; id++) {
    const answer = await engine.call("write", id % 2 === 0 ? "n" : "m", large(id));
    if (answer.status === 200) written++;
    else refused = answer;
  }
  expect(refused?.status).toBe(429);
  expect(Number(refused?.headers["retry-after-ms"])).toBeGreaterThan(0);
  const count = async (of: EngineFixture) =>
    ((await of.rows("n"))?.length ?? 0) + ((await of.rows("m"))?.length ?? 0);
  expect(await count(engine)).toBe(written);
  // Room for small writes may be left; large ones are refused at once and by the dozen.
  const more = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      engine.call("write", "n", upsert({ id: 1000 + i, text: "y".repeat(100_000) })),
    ),
  );
  expect(more.filter(({ status }) => status === 429).length).toBeGreaterThan(10);
  const added = more.filter(({ status }) => status === 200).length;
  expect(await count(engine)).toBe(written + added);
  // A namespace can be deleted, and then there is room again.
  expect((await engine.call("delete_namespace", "m")).status).toBe(200);
  await turns();
  for (let id = 0; id < 20; id++) await engine.write("o", large(id));
  expect(await engine.rows("o")).toHaveLength(20);
  await engine.close();
  // What was refused is not in the log.
  const next = await EngineFixture.open({ store });
  expect((await next.rows("n"))?.some(({ id }) => Number(id) >= 1000 + 20)).toBe(false);
  expect(await next.rows("o")).toHaveLength(20);
  expect(await next.rows("m")).toBeUndefined();
});

test("patches need room for whole documents, and are refused where there is none", async () => {
  const store = new MemoryObjectStore();
  const engine = await EngineFixture.open({ store, memoryBytes: 900 * KIB });
  const rows = Array.from({ length: 100 }, (_, id) => ({ id, a: 0, text: `${id} `.repeat(1000) }));
  await engine.write("n", upsert(...rows));
  const before = (await engine.rows("n"))?.map(({ a }) => a);
  for (let id = 500; id < 600; id++) {
    await engine.call("write", "m", upsert({ id, text: "z".repeat(4000) }));
  }
  const refused = await engine.call("write", "n", {
    patch_by_filter: { filters: ["id", "Gte", 0], patch: { a: 77 } },
  });
  expect(refused.status).toBe(429);
  expect((await engine.rows("n"))?.map(({ a }) => a)).toEqual(before);
  await engine.close();
  const next = await EngineFixture.open({ store });
  expect((await next.rows("n"))?.map(({ a }) => a)).toEqual(before);
});

test("a namespace for which there is no memory can still be deleted", async () => {
  const store = new MemoryObjectStore();
  const engine = await EngineFixture.open({ store });
  await engine.write("large", upsert({ id: 1, text: "x".repeat(500_000) }));
  await engine.write("small", upsert({ id: 1 }));
  await engine.close();
  const tight = await EngineFixture.open({ store, memoryBytes: 300 * KIB });
  expect((await tight.call("query", "large", { rank_by: ["id", "asc"] })).status).toBe(429);
  expect(await tight.rows("small")).toEqual([{ id: 1 }]);
  expect((await tight.call("delete_namespace", "large")).status).toBe(200);
  expect(await tight.rows("large")).toBeUndefined();
  await tight.close();
  expect((await store.list({ prefix: "namespaces/large-table/", limit: 9 })).keys).toEqual([]);
});

test("copies are whole and give back memory, also when their source is deleted", async () => {
  const rows = Array.from({ length: 50 }, (_, id) => ({ id }));
  let copied = 0;
  const step = effort({ usual: 3, full: 1 });
  for (let delay = 0; delay < 60; delay += step) {
    const random = seededRandom(delay);
    const rates = { before: 0, after: 0, delayMsMax: 3 };
    const inner = { store: new MemoryObjectStore(), clock: new InstantClock(), random };
    const engine = await EngineFixture.open({ store: new FaultyObjectStore({ ...inner, rates }) });
    await engine.write("a", upsert(...rows));
    const copies = [
      engine.call("write", "b", { copy_from_namespace: "a" }),
      engine.call("write", "c", { branch_from_namespace: "a" }),
    ];
    await turns(delay);
    expect((await engine.call("delete_namespace", "a")).status).toBe(200);
    for (const [i, { status }] of (await Promise.all(copies)).entries()) {
      expect([200, 404]).toContain(status);
      expect(await engine.rows("bc"[i])).toEqual(status === 200 ? rows : undefined);
      if (status === 200) copied++;
    }
    await engine.call("delete_namespace", "b");
    await engine.call("delete_namespace", "c");
    await turns();
    expect(engine.arenas.usedBytes).toBe(0);
    expect(engine.catalog.instanceCount).toBe(0);
  }
  expect(copied).toBeGreaterThan(10);
});
