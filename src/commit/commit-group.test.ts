/** Group commit: what waits shares an entry, and still every request stands alone (I4 to I6). */

import { expect, test } from "vitest";
import { InstantClock } from "../../test/support/clocks/instant-clock.ts";
import { effort } from "../../test/support/effort.ts";
import { EngineFixture, TestKeys } from "../../test/support/engine/engine-fixture.ts";
import { MemoryObjectStore } from "../../test/support/stores/memory-object-store.ts";
import { MIB } from "../base/byte-sizes.ts";
import { DatabaseError } from "../base/errors.ts";
import { CountingObjectStore } from "../storage/counting-object-store.ts";
import { LOG_END_KNOWN_MS_MAX } from "./opened/namespace-log.ts";

const upsert = (...rows: object[]) => ({ upsert_rows: rows });

test("writes that wait share few entries, and all of them are there", async () => {
  const store = new CountingObjectStore(new MemoryObjectStore());
  const engine = await EngineFixture.open({ store });
  await engine.write("n", upsert({ id: 0 }));
  const before = store.counts().requests.put;
  await Promise.all(Array.from({ length: 64 }, (_, i) => engine.write("n", upsert({ id: i + 1 }))));
  expect(store.counts().requests.put - before).toBeLessThanOrEqual(8);
  expect(await engine.rows("n")).toEqual(Array.from({ length: 65 }, (_, id) => ({ id })));
});

test("of 64 writes that create one id only if it is absent, one is applied", async () => {
  const engine = await EngineFixture.open();
  const answers = await Promise.all(
    Array.from({ length: 64 }, (_, owner) =>
      engine.write("n", {
        ...upsert({ id: 1, owner }),
        upsert_condition: ["id", "Eq", null],
        return_affected_ids: true,
      }),
    ),
  );
  const applied = answers.flatMap(({ json }, owner) => (json.rows_upserted === 1 ? [owner] : []));
  expect(applied).toHaveLength(1);
  expect(await engine.rows("n")).toEqual([{ id: 1, owner: applied[0] }]);
});

test("counters under compare-and-set lose no update", async () => {
  const engine = await EngineFixture.open();
  await engine.write("n", upsert({ id: 1, count: 0 }));
  let successes = 0;
  const increment = async () => {
    for (let tried = 0; tried < 200; tried++) {
      const count = Number((await engine.rows("n"))?.[0].count);
      const { json } = await engine.write("n", {
        patch_rows: [{ id: 1, count: count + 1 }],
        patch_condition: ["count", "Eq", count],
      });
      if (json.rows_patched === 1) {
        successes++;
        return;
      }
    }
    throw new Error("never succeeded");
  };
  await Promise.all(Array.from({ length: 16 }, increment));
  expect(successes).toBe(16);
  expect(await engine.rows("n")).toEqual([{ id: 1, count: 16 }]);
});

test("lists that many append to keep every element, each once", async () => {
  const engine = await EngineFixture.open();
  const schema = { log: { type: "[]uint", filterable: false }, version: "uint" };
  await engine.write("n", { ...upsert({ id: 1, log: [], version: 0 }), schema });
  const append = async (element: number) => {
    for (;;) {
      const [{ log, version }] = (await engine.rows("n")) as { log?: number[]; version: number }[];
      const { json } = await engine.write("n", {
        patch_rows: [{ id: 1, log: [...(log ?? []), element], version: version + 1 }],
        patch_condition: ["version", "Eq", version],
      });
      if (json.rows_patched === 1) return;
    }
  };
  await Promise.all(Array.from({ length: 12 }, (_, i) => append(i)));
  const [row] = (await engine.rows("n")) as { log: number[]; version: number }[];
  expect(row.version).toBe(12);
  expect([...row.log].sort((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, i) => i));
});

test("a refused write has no effect and does not disturb those beside it", async () => {
  const engine = await EngineFixture.open();
  await engine.write("n", upsert({ id: 0, a: 1 }));
  const answers = await Promise.all([
    engine.call("write", "n", upsert({ id: 1, a: 1 })),
    engine.call("write", "n", upsert({ id: 2, a: 1 }, { id: 3, a: "no number" })),
    engine.call("write", "n", upsert({ id: 4, a: 1 })),
    engine.call("write", "n", { ...upsert({ id: 5 }), upsert_condition: ["nowhere", "Eq", 1] }),
    engine.call("write", "n", upsert({ id: 6, a: 1 })),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 400, 200, 400, 200]);
  const ids = (await engine.rows("n"))?.map(({ id }) => id);
  expect(ids).toEqual([0, 1, 4, 6]);
});

test("what stands on a change that was not made durable is not acknowledged either", async () => {
  const store = new MemoryObjectStore();
  const engine = await EngineFixture.open({ store });
  await engine.write("n", upsert({ id: 0 }));
  const put = store.put.bind(store);
  let puts = 0;
  store.put = async (...request) => {
    if (++puts > 1) throw new Error("gone");
    return put(...request);
  };
  const answers = await Promise.all([
    engine.call("write", "n", upsert({ id: 1 })),
    engine.call("update_schema", "n", { a: "int" }),
    engine.call("update_schema", "n", { a: "int" }), // Changes nothing any more.
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 500, 500]);
  store.put = put;
  expect((await engine.call("get_schema", "n")).json.a).toBeUndefined();
});

test("reads never see part of a write", async () => {
  const engine = await EngineFixture.open();
  await engine.write("n", upsert({ id: 0, version: 0 }, { id: 1, version: 0 }));
  let done = false;
  const writing = (async () => {
    for (let version = 1; version <= 40; version++) {
      await engine.write("n", upsert({ id: 0, version }, { id: 1, version }));
    }
    done = true;
  })();
  while (!done) {
    const versions = (await engine.rows("n"))?.map(({ version }) => version) ?? [];
    expect(new Set(versions).size).toBe(1);
    expect(versions).toHaveLength(2);
  }
  await writing;
});

test("a key that does not exist refuses its own request only", async () => {
  const keys = new TestKeys();
  keys.names.add("there");
  const engine = await EngineFixture.open({ keys });
  const under = (name: string) => ({ encryption: { mode: "customer-managed", key_name: name } });
  await engine.write("n", { ...upsert({ id: 0 }), ...under("there") });
  keys.names.add("leaves");
  keys.wrapsLeft.set("leaves", 1); // There when it is checked, gone when the entry is written.
  const answers = await Promise.all([
    engine.call("write", "n", upsert({ id: 1 })),
    engine.call("write", "n", upsert({ id: 6 })), // Waits with those that follow.
    engine.call("write", "n", { ...upsert({ id: 2 }), ...under("nowhere") }),
    engine.call("write", "n", { ...upsert({ id: 3 }), ...under("leaves") }),
    engine.call("write", "n", upsert({ id: 4 })),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 400, 400, 200]);
  expect((await engine.rows("n"))?.map(({ id }) => id)).toEqual([0, 1, 4, 6]);
  await engine.write("n", upsert({ id: 5 }));
});

test("under a load that never stops, segments are merged all the same", async () => {
  const thresholds = { segmentsUnmergedMax: 12 };
  const store = new MemoryObjectStore();
  const put = store.put.bind(store);
  store.put = async (...request) => {
    // So slow that some always wait when others are done.
    for (let turn = 0; turn < 12; turn++) await new Promise((resolve) => setImmediate(resolve));
    return put(...request);
  };
  const engine = await EngineFixture.open({ store, thresholds });
  const writes = effort({ usual: 10, full: 40 });
  let most = 0;
  let written = 0;
  const client = async (first: number) => {
    for (let i = 0; i < writes; i++) {
      await engine.write("n", upsert({ id: first + i * 100 }));
      written++;
      const namespace = await engine.catalog.find("n" as never);
      const retained = namespace?.retain();
      most = Math.max(most, retained?.fresh.length ?? 0);
      retained?.release();
    }
  };
  await Promise.all(
    Array.from({ length: 24 }, async (_, i) => {
      for (let turn = 0; turn < i; turn++) await new Promise((resolve) => setImmediate(resolve));
      await client(i);
    }),
  );
  expect(written).toBe(24 * writes);
  // 240 writes leave about 10 segments with merges, and 229 if no merge is urgent.
  expect(most).toBeLessThan(60);
  expect(await engine.rows("n")).toHaveLength(24 * writes);
});

test("trouble after an entry was put never says that it was refused", async () => {
  const store = new MemoryObjectStore();
  const clock = new InstantClock();
  const engine = await EngineFixture.open({ store, clock });
  await engine.write("n", { upsert_rows: [{ id: 1 }] });
  await clock.sleep(2 * LOG_END_KNOWN_MS_MAX);
  const list = store.list.bind(store);
  store.list = () => Promise.reject(new DatabaseError("overloaded", "slow down"));
  // Whether the end of the log has moved can be told by nobody.
  const answer = await engine.call("write", "n", { upsert_rows: [{ id: 2 }] });
  expect(answer.status, JSON.stringify(answer.json)).toBe(503);
  store.list = list;
  expect(await engine.rows("n")).toHaveLength(2);
  await engine.close();
});

test("a large write is bound, resolved and built in slices, and small ones go on", async () => {
  let slices = 0;
  const engine = await EngineFixture.open({
    endsSlice: () => {
      slices++;
      return true;
    },
    memoryBytes: 64 * MIB,
  });
  await engine.write("small", upsert({ id: 0 }));
  const before = slices;
  await engine.write("small", upsert({ id: 1 }));
  const few = slices - before;
  const count = effort({ usual: 24_000, full: 40_000 });
  const rows = Array.from({ length: count }, (_, id) => ({ id: `id-${id}`, n: id, s: `s${id}` }));
  const large = engine.write("large", upsert(...rows));
  let isDone = false;
  void large.then(() => {
    isDone = true;
  });
  let writes = 0;
  for (; !isDone; writes++) await engine.write("small", upsert({ id: writes }));
  expect(writes).toBeGreaterThan(5);
  // Steps of 4096 values at most, over ids, two attributes and their dictionaries.
  expect(slices - before).toBeGreaterThan(100 + few);
  const filter = slices;
  await engine.write("large", { delete_by_filter: ["n", "Lt", count / 2] });
  expect(slices - filter).toBeGreaterThan(20);
  expect(
    (await engine.call("query", "large", { aggregate_by: { n: ["Count"] } })).json,
  ).toMatchObject({ aggregations: { n: count / 2 } });
});
