/** Servers over one bucket apply each other's entries, and open nothing again for that. */

import { expect, test } from "vitest";
import { InstantClock } from "../../../test/support/clocks/instant-clock.ts";
import { effort } from "../../../test/support/effort.ts";
import {
  EngineFixture,
  type FixtureOptions,
  TestKeys,
} from "../../../test/support/engine/engine-fixture.ts";
import {
  HookedObjectStore,
  type StoreHook,
} from "../../../test/support/stores/hooked-object-store.ts";
import { MemoryObjectStore } from "../../../test/support/stores/memory-object-store.ts";
import { DatabaseError } from "../../base/errors.ts";
import { namespaceName, sequenceNumber } from "../../base/ids.ts";
import { CountingObjectStore } from "../../storage/counting-object-store.ts";
import { deletedKey, manifestPrefix, walKey } from "../../storage/object-keys.ts";
import { ALWAYS, type ObjectStore } from "../../storage/object-store.ts";
import { GARBAGE_GRACE_MS } from "../../threads/open-indexer.ts";
import { LOG_POLL_MS } from "../namespace.ts";
import { LOG_END_KNOWN_MS_MAX } from "../opened/namespace-log.ts";
import { newNamespaceStats } from "../opened/namespace-options.ts";

const NAME = namespaceName("n");
const AT = { name: NAME, generation: 1 };
const NOT_RETIRED = newNamespaceStats().retired;
const ids = (rows: readonly Record<string, unknown>[] | undefined) => rows?.map(({ id }) => id);
const upsert = (...rows: number[]) => ({ upsert_rows: rows.map((id) => ({ id, n: id })) });
const upTo = (count: number) => Array.from({ length: count }, (_, id) => id);
const open = (store: ObjectStore, options: FixtureOptions = {}) =>
  EngineFixture.open({ store, isShared: true, thresholds: { indexTailEntries: 4 }, ...options });

async function two<S extends ObjectStore>(store: S, options: FixtureOptions = {}) {
  return { store, a: await open(store, options), b: await open(store, options) };
}

/** No server has had to open a namespace again. */
function expectOpen(...servers: readonly EngineFixture[]): void {
  for (const { catalog } of servers) expect(catalog.stats.retired).toEqual(NOT_RETIRED);
}

/** Runs `act` just before the next entry of a log is put. */
function beforePut(store: HookedObjectStore, act: () => Promise<unknown>): void {
  store.before = async (key, kind) => {
    if (kind !== "put" || !key.includes("/wal/")) return;
    store.before = undefined;
    await act();
  };
}

/** Fails calls for entries of a log. */
function failsFor(failing: "get" | "put", reason: string): StoreHook {
  return async (key, kind) => {
    const isEntry = kind === failing && key.includes("/wal/");
    if (isEntry) throw new DatabaseError("unavailable", reason);
  };
}

const eventual = async (server: EngineFixture) => {
  const query = { rank_by: ["id", "asc"], limit: 100, consistency: { level: "eventual" } };
  return ids((await server.call("query", "n", query)).json.rows);
};

test("two servers that write in turns keep what they have open", async () => {
  const { a, b } = await two(new MemoryObjectStore());
  await a.write("n", upsert(0));
  await b.rows("n");
  for (let id = 1; id < 40; id++) {
    const [writer, reader] = id % 2 === 0 ? [a, b] : [b, a];
    await writer.write("n", upsert(id));
    if (id % 8 === 0) await writer.index({ graceMs: GARBAGE_GRACE_MS });
    expect(ids(await reader.rows("n"))).toEqual(upTo(id + 1));
  }
  for (const { catalog } of [a, b]) {
    expect(catalog.stats.retired).toEqual(NOT_RETIRED);
    expect(catalog.stats.followedEntries).toBeGreaterThan(15);
  }
});

test("a write behind another server's costs two puts, and a read of what won", async () => {
  const store = new CountingObjectStore(new MemoryObjectStore());
  const { a, b } = await two(store, { thresholds: {} });
  await a.write("n", upsert(0));
  await b.write("n", upsert(1));
  const before = store.counts().requests;
  for (let id = 2; id < 12; id++) await (id % 2 === 0 ? a : b).write("n", upsert(id));
  const { put, get, list } = store.counts().requests;
  // The deletion mark is read in parallel with the second put, and each server lists wait marks
  // once.
  expect([put - before.put, get - before.get, list - before.list]).toEqual([20, 20, 2]);
});

test("a server that is many entries behind reads them in a few rounds", async () => {
  const store = new CountingObjectStore(new MemoryObjectStore());
  const { a, b } = await two(store, { thresholds: {} });
  await a.write("n", upsert(0));
  await b.write("n", upsert(1));
  for (let id = 2; id < 50; id++) await a.write("n", upsert(id));
  const before = store.counts().requests;
  await b.write("n", upsert(50));
  const { put, list } = store.counts().requests;
  // One put is the wait mark's.
  expect([put - before.put, list - before.list]).toEqual([4, 1]);
  expect(ids(await a.rows("n"))).toEqual(upTo(51));
  expectOpen(b);
});

test("jobs of a lost race are resolved again on what has won", async () => {
  const { store, a, b } = await two(new HookedObjectStore());
  await a.write("n", { upsert_rows: [{ id: 1, n: 0 }] });
  await b.rows("n");
  const patch = { patch_by_filter: { filters: ["n", "Lt", 100], patch: { s: "seen" } } };
  beforePut(store, () => b.write("n", { upsert_rows: [{ id: 2, n: 5 }] }));
  expect((await a.write("n", patch)).json.rows_patched).toBe(2);
  const create = { ...upsert(3), upsert_condition: ["id", "Eq", null] };
  beforePut(store, () => b.write("n", create));
  expect((await a.write("n", create)).json.rows_upserted).toBe(0);
  beforePut(store, () => b.write("n", { deletes: [1, 2] }));
  expect((await a.write("n", { patch_rows: [{ id: 1, n: 7 }] })).json.rows_patched).toBe(0);
  beforePut(store, () => b.write("n", { upsert_rows: [{ id: 4, other: 1 }] }));
  const refused = await a.call("write", "n", { upsert_rows: [{ id: 5, other: "text" }] });
  expect([refused.status, ids(await a.rows("n"))]).toEqual([400, [3, 4]]);
  expect(await b.rows("n")).toEqual(await a.rows("n"));
  expectOpen(a, b);
});

test("a namespace that both create at once is created once, with the winner's key", async () => {
  const keys = new TestKeys();
  keys.names.add("k");
  const { store, a, b } = await two(new HookedObjectStore(), { keys });
  const encryption = { mode: "customer-managed", key_name: "k" };
  beforePut(store, () => b.write("n", { ...upsert(1), encryption }));
  await a.write("n", upsert(2));
  expect(ids(await a.rows("n"))).toEqual([1, 2]);
  expect(ids(await b.rows("n"))).toEqual([1, 2]);
  const [first, second] = [1, 2].map((n) => store.get(walKey(AT, sequenceNumber(n))));
  const start = async (object: typeof first) => Buffer.from((await object) ?? []).subarray(0, 8);
  expect(await start(second)).toEqual(await start(first));
  expectOpen(a);
});

test("a schema that another server changed holds for what is there and what comes", async () => {
  for (const indexInlineDocumentsMax of [0, 1000]) {
    const thresholds = { indexTailEntries: 4, indexInlineDocumentsMax };
    const { a, b } = await two(new MemoryObjectStore(), { thresholds });
    const schema = { t: { type: "string", filterable: false } };
    await a.write("n", { schema, upsert_rows: [{ id: 1, t: "red fox" }] });
    await b.rows("n");
    const text = { t: { type: "string", full_text_search: true, filterable: true } };
    expect((await b.call("update_schema", "n", text)).status).toBe(200);
    const search = { rank_by: ["t", "BM25", "fox"], limit: 9 };
    const filter = { rank_by: ["id", "asc"], filters: ["t", "Eq", "red fox"], limit: 9 };
    for (const query of [search, filter]) {
      let answer = await a.call("query", "n", query);
      for (let tried = 0; answer.status === 202 && tried < 9; tried++) {
        await a.catalog.settle();
        answer = await a.call("query", "n", query);
      }
      expect(ids(answer.json.rows), JSON.stringify(answer.json)).toEqual([1]);
    }
    await a.write("n", { upsert_rows: [{ id: 2, t: "old fox" }] });
    expect(ids((await b.call("query", "n", search)).json.rows)?.sort()).toEqual([1, 2]);
    const { json } = await a.call("get_schema", "n");
    expect(json).toEqual((await b.call("get_schema", "n")).json);
    expectOpen(a);
  }
});

test("search finds texts that a group of another server writes and then indexes", async () => {
  for (const indexInlineDocumentsMax of [0, 1000]) {
    const thresholds = { indexTailEntries: 4, indexInlineDocumentsMax };
    const { store, a, b } = await two(new HookedObjectStore(), { thresholds });
    const plain = { t: { type: "string", filterable: false } };
    const text = { t: { type: "string", full_text_search: true } };
    const grouped: Promise<unknown>[] = [];
    beforePut(store, async () => {
      grouped.push(a.write("n", { schema: plain, upsert_rows: [{ id: 1, t: "red fox" }] }));
      grouped.push(a.write("n", { schema: text, upsert_rows: [{ id: 2, t: "old fox" }] }));
      beforePut(store, () => b.rows("n"));
    });
    await a.write("n", upsert(0));
    await Promise.all(grouped);
    expect(await store.get(walKey(AT, sequenceNumber(3)))).toBeUndefined();
    const search = { rank_by: ["t", "BM25", "fox"], limit: 9 };
    for (const server of [a, b]) {
      let answer = await server.call("query", "n", search);
      for (let tried = 0; answer.status === 202 && tried < 9; tried++) {
        await server.catalog.settle();
        answer = await server.call("query", "n", search);
      }
      expect(ids(answer.json.rows)?.sort(), JSON.stringify(answer.json)).toEqual([1, 2]);
    }
    expectOpen(a, b);
  }
});

test("a namespace that another server deletes is closed, and its next life opened", async () => {
  const { store, a, b } = await two(new HookedObjectStore());
  await a.write("n", upsert(1));
  await b.rows("n");
  beforePut(store, () => b.call("delete_namespace", "n"));
  await a.write("n", upsert(2));
  expect(ids(await b.rows("n"))).toEqual([2]);
  expect(a.catalog.stats.retired).toEqual({ ...NOT_RETIRED, deleted: 1 });
  beforePut(store, async () => {
    await b.call("delete_namespace", "n");
    await b.write("n", upsert(3));
  });
  const { status, json } = await a.call("delete_namespace", "n");
  expect([status, json.status]).toEqual([200, "OK"]);
  expect(await b.rows("n")).toBeUndefined();
});

test("a lost race shows that the namespace was deleted by its deletion mark alone", async () => {
  const { store, a, b } = await two(new HookedObjectStore());
  await a.write("n", upsert(1));
  await b.rows("n");
  beforePut(store, async () => {
    await b.write("n", upsert(2));
    await store.put(deletedKey(AT), new Uint8Array(0), ALWAYS);
  });
  expect((await a.call("write", "n", upsert(3))).status).toBe(503);
  expect(await a.rows("n")).toBeUndefined();
  await a.write("n", upsert(3));
  expect(ids(await a.rows("n"))).toEqual([3]);
  expect(a.catalog.stats.retired).toEqual({ ...NOT_RETIRED, deleted: 1 });
});

test.each(["copy", "branch"])("a %s that another server made is followed", async (kind) => {
  const { store, a, b } = await two(new HookedObjectStore());
  await b.write("from", upsert(1, 2, 3));
  await b.indexAll();
  await b.write("from", { deletes: [2], upsert_rows: [{ id: 4, n: 4 }] });
  await a.write("n", upsert(9));
  await a.write("n", { deletes: [9] });
  await b.write("n", { [`${kind}_from_namespace`]: "from" });
  expect(ids(await a.rows("n"))).toEqual([1, 3, 4]);
  await a.write("n", upsert(5));
  await b.write("n", { deletes: [1] });
  expect(ids(await a.rows("n"))).toEqual([3, 4, 5]);
  expect(ids(await a.rows("from"))).toEqual([1, 3, 4]);
  expectOpen(a);
  // Of two that fill it at once, one is refused, whatever it has put is taken back or collected.
  beforePut(store, () => b.write("to", { [`${kind}_from_namespace`]: "from" }));
  expect((await a.call("write", "to", { [`${kind}_from_namespace`]: "n" })).status).toBe(409);
  expect(ids(await a.rows("to"))).toEqual([1, 3, 4]);
});

test("looks from time to time follow what is indexed and collected meanwhile", async () => {
  const clock = new InstantClock();
  const { store, a, b } = await two(new MemoryObjectStore(), { clock });
  const indexer = b.indexer({ graceMs: GARBAGE_GRACE_MS });
  await a.write("n", upsert(0));
  await b.rows("n");
  const count = effort({ usual: 60, full: 99 });
  for (let id = 1; id < count; id++) {
    await b.write("n", upsert(id));
    await clock.sleep(LOG_POLL_MS); // Garbage is looked for every ten minutes.
    a.catalog.use([NAME]); // By eventual queries, which see what was read for them.
    await a.catalog.follow(clock.monotonicMs());
    await indexer.pass();
    await b.catalog.follow(clock.monotonicMs());
    await clock.sleep(LOG_POLL_MS);
    await a.catalog.follow(clock.monotonicMs());
    await a.catalog.settle();
  }
  const { keys } = await store.list({ prefix: "namespaces/", limit: 1000 });
  const first = keys.find((key) => key.includes("/wal/")) ?? "";
  expect(first > walKey(AT, sequenceNumber(20))).toBe(true);
  expect(await eventual(a)).toHaveLength(count);
  expect(ids(await a.rows("n"))).toEqual(upTo(count));
  expect((await a.catalog.get(NAME)).state().index.unindexedCount).toBeLessThan(10);
  expectOpen(a, b);
});

test("a manifest of entries that a server has not seen is taken over after them", async () => {
  const { a, b } = await two(new MemoryObjectStore());
  await a.write("n", upsert(0));
  await b.rows("n");
  await b.indexAll();
  await a.follow();
  for (let id = 1; id < 9; id++) await b.write("n", upsert(id));
  const indexer = b.indexer({ graceMs: GARBAGE_GRACE_MS });
  await indexer.pass();
  await (await a.catalog.get(NAME)).follow(true);
  await a.catalog.settle();
  expect((await a.catalog.get(NAME)).state()).toMatchObject({
    documentCount: 9,
    index: { unindexedCount: 0 },
  });
  expectOpen(a);
});

test("where the log ends is known as of when it was read to its end", async () => {
  const clock = new InstantClock();
  const store = new MemoryObjectStore();
  const a = await open(store, { clock });
  const b = await open(store);
  await a.write("n", upsert(0));
  for (const count of [5, 9]) {
    for (let id = count - 4; id < count; id++) await b.write("n", upsert(id));
    await b.index({ graceMs: GARBAGE_GRACE_MS });
    await clock.sleep(LOG_END_KNOWN_MS_MAX - 20_000);
    expect(ids(await a.rows("n"))).toEqual(upTo(count));
  }
  expect(a.catalog.stats).toEqual({ ...newNamespaceStats(), followedEntries: 8 });
});

test("a server whose log was collected opens again, and only it", async () => {
  const { a, b, sleep } = await collected();
  await sleep();
  expect(ids(await a.rows("n"))).toEqual(upTo(9));
  expect(a.catalog.stats.retired).toEqual({ ...NOT_RETIRED, collected: 1 });
  expectOpen(b);
});

test("what is written and indexed while a server looks for a manifest is not lost", async () => {
  const clock = new InstantClock();
  const store = new HookedObjectStore();
  const a = await open(store, { clock });
  const b = await open(store);
  await a.write("n", upsert(0));
  await clock.sleep(LOG_END_KNOWN_MS_MAX + 1);
  store.before = async (prefix, kind) => {
    if (kind !== "list" || prefix !== manifestPrefix(AT)) return;
    store.before = undefined;
    for (let id = 1; id < 9; id++) await a.write("n", upsert(id));
    await b.index({ graceMs: GARBAGE_GRACE_MS });
  };
  expect(await (await a.catalog.get(NAME)).verify()).toBe(1);
  expect(store.before).toBeUndefined();
  expect(ids(await a.rows("n"))).toEqual(upTo(9));
  expectOpen(a);
});

test("an entry under a collected number is not followed", async () => {
  const { store, a, sleep } = await collected();
  // A writer that slept wins the number of an entry that is gone, and notices only then.
  const late = await otherEntry();
  await store.put(walKey(AT, sequenceNumber(2)), late, ALWAYS);
  await sleep();
  expect(ids(await a.rows("n"))).toEqual(upTo(9));
  expect(a.catalog.stats.retired).toEqual({ ...NOT_RETIRED, collected: 1 });
});

test("a write in doubt is found as another's, and nothing is opened again", async () => {
  const { store, a, b } = await two(new HookedObjectStore());
  await a.write("n", upsert(0));
  await b.rows("n");
  store.after = failsFor("put", "the answer is lost");
  store.before = failsFor("get", "no connection");
  const [unanswered, idle] = await Promise.all([
    a.call("write", "n", upsert(1)),
    a.call("write", "n", { deletes: [77] }),
  ]);
  expect(unanswered.status).toBe(503);
  expect([200, 503]).toContain(idle.status);
  store.after = undefined;
  store.before = undefined;
  await a.write("n", { ...upsert(1), upsert_condition: ["id", "Eq", null] });
  await a.write("n", { patch_by_filter: { filters: ["id", "Lte", 1], patch: { s: "x" } } });
  const expected = [0, 1].map((id) => ({ id, n: id, s: "x" }));
  expect(await a.rows("n")).toEqual(expected);
  expect(await b.rows("n")).toEqual(expected);
  expectOpen(a, b);
});

test("a write in doubt that never arrived makes room for another server's", async () => {
  const { store, a, b } = await two(new HookedObjectStore());
  await a.write("n", upsert(0));
  await b.rows("n");
  store.before = failsFor("put", "no connection");
  expect((await a.call("write", "n", upsert(1))).status).toBe(503);
  store.before = undefined;
  await b.write("n", upsert(2));
  await a.write("n", upsert(3));
  expect(ids(await a.rows("n"))).toEqual([0, 2, 3]);
  expect(ids(await b.rows("n"))).toEqual([0, 2, 3]);
  expectOpen(a, b);
});

test("a damaged entry of another server is reported by its name, a mended one read", async () => {
  const { store, a, b } = await two(new MemoryObjectStore());
  await a.write("n", upsert(0));
  await a.rows("n");
  await b.write("n", upsert(1));
  const key = walKey(AT, sequenceNumber(2));
  const whole = (await store.get(key)) ?? new Uint8Array(0);
  await store.put(
    key,
    Uint8Array.from(whole, (byte, i) => (i === 60 ? byte ^ 1 : byte)),
    ALWAYS,
  );
  const query = { rank_by: ["id", "asc"], limit: 9 };
  for (const answer of [await a.call("query", "n", query), await a.call("write", "n", upsert(2))]) {
    expect(answer.status).toBe(500);
    expect(answer.json.error).toContain(key);
  }
  expect(a.catalog.stats.retired).toEqual({ ...NOT_RETIRED, damaged: 1 });
  await store.put(key, whole, ALWAYS);
  await a.write("n", upsert(2));
  expect(ids(await a.rows("n"))).toEqual([0, 1, 2]);
});

test("a server without memory for another's entry says so, and follows later", async () => {
  const store = new MemoryObjectStore();
  const a = await open(store, { memoryBytes: 2 * 1024 * 1024 });
  const b = await open(store);
  await a.write("n", upsert(0));
  await a.rows("n");
  const schema = { s: { type: "string", filterable: false } };
  await b.write("n", { schema, upsert_rows: [{ id: 1, s: "x".repeat(3 * 1024 * 1024) }] });
  const query = { rank_by: ["id", "asc"], limit: 9, include_attributes: ["n"] };
  expect((await a.call("query", "n", query)).status).toBe(429);
  expect((await a.call("write", "n", upsert(2))).status).toBe(429);
  expect(await eventual(a)).toEqual([0]);
  await b.indexAll();
  await a.follow();
  await a.write("n", upsert(2));
  expect(ids((await a.call("query", "n", query)).json.rows)).toEqual([0, 1, 2]);
});

test("a query that joins another's look while entries are applied sees them", async () => {
  for (let turns = 0; turns < 24; turns++) {
    const { a, b } = await two(new MemoryObjectStore());
    await a.write("n", upsert(0));
    await a.rows("n");
    await b.write("n", upsert(1, 2, 3));
    const first = a.rows("n");
    for (let turn = 0; turn < turns; turn++) await new Promise((go) => setImmediate(go));
    const [early, late] = await Promise.all([first, a.rows("n")]);
    expect([ids(early), ids(late)], `${turns} turns`).toEqual([upTo(4), upTo(4)]);
    expectOpen(a);
  }
});

test("a strong query sees its own server's entry once it is stored, answered or not", async () => {
  const { store, a, b } = await two(new HookedObjectStore());
  await a.write("n", upsert(0));
  await b.rows("n");
  const stored = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  store.after = async (key, kind) => {
    if (kind !== "put" || !key.includes("/wal/")) return;
    store.after = undefined;
    stored.resolve();
    await answered.promise;
  };
  const written = a.write("n", upsert(1));
  await stored.promise;
  expect(ids(await b.rows("n"))).toEqual([0, 1]);
  await b.write("n", upsert(2));
  const read = a.rows("n");
  for (let turn = 0; turn < 50; turn++) await new Promise((go) => setImmediate(go));
  answered.resolve();
  expect(ids(await read)).toEqual([0, 1, 2]);
  await written;
  expectOpen(a, b);
});

test("a strong query waits for no entry that is committed after its look", async () => {
  const store = new HookedObjectStore();
  const counted = new CountingObjectStore(store);
  const a = await open(counted);
  const b = await open(store);
  await a.write("n", upsert(0));
  await b.rows("n");
  let id = 1;
  store.before = async (key, kind) => {
    if (kind !== "put" && key.includes("/wal/")) await b.write("n", upsert(id++));
  };
  const before = counted.counts().requests;
  // The first look, the listing, and the entry that is new in it: each finds one entry more.
  expect(ids(await a.rows("n"))).toEqual([0, 1, 2]);
  const { get, list } = counted.counts().requests;
  expect([id, get - before.get, list - before.list]).toEqual([4, 3, 1]);
  expectOpen(a);
});

test("an eventual query asks nothing, and sees what was followed", async () => {
  const store = new CountingObjectStore(new MemoryObjectStore());
  const { a, b } = await two(store);
  await a.write("n", upsert(0));
  await a.rows("n");
  await b.write("n", upsert(1));
  const before = store.counts().requests;
  expect(await eventual(a)).toEqual([0]);
  expect(store.counts().requests).toEqual(before);
  await a.rows("n");
  expect(await eventual(a)).toEqual([0, 1]);
});

/** Of 9 entries `a` knows the first; `b` has written the others, and all are collected. */
async function collected() {
  const clock = new InstantClock();
  const store = new MemoryObjectStore();
  const a = await open(store, { clock });
  const b = await open(store);
  await a.write("n", upsert(0));
  await b.rows("n");
  for (let id = 1; id < 9; id++) await b.write("n", upsert(id));
  await b.indexAll();
  await b.indexAll();
  // Longer than `a` believes what it knows of the log's end.
  return { store, a, b, sleep: () => clock.sleep(LOG_END_KNOWN_MS_MAX + 1) };
}

/** A second entry of a namespace, which adds document 66. */
async function otherEntry(): Promise<Uint8Array> {
  const store = new MemoryObjectStore();
  const server = await open(store);
  for (const id of [0, 66]) await server.write("n", upsert(id));
  return (await store.get(walKey(AT, sequenceNumber(2)))) ?? new Uint8Array(0);
}
