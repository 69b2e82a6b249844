/** Several servers over one store that belongs to none of them: each sees what all have written. */

import { expect, test } from "vitest";
import { DatabaseError } from "../../src/base/errors.ts";
import { seededRandom } from "../../src/base/random.ts";
import { LOG_END_KNOWN_MS_MAX } from "../../src/commit/opened/namespace-log.ts";
import { CountingObjectStore } from "../../src/storage/counting-object-store.ts";
import type { ObjectStore } from "../../src/storage/object-store.ts";
import { InstantClock } from "../support/clocks/instant-clock.ts";
import { EngineFixture } from "../support/engine/engine-fixture.ts";
import { testSeed } from "../support/random/seed.ts";
import { HookedObjectStore } from "../support/stores/hooked-object-store.ts";
import { MemoryObjectStore } from "../support/stores/memory-object-store.ts";

const ids = (rows: readonly Record<string, unknown>[] | undefined) => rows?.map(({ id }) => id);
const upsert = (...rows: number[]) => ({ upsert_rows: rows.map((id) => ({ id, n: id })) });
const open = (store: ObjectStore, clock = new InstantClock()) =>
  EngineFixture.open({ store, clock, isShared: true, thresholds: { indexTailEntries: 2 } });

async function two() {
  const store = new MemoryObjectStore();
  return { store, a: await open(store), b: await open(store) };
}

test("a strong query sees what another server has acknowledged", async () => {
  const { a, b } = await two();
  for (let id = 0; id < 20; id++) {
    const [writer, reader] = id % 3 === 0 ? [b, a] : [a, b];
    await writer.write("n", upsert(id));
    expect(ids(await reader.rows("n"))).toEqual(Array.from({ length: id + 1 }, (_, i) => i));
    const { json } = await reader.call("get_metadata", "n");
    expect(json.approx_row_count).toBe(id + 1);
  }
});

test("an eventual query asks for nothing", async () => {
  const store = new CountingObjectStore(new MemoryObjectStore());
  const a = await open(store);
  const b = await open(store);
  await a.write("n", upsert(1));
  expect(ids(await b.rows("n"))).toEqual([1]);
  await a.write("n", upsert(2));
  const before = store.counts().requests;
  const query = { rank_by: ["id", "asc"], limit: 10, consistency: { level: "eventual" } };
  const { json } = await b.call("query", "n", query);
  expect(ids(json.rows)).toEqual([1]);
  expect(store.counts().requests).toEqual(before);
  expect(ids(await b.rows("n"))).toEqual([1, 2]);
});

test("an eventual query sees nothing that is older than it says", async () => {
  const store = new CountingObjectStore(new MemoryObjectStore());
  const clock = new InstantClock();
  const a = await open(store);
  const b = await open(store, clock);
  const eventual = async (max_staleness_seconds?: number) => {
    const consistency = { level: "eventual", max_staleness_seconds };
    const { json } = await b.call("query", "n", {
      rank_by: ["id", "asc"],
      limit: 10,
      consistency,
    });
    return ids(json.rows);
  };
  const looks = () => store.counts().requests.get;
  await a.write("n", upsert(1));
  expect(await eventual()).toEqual([1]);
  await a.write("n", upsert(2));
  const before = looks();
  await clock.sleep(19_990);
  expect(await eventual(20)).toEqual([1]);
  expect(looks()).toBe(before);
  await clock.sleep(10);
  expect(await eventual(20)).toEqual([1, 2]);
  await a.write("n", upsert(3));
  // The bound is one minute unless it is given, and looks for other queries count.
  await clock.sleep(50_000);
  const later = looks();
  expect(await eventual()).toEqual([1, 2]);
  expect(looks()).toBe(later);
  await clock.sleep(10_000);
  expect(await eventual()).toEqual([1, 2, 3]);
  await a.write("n", upsert(4));
  expect(await eventual(0)).toEqual([1, 2, 3, 4]);
});

test("a follower's look counts, and where the store fails nothing older is answered", async () => {
  const store = new HookedObjectStore();
  const clock = new InstantClock();
  const a = await open(store);
  const b = await open(store, clock);
  const count = async (max_staleness_seconds: number) => {
    const consistency = { level: "eventual", max_staleness_seconds };
    const { status, json } = await b.call("query", "n", {
      aggregate_by: { all: ["Count"] },
      consistency,
    });
    return status === 200 ? json.aggregations.all : status;
  };
  await a.write("n", upsert(1));
  expect(await count(60)).toBe(1);
  await a.write("n", upsert(2));
  await clock.sleep(40_000);
  await b.catalog.follow(clock.monotonicMs());
  store.before = () => Promise.reject(new DatabaseError("unavailable", "the store is away"));
  await clock.sleep(30_000);
  expect(await count(60)).toBe(2);
  await clock.sleep(60_000);
  expect(await count(60)).toBe(503);
  expect(await count(3_600)).toBe(2);
});

test("a strong query costs one round beside its own", async () => {
  const store = new CountingObjectStore(new MemoryObjectStore());
  const a = await open(store);
  await a.write("n", upsert(1));
  await a.rows("n");
  const before = store.counts().requests.get;
  await a.rows("n");
  // The next entry, and the mark of a deletion, side by side.
  expect(store.counts().requests.get - before).toBe(2);
});

test("writes of two servers are put one after the other, and none is lost or refused", async () => {
  const { store, a, b } = await two();
  const written: number[] = [];
  const write = async (server: EngineFixture, from: number) => {
    for (let id = from; id < from + 15; id++) {
      await server.write("n", upsert(id));
      written.push(id);
    }
  };
  await Promise.all([write(a, 0), write(b, 100)]);
  const expected = written.sort((x, y) => x - y);
  expect(ids(await a.rows("n"))).toEqual(expected);
  expect(ids(await b.rows("n"))).toEqual(expected);
  const next = await open(store);
  expect(ids(await next.rows("n"))).toEqual(expected);
});

test("of two servers that create an id, one does", async () => {
  const { a, b } = await two();
  const create = { ...upsert(1), upsert_condition: ["id", "Eq", null] };
  for (let round = 0; round < 5; round++) {
    const body = { ...create, upsert_rows: [{ id: round, n: 1 }] };
    const answers = await Promise.all([a.call("write", "n", body), b.call("write", "n", body)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const created = answers.map(({ json }) => json.rows_upserted);
    expect(
      created.reduce((x: number, y: number) => x + y),
      JSON.stringify(created),
    ).toBe(1);
  }
});

test("a namespace that another server deleted is gone, and created again is another", async () => {
  const { a, b } = await two();
  await a.write("n", upsert(1, 2));
  expect(ids(await b.rows("n"))).toEqual([1, 2]);
  await a.call("delete_namespace", "n");
  expect(await b.rows("n")).toBeUndefined();
  await a.write("n", upsert(3));
  expect(ids(await b.rows("n"))).toEqual([3]);
  await b.call("delete_namespace", "n");
  await b.write("n", upsert(4));
  expect(ids(await a.rows("n"))).toEqual([4]);
});

test("a server that slept while the log moved on and was collected sees all of it", async () => {
  const store = new MemoryObjectStore();
  const clock = new InstantClock();
  const a = await open(store, clock);
  const b = await open(store);
  await a.write("n", upsert(1));
  expect(ids(await b.rows("n"))).toEqual([1]);
  for (let id = 2; id < 8; id++) await b.write("n", upsert(id));
  await b.indexAll();
  await b.indexAll();
  const { keys } = await store.list({ prefix: "namespaces/", limit: 100 });
  expect(keys.filter((key) => key.includes("/wal/"))).toEqual([]);
  await clock.sleep(LOG_END_KNOWN_MS_MAX + 1);
  expect(ids(await a.rows("n"))).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

test("a start beside a copy under way refuses the copy or leaves it whole", async () => {
  for (let turns = 0; turns < 40; turns++) {
    const store = new MemoryObjectStore();
    const a = await open(store);
    await a.write("from", upsert(1, 2));
    const copy = a.call("write", "to", { copy_from_namespace: "from" });
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
    const b = await open(store);
    const { status } = await copy;
    const rows = ids(await b.rows("to"));
    expect([200, 409], `${turns} turns`).toContain(status);
    expect(rows, `${turns} turns`).toEqual(status === 200 ? [1, 2] : undefined);
    expect(ids(await a.rows("to"))).toEqual(rows);
    await b.write("to", upsert(9));
    expect(ids(await a.rows("to"))).toEqual([...(rows ?? []), 9]);
  }
});

test("strong queries and writes of two servers at the same time", async () => {
  const seed = testSeed();
  const random = seededRandom(seed);
  const { a, b } = await two();
  const acknowledged = new Set<number>();
  await a.write("n", upsert(0));
  acknowledged.add(0);
  const client = async (server: EngineFixture, from: number) => {
    for (let step = 0; step < 25; step++) {
      const id = from + step;
      if (random.below(2) === 0) {
        await server.write("n", upsert(id));
        acknowledged.add(id);
        continue;
      }
      const before = [...acknowledged];
      const found = new Set(ids(await server.rows("n")));
      for (const id of before) expect(found.has(id), `seed ${seed}: ${id} of ${from}`).toBe(true);
    }
  };
  await Promise.all([client(a, 100), client(b, 200), client(a, 300), client(b, 400)]);
});

test("a request that joins an opening under way sees what was written since it began", async () => {
  const store = new MemoryObjectStore();
  const first = await EngineFixture.open({ store, isShared: true });
  await first.write("n", { upsert_rows: [{ id: 1 }] });
  const slow = new MemoryObjectStore();
  let goOn: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  slow.get = (key) => store.get(key);
  slow.getRange = (key, start, end) => store.getRange(key, start, end);
  slow.put = (key, body, condition) => store.put(key, body, condition);
  slow.list = async (request) => {
    const page = await store.list(request);
    if (request.prefix.startsWith("namespaces/n-")) await held;
    return page;
  };
  const second = await EngineFixture.open({ store: slow, isShared: true });
  const early = second.rows("n");
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  await first.write("n", { upsert_rows: [{ id: 2 }] });
  const late = second.call("get_metadata", "n");
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  goOn();
  await early;
  expect((await late).json.approx_row_count).toBe(2);
  await first.close();
  await second.close();
});
