/** Manifests: restarts read them, failures delay them, nothing useless stays (I7, I10, I12). */

import { expect, test } from "vitest";
import { seededRandom } from "../../src/base/random.ts";
import type { ObjectKey } from "../../src/storage/object-store.ts";
import { InstantClock } from "../support/clocks/instant-clock.ts";
import { effort } from "../support/effort.ts";
import { EngineFixture, type FixtureOptions, TestKeys } from "../support/engine/engine-fixture.ts";
import { FaultyObjectStore } from "../support/stores/faulty-object-store.ts";
import { MemoryObjectStore } from "../support/stores/memory-object-store.ts";

const THRESHOLDS = { indexTailEntries: 4, segmentsUnmergedMax: 3 };
const QUIET = { before: 0, after: 0, delayMsMax: 0 };
const upsert = (...rows: object[]) => ({ upsert_rows: rows });

async function keysOf(store: MemoryObjectStore, part: string): Promise<ObjectKey[]> {
  const { keys } = await store.list({ prefix: "", limit: 10_000 });
  return keys.filter((key) => key.includes(part));
}

async function turns(count = 60): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function faulty(store: MemoryObjectStore): FaultyObjectStore {
  const clock = new InstantClock();
  return new FaultyObjectStore({ store, random: seededRandom(2), clock, rates: QUIET });
}

async function expectRows(options: FixtureOptions, ids: number[]): Promise<void> {
  const engine = await EngineFixture.open(options);
  expect((await engine.rows("n"))?.map(({ id }) => id)).toEqual(ids);
  await engine.close();
}

test("during writes, merges and deletes, every restart finds what was acknowledged", async () => {
  const store = new MemoryObjectStore();
  const random = seededRandom(4);
  const expected = new Set<number>();
  for (let life = 0; life < effort({ usual: 4, full: 12 }); life++) {
    const engine = await EngineFixture.open({ store, thresholds: THRESHOLDS, indexing: true });
    for (let i = 0; i < 25; i++) {
      const ids = Array.from({ length: 1 + random.below(5) }, () => random.below(200));
      const distinct = [...new Set(ids)];
      if (random.below(3) === 0) {
        await engine.write("n", { deletes: distinct });
        if (expected.size > 0) for (const id of distinct) expected.delete(id);
      } else {
        await engine.write("n", upsert(...distinct.map((id) => ({ id }))));
        for (const id of distinct) expected.add(id);
      }
    }
    if (life % 2 === 0) await engine.close();
    await expectRows(
      { store },
      [...expected].sort((a, b) => a - b),
    );
  }
});

test("what a manifest makes useless is removed, imported segments included", async () => {
  const store = new MemoryObjectStore();
  const engine = await EngineFixture.open({ store, thresholds: THRESHOLDS, indexing: true });
  await engine.write("m", upsert(...Array.from({ length: 30 }, (_, id) => ({ id }))));
  await engine.write("n", { copy_from_namespace: "m" });
  for (let i = 0; i < 40; i++) await engine.write("n", upsert({ id: i % 35 }));
  await turns();
  await engine.close();
  const own = (await keysOf(store, "namespaces/n-table/")).map((key) => key.split("/")[3]);
  expect(own.filter((kind) => kind === "manifest")).toHaveLength(1);
  expect(own.filter((kind) => kind === "wal").length).toBeLessThan(8);
  expect(own.filter((kind) => kind === "segments").length).toBeLessThan(24);
  await expectRows(
    { store },
    Array.from({ length: 35 }, (_, id) => id),
  );
});

test.each(["before", "after"] as const)(
  "one that fails %s its manifest is written is made good by a later one",
  async (when) => {
    const inner = new MemoryObjectStore();
    const store = faulty(inner);
    const engine = await EngineFixture.open({ store, thresholds: THRESHOLDS, indexing: true });
    const put = store.put.bind(store);
    let failures = 0;
    store.put = async (key, body, condition) => {
      if (!key.includes("/manifest/") || failures++ >= 12) return put(key, body, condition);
      if (when === "after") await put(key, body, condition);
      throw new Error("the answer is lost");
    };
    for (let id = 0; id < 60; id++) await engine.write("n", upsert({ id }));
    expect(failures).toBeGreaterThan(12);
    await engine.indexAll();
    await engine.close();
    expect(await keysOf(inner, "/manifest/")).toHaveLength(1);
    expect(await keysOf(inner, "/wal/")).toEqual([]);
    const [{ length }] = [await keysOf(inner, "/segments/")];
    expect(length).toBeLessThan(20);
    await expectRows(
      { store: inner },
      Array.from({ length: 60 }, (_, id) => id),
    );
  },
);

test("all that it writes is encrypted with the namespace's key", async () => {
  const store = new MemoryObjectStore();
  const keys = new TestKeys();
  keys.names.add("mine");
  const engine = await EngineFixture.open({ store, keys, thresholds: THRESHOLDS, indexing: true });
  const encryption = { mode: "customer-managed", key_name: "mine" };
  for (let id = 0; id < 12; id++) {
    await engine.write("n", { ...upsert({ id, secret_name: `secret value ${id}` }), encryption });
    if (id >= 5) await engine.write("n", { deletes: [id - 5] });
  }
  await turns();
  await engine.close();
  for (const kind of ["/manifest/", "/wal/", "/segments/"]) {
    const stored = await keysOf(store, kind);
    expect(stored.length, kind).toBeGreaterThan(0);
    for (const key of stored) {
      const bytes = Buffer.from((await store.get(key)) ?? []);
      expect(bytes.includes("TRFR"), key).toBe(false);
      expect(bytes.includes("secret"), key).toBe(false);
    }
  }
  keys.names.clear();
  const locked = await EngineFixture.open({ store, keys });
  const answer = await locked.call("query", "n", { rank_by: ["id", "asc"] });
  expect(answer.status).toBe(503);
  expect(answer.json.error).toContain("mine is gone");
  keys.names.add("mine");
  expect(await locked.rows("n")).toHaveLength(5);
});
