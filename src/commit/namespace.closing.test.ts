/** Queries while their namespace is closed under them, deleted and created again. */

import { expect, test } from "vitest";
import { InstantClock } from "../../test/support/clocks/instant-clock.ts";
import { EngineFixture } from "../../test/support/engine/engine-fixture.ts";
import { FaultyObjectStore } from "../../test/support/stores/faulty-object-store.ts";
import { MemoryObjectStore } from "../../test/support/stores/memory-object-store.ts";
import { namespaceName } from "../base/ids.ts";
import { seededRandom } from "../base/random.ts";

const QUIET = { before: 0, after: 0, delayMsMax: 0 };
const upsert = (...rows: object[]) => ({ upsert_rows: rows });

function faultyStore(): FaultyObjectStore {
  const clock = new InstantClock();
  const random = seededRandom(3);
  return new FaultyObjectStore({ store: new MemoryObjectStore(), random, clock, rates: QUIET });
}

test("queries are answered while failing writes close the namespace under them", async () => {
  const store = faultyStore();
  const engine = await EngineFixture.open({ store });
  await engine.write("n", upsert({ id: 1 }));
  const put = store.put.bind(store);
  let failing = false;
  store.put = (key, body, condition) =>
    failing ? Promise.reject(new Error("the disk is gone")) : put(key, body, condition);
  for (let round = 0; round < 30; round++) {
    failing = true;
    const queries = Array.from({ length: 6 }, (_, i) =>
      engine.call("query", "n", {
        ...(i % 2 === 0
          ? { rank_by: ["id", "asc"], limit: 5 }
          : { aggregate_by: { count: ["Count"] } }), // Waits for its slots in the thread.
      }),
    );
    const write = await engine.call("write", "n", upsert({ id: 2 }));
    expect(write.status).toBe(500);
    failing = false;
    for (const { status } of await Promise.all(queries)) expect(status).toBe(200);
  }
  expect(await engine.rows("n")).toEqual([{ id: 1 }]);
});

test("a query of a namespace that is deleted meanwhile sees it whole or not at all", async () => {
  const engine = await EngineFixture.open();
  for (let round = 0; round < 20; round++) {
    await engine.write("n", upsert({ id: 1 }, { id: 2 }));
    const [before, deletion, after] = await Promise.all([
      engine.call("query", "n", { aggregate_by: { count: ["Count"] } }),
      engine.call("delete_namespace", "n"),
      engine.rows("n"),
    ]);
    expect([200, 404]).toContain(before.status);
    if (before.status === 200) expect(before.json.aggregations.count).toBe(2);
    expect(deletion.status).toBe(200);
    if (after !== undefined) expect(after).toHaveLength(2);
    expect(await engine.rows("n")).toBeUndefined();
  }
});

test("writes and deletions that race take effect one after the other", async () => {
  const random = seededRandom(5);
  const store = faultyStore();
  const engine = await EngineFixture.open({
    store,
    indexing: true,
    thresholds: { indexTailEntries: 2 },
  });
  store.setRates({ before: 0, after: 0, delayMsMax: 3 });
  for (let round = 0; round < 40; round++) {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        random.below(3) === 0
          ? engine.call("delete_namespace", "n")
          : engine.call("write", "n", upsert({ id: i })),
      ),
    );
    const statuses = answers.map(({ status, json }) => {
      expect([200, 404], JSON.stringify(json)).toContain(status);
      return status;
    });
    expect(statuses.length).toBe(8);
    const rows = await engine.rows("n");
    await engine.write("n", upsert({ id: 50 }));
    const expected = [...(rows ?? []).filter(({ id }) => id !== 50), { id: 50 }];
    expect(await engine.rows("n")).toEqual(expected);
  }
  await engine.close();
  const { keys } = await store.list({ prefix: "", limit: 10_000 });
  expect(keys.filter((key) => key.startsWith("deleting/"))).toEqual([]);
  expect(new Set(keys.map((key) => key.split("/").slice(0, 3).join("/"))).size).toBe(
    keys.filter((key) => key.startsWith("deleted/")).length + 1,
  );
});

test("closing waits for queries and writes under way", async () => {
  const engine = await EngineFixture.open();
  await engine.write("n", upsert({ id: 1 }));
  const running = [
    engine.call("write", "n", upsert({ id: 2 })),
    engine.call("write", "m", upsert({ id: 2 })),
    engine.call("query", "n", { rank_by: ["id", "asc"], limit: 5 }),
  ];
  await Promise.resolve();
  const closed = engine.close();
  const late = await engine.call("write", "n", upsert({ id: 3 }));
  expect(late.status).toBe(503);
  for (const { status } of await Promise.all(running)) expect(status).toBe(200);
  await closed;
});

test("a query whose namespace is deleted while it waits for bytes is told so", async () => {
  const store = new MemoryObjectStore();
  const getRange = store.getRange.bind(store);
  let goOn: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const engine = await EngineFixture.open({ store });
  await engine.write("n", { upsert_rows: [{ id: 1 }] });
  await engine.indexAll();
  await engine.call("purge_cache", "n");
  store.getRange = async (...range) => {
    await held;
    return getRange(...range);
  };
  const answering = engine.call("query", "n", { rank_by: ["id", "asc"], limit: 10 });
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect((await engine.call("delete_namespace", "n")).status).toBe(200);
  await engine.catalog.settle();
  goOn();
  const { status, json } = await answering;
  expect(status, JSON.stringify(json)).toBe(404);
  await engine.close();
});

test("a query of a server that slept while its segments were merged is run again", async () => {
  const store = new MemoryObjectStore();
  const engine = await EngineFixture.open({ store });
  await engine.write("n", upsert({ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }));
  await engine.indexAll();
  const segments = async () => {
    const { keys } = await store.list({ prefix: "namespaces/n-table/", limit: 100 });
    return keys.filter((key) => key.includes("/segments/"));
  };
  const known = await segments();
  await engine.write("n", { deletes: [1, 2, 3], ...upsert({ id: 5 }) });
  await engine.call("purge_cache", "n");
  const indexer = engine.indexer();
  const generation = { name: namespaceName("n"), generation: 1 };
  for (let pass = 0; pass < 3; pass++) await indexer.indexAll(generation);
  expect((await segments()).filter((key) => known.includes(key))).toEqual([]);
  expect(await engine.rows("n")).toEqual([{ id: 4 }, { id: 5 }]);
  await engine.close();
});
