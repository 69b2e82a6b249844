/** Indexing beside a server: answers stay, logs end, nothing useless is left (I7, I10, I12). */

import { expect, test, vi } from "vitest";
import { effort } from "../../test/support/effort.ts";
import { EngineFixture } from "../../test/support/engine/engine-fixture.ts";
import { MemoryObjectStore } from "../../test/support/stores/memory-object-store.ts";
import { seededRandom } from "../base/random.ts";
import { ArenaKernels } from "../kernel/arena-kernels.ts";
import type { ObjectKey } from "../storage/object-store.ts";

const THRESHOLDS = { indexTailEntries: 2, segmentsUnmergedMax: 3 };
const upsert = (...rows: object[]) => ({ upsert_rows: rows });

async function keysOf(store: MemoryObjectStore, part: string): Promise<ObjectKey[]> {
  const { keys } = await store.list({ prefix: "", limit: 10_000 });
  return keys.filter((key) => key.includes(part));
}

async function turns(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test("documents move from the log to stored segments and stay what they are", async () => {
  const store = new MemoryObjectStore();
  const engine = await EngineFixture.open({ store, thresholds: THRESHOLDS });
  await engine.write("n", upsert({ id: 1, text: "one", n: 1 }, { id: 2, text: "two" }));
  await engine.write("n", upsert({ id: 2, text: "zwei" }, { id: 3, text: "three", n: 3 }));
  const before = await engine.rows("n");
  await engine.indexAll();
  expect(await engine.rows("n")).toEqual(before);
  await turns();
  expect(engine.arenas.usedBytes).toBe(0);
  await engine.write("n", { patch_rows: [{ id: 1, n: 7 }], deletes: [3] });
  const rows = [
    { id: 1, text: "one", n: 7 },
    { id: 2, text: "zwei" },
  ];
  expect(await engine.rows("n")).toEqual(rows);
  await engine.write("n", {
    upsert_rows: [{ id: 2, n: 9 }],
    upsert_condition: ["text", "Eq", "x"],
  });
  expect(await engine.rows("n")).toEqual(rows);
  await engine.indexAll();
  expect(await engine.rows("n")).toEqual(rows);
  await engine.close();
  const again = await EngineFixture.open({ store, thresholds: THRESHOLDS });
  expect(await again.rows("n")).toEqual(rows);
  await turns();
  expect(again.arenas.usedBytes).toBe(0);
  expect(await keysOf(store, "/wal/")).toEqual([]);
  expect(await keysOf(store, "/manifest/")).toHaveLength(1);
  await again.close();
});

test("a random history with indexing and restarts equals a map", async () => {
  const seeds = effort({ usual: 1, full: 12 });
  for (let seed = 1; seed <= seeds; seed++) {
    const random = seededRandom(seed);
    const store = new MemoryObjectStore();
    const expected = new Map<number, object>();
    const clusters = { rowsMin: 3, clusterRows: 2 };
    const open = () => EngineFixture.open({ store, thresholds: THRESHOLDS, clusters });
    let engine = await open();
    try {
      for (let step = 0; step < 80; step++) {
        const id = random.below(40);
        switch (random.below(8)) {
          case 0:
            if (expected.size > 0) await engine.write("n", { deletes: [id] });
            expected.delete(id);
            break;
          case 1:
            await engine.indexAll();
            break;
          case 2:
            if (expected.size > 0) await engine.write("n", { patch_rows: [{ id, m: step }] });
            if (expected.has(id)) expected.set(id, { ...expected.get(id), m: step });
            break;
          case 3:
            if (random.below(4) > 0) break;
            await engine.close();
            engine = await open();
            break;
          default: {
            const vector = [random.below(9), step];
            const row = { id, n: step, tag: `t${step % 3}`, vector };
            const metric = { distance_metric: "euclidean_squared" };
            await engine.write("n", { ...upsert(row), ...metric });
            expected.set(id, row);
          }
        }
        const rows = [...expected.entries()].sort(([a], [b]) => a - b).map(([, row]) => row);
        if (expected.size > 0) expect(await engine.rows("n")).toEqual(rows);
      }
      expect(engine.logs.filter(({ level }) => level !== "info")).toEqual([]);
    } catch (error) {
      throw new Error(`seed ${seed}`, { cause: error });
    }
    await engine.close();
  }
});

test("queries that need an index of stored documents wait until it is built", async () => {
  const store = new MemoryObjectStore();
  const engine = await EngineFixture.open({ store });
  const schema = { text: { type: "string", filterable: false } };
  await engine.write("n", {
    ...upsert({ id: 1, text: "red fox" }, { id: 2, text: "cat" }),
    schema,
  });
  await engine.indexAll();
  const indexed = { text: { type: "string", full_text_search: true, filterable: true } };
  expect((await engine.call("update_schema", "n", indexed)).status).toBe(200);
  await engine.write("n", upsert({ id: 3, text: "blue fox" }));
  const search = { rank_by: ["text", "BM25", "fox"], limit: 5 };
  const building = await engine.call("query", "n", search);
  expect(building.status).toBe(202);
  const { json } = await engine.call("get_metadata", "n");
  expect(json.index).toMatchObject({ status: "updating", unindexed_rows: 2 });
  await engine.close();
  const again = await EngineFixture.open({ store });
  expect((await again.call("query", "n", search)).status).toBe(202);
  // The hint is enough: the log is short.
  await again.index();
  const found = await again.call("query", "n", search);
  expect(found.json.rows.map(({ id }: { id: number }) => id).sort()).toEqual([1, 3]);
  const filtered = { rank_by: ["id", "asc"], filters: ["text", "Glob", "*fox"], limit: 5 };
  expect((await again.call("query", "n", filtered)).json.rows).toHaveLength(2);
  expect((await again.call("get_metadata", "n")).json.index).toEqual({
    status: "up-to-date",
    unindexed_rows: 0,
  });
  await again.close();
});

test("changed full-text settings come into force where no document is left", async () => {
  const engine = await EngineFixture.open();
  const schema = (stemming: boolean) => ({
    text: { type: "string", full_text_search: { language: "english", stemming } },
  });
  await engine.write("n", { ...upsert({ id: 1, text: "foxes" }), schema: schema(false) });
  await engine.indexAll();
  await engine.write("n", { deletes: [1] });
  await engine.call("update_schema", "n", schema(true));
  await engine.indexAll();
  await engine.indexAll();
  const { index } = (await engine.call("get_metadata", "n")).json;
  expect(index).toEqual({ status: "up-to-date", unindexed_rows: 0 });
  await engine.write("n", upsert({ id: 2, text: "foxes" }));
  const search = { rank_by: ["text", "BM25", "fox"], limit: 5 };
  expect((await engine.call("query", "n", search)).json.rows).toHaveLength(1);
  await engine.close();
});

test("a step is clustered by the centroids of a segment of about its size", async () => {
  const random = seededRandom(5);
  const clusters = { rowsMin: 100, clusterRows: 10 };
  const engine = await EngineFixture.open({ thresholds: THRESHOLDS, clusters });
  const scans = vi.spyOn(ArenaKernels.prototype, "nearestRows");
  const scansOfStep = async (first: number, count: number) => {
    const vector = () => Array.from({ length: 8 }, () => random.next() - 0.5);
    const upsert_rows = Array.from({ length: count }, (_, i) => ({
      id: first + i,
      vector: vector(),
    }));
    await engine.write("n", { upsert_rows, distance_metric: "cosine_distance" });
    scans.mockClear();
    await engine.indexAll();
    return scans.mock.calls.length;
  };
  const anew = await scansOfStep(0, 600);
  const again = await scansOfStep(1000, 600);
  expect(again).toBeLessThan(anew / 2);
  scans.mockRestore();
  await engine.close();
});
