/** Copies under way while servers start, fail and delete: whole in the end, or nothing is left. */

import { expect, test } from "vitest";
import { InstantClock } from "../../../test/support/clocks/instant-clock.ts";
import { EngineFixture, TestKeys } from "../../../test/support/engine/engine-fixture.ts";
import {
  INDEX_AT_ONCE,
  keysOf,
  row,
  rowsUpTo,
} from "../../../test/support/engine/sharing-server.ts";
import { HookedObjectStore } from "../../../test/support/stores/hooked-object-store.ts";
import { MemoryObjectStore } from "../../../test/support/stores/memory-object-store.ts";
import { DatabaseError } from "../../base/errors.ts";
import { CREATE_ATTEMPTS_MAX } from "../../storage/create-object.ts";
import type { ObjectStore } from "../../storage/object-store.ts";

const GRACE_MS = 1000;
const shared = (store: ObjectStore, clock = new InstantClock()) =>
  EngineFixture.open({ store, clock, isShared: true, thresholds: INDEX_AT_ONCE });

test("a start beside a copy into an emptied namespace loses nothing of the copy", async () => {
  for (const part of ["/segments/", "/pins/"]) {
    const store = new HookedObjectStore();
    const clock = new InstantClock();
    const server = await shared(store);
    await server.write("from", { upsert_rows: rowsUpTo(20) });
    await server.indexAll();
    await server.write("to", { upsert_rows: [row(1)] });
    await server.write("to", { deletes: [1] });
    await server.indexAll();
    await server.write("from", { upsert_rows: [row(30)] });
    store.after = async (key, kind) => {
      if (kind !== "put" || !key.includes(part) || !key.includes("to-table")) return;
      store.after = undefined;
      const next = await shared(store, clock);
      const indexer = next.indexer({ graceMs: GRACE_MS });
      await next.write("from", { upsert_rows: rowsUpTo(20).map(({ id }) => row(id, "again")) });
      for (let pass = 0; pass < 5; pass++) {
        await indexer.pass();
        await clock.sleep(GRACE_MS);
      }
      await next.close();
    };
    const expected = [rowsUpTo(20), rowsUpTo(20).map(({ id }) => row(id, "again"))];
    const { status } = await server.call("write", "to", { copy_from_namespace: "from" });
    const last = await shared(store);
    const rows = await last.rows("to");
    if (status === 200) expect(expected.map((some) => [...some, row(30)])).toContainEqual(rows);
    else expect(rows).toEqual([]);
    await last.close();
    await server.close();
  }
});

test("what a copy under another key reads stays until it is read", async () => {
  const store = new HookedObjectStore();
  const keys = new TestKeys();
  keys.names.add("k");
  const server = await EngineFixture.open({ store, keys, thresholds: INDEX_AT_ONCE });
  for (let part = 0; part < 3; part++) {
    await server.write("from", {
      upsert_rows: rowsUpTo(10).map(({ id }) => row(part * 10 + id)),
    });
    await server.indexAll();
  }
  const other = await EngineFixture.open({ store, keys, thresholds: INDEX_AT_ONCE });
  const again = rowsUpTo(30).map(({ id }) => row(id, "again"));
  store.after = async (key, kind) => {
    if (kind !== "put" || !key.includes("/to-table/0000000001/segments/")) return;
    store.after = undefined;
    await server.write("from", { upsert_rows: again });
    for (let pass = 0; pass < 3; pass++) await other.indexAll();
  };
  const encryption = { cmek: { key_name: "k" } };
  const answer = await server.call("write", "to", { copy_from_namespace: "from", encryption });
  expect([answer.status, answer.json.error]).toEqual([200, undefined]);
  expect([rowsUpTo(30), again]).toContainEqual(await server.rows("to"));
  for (let pass = 0; pass < 4; pass++) await other.indexAll();
  expect(await keysOf(store, "/pins/")).toEqual([]);
  await server.close();
  await other.close();
});

test("a deletion whose outcome stayed open does not keep garbage for good", async () => {
  const store = new HookedObjectStore();
  const clock = new InstantClock();
  const server = await EngineFixture.open({ store, clock, thresholds: INDEX_AT_ONCE });
  await server.write("n", { upsert_rows: rowsUpTo(10) });
  store.before = async (key, kind) => {
    if (kind === "put" && key.includes("/wal/")) throw new DatabaseError("unavailable", "down");
  };
  expect((await server.call("delete_namespace", "n")).status).toBe(503);
  store.before = undefined;
  expect(await server.rows("n")).toEqual(rowsUpTo(10));
  const indexer = server.indexer({ graceMs: GRACE_MS });
  for (let round = 0; round < 6; round++) {
    await server.write("n", { upsert_rows: rowsUpTo(10) });
    await indexer.pass();
    await server.follow();
    await clock.sleep(GRACE_MS);
  }
  expect((await keysOf(store, "/wal/")).length).toBeLessThan(4);
  expect((await store.list({ prefix: "deleting/", limit: 2 })).keys).toEqual([]);
  await server.close();
});

test("a copy that fails cleanly does not uncover what one before it left", async () => {
  const store = new HookedObjectStore();
  const clock = new InstantClock();
  const server = await EngineFixture.open({ store, clock });
  await server.write("from", { upsert_rows: rowsUpTo(10) });
  store.before = async (key, kind) => {
    const isLost = kind === "put" && key.includes("/to-table/0000000001/wal/");
    const isStuck = kind === "delete" && key.includes("/to-table/0000000001/segments/");
    if (isLost || isStuck) throw new DatabaseError("unavailable", "down");
  };
  const copy = { copy_from_namespace: "from" };
  expect((await server.call("write", "to", copy)).status).toBe(503);
  store.before = async (key, kind) => {
    if (kind === "put" && key.includes("/to-table/") && key.includes("/segments/")) {
      throw new DatabaseError("unavailable", "down");
    }
  };
  expect((await server.call("write", "to", copy)).status).toBe(503);
  store.before = undefined;
  expect(await server.rows("to")).toBeUndefined();
  await server.write("to", copy);
  expect(await server.rows("to")).toEqual(rowsUpTo(10));
  await server.close();
});

test("an entry of a copy that arrives after its failure was told breaks nothing", async () => {
  for (const isThere of [false, true]) {
    const store = new HookedObjectStore();
    const server = await EngineFixture.open({ store });
    await server.write("from", { upsert_rows: rowsUpTo(10) });
    if (isThere) {
      await server.write("to", { upsert_rows: [row(1)] });
      await server.write("to", { deletes: [1] });
    }
    let late: (() => Promise<unknown>) | undefined;
    let isDown = true;
    let tries = 0;
    store.put = async (key, body, condition) => {
      const put = () => MemoryObjectStore.prototype.put.call(store, key, body, condition);
      if (!isDown || !key.includes("/to-table/0000000001/wal/")) return put();
      late ??= put;
      isDown = ++tries < CREATE_ATTEMPTS_MAX;
      throw new DatabaseError("unavailable", "no answer");
    };
    const { status } = await server.call("write", "to", { copy_from_namespace: "from" });
    expect(status).toBe(503);
    isDown = false;
    await late?.();
    const next = await EngineFixture.open({ store });
    expect([undefined, [], rowsUpTo(10)]).toContainEqual(await next.rows("to"));
    expect([undefined, [], rowsUpTo(10)]).toContainEqual(await server.rows("to"));
    await server.close();
    await next.close();
  }
});

test("what another server is filling is not listed before it exists", async () => {
  const store = new HookedObjectStore();
  const a = await shared(store);
  const b = await shared(store);
  await a.write("from", { upsert_rows: rowsUpTo(10) });
  let listed: unknown;
  store.after = async (key, kind) => {
    if (kind !== "put" || !key.includes("/to-table/0000000001/segments/")) return;
    listed = (await b.call("list_namespaces", undefined)).json.namespaces;
  };
  await a.write("to", { copy_from_namespace: "from" });
  store.after = undefined;
  expect(listed).toEqual([{ id: "from" }]);
  expect((await b.call("list_namespaces", undefined)).json.namespaces).toHaveLength(2);
  await a.close();
  await b.close();
});

test("a namespace that is deleted while another server opens it is not there", async () => {
  const store = new HookedObjectStore();
  const a = await shared(store);
  for (let id = 0; id < 4; id++) await a.write("n", { upsert_rows: [row(id)] });
  for (let pass = 0; pass < 3; pass++) await a.indexAll();
  await a.write("n", { upsert_rows: [row(9)] });
  const before = (await keysOf(store)).length;
  expect(before).toBeGreaterThan(2);
  for (let call = 1; ; call++) {
    const copy = new HookedObjectStore();
    for (const key of (await store.list({ prefix: "", limit: 1000 })).keys) {
      await copy.put(key, (await store.get(key)) ?? new Uint8Array(0), { kind: "always" });
    }
    const b = await shared(copy);
    const c = await shared(copy);
    let left = call;
    copy.before = async () => {
      if (--left > 0) return;
      copy.before = undefined;
      await c.call("delete_namespace", "n");
      await c.catalog.settle();
    };
    const query = { rank_by: ["id", "asc"], limit: 10 };
    const { status, json } = await b.call("query", "n", query);
    expect([200, 404], `call ${call}: ${JSON.stringify(json)}`).toContain(status);
    await b.close();
    await c.close();
    if (left > 0) return expect(call, "no call was interrupted").toBeGreaterThan(3);
  }
});

test("a branch whose deletion intent stays for a while is told all the same", async () => {
  const store = new HookedObjectStore();
  const intents = async () => (await store.list({ prefix: "deleting/", limit: 2 })).keys;
  const server = await EngineFixture.open({ store, thresholds: INDEX_AT_ONCE });
  await server.write("from", { upsert_rows: rowsUpTo(10) });
  await server.indexAll();
  store.before = async (key, kind) => {
    if (kind === "delete" && key.startsWith("deleting/to-table/")) {
      throw new DatabaseError("overloaded", "too much");
    }
  };
  const answer = await server.call("write", "to", { branch_from_namespace: "from" });
  expect([answer.status, answer.json.error]).toEqual([200, undefined]);
  expect(await intents()).toHaveLength(1);
  store.before = undefined;
  expect(await server.rows("to")).toEqual(rowsUpTo(10));
  await server.close();
  const next = await EngineFixture.open({ store, thresholds: INDEX_AT_ONCE });
  expect(await next.rows("to")).toEqual(rowsUpTo(10));
  expect(await intents()).toEqual([]);
  await next.close();
});
