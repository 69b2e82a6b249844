/** One indexer and many namespaces: none is forgotten, and none keeps the others waiting. */

import { expect, test } from "vitest";
import { InstantClock } from "../../test/support/clocks/instant-clock.ts";
import { ManualClock } from "../../test/support/clocks/manual-clock.ts";
import { EngineFixture } from "../../test/support/engine/engine-fixture.ts";
import { settled } from "../../test/support/engine/fake-port.ts";
import { keysOf, row, rowsUpTo } from "../../test/support/engine/sharing-server.ts";
import { HookedObjectStore } from "../../test/support/stores/hooked-object-store.ts";
import { MemoryObjectStore } from "../../test/support/stores/memory-object-store.ts";
import { DatabaseError } from "../base/errors.ts";
import { namespaceName } from "../base/ids.ts";
import { INDEX_HINT_REPEAT_MS } from "../commit/opened/namespace-log.ts";
import { dirtyKey } from "../storage/object-keys.ts";
import type { ObjectKey } from "../storage/object-store.ts";
import { INDEX_POLL_MS } from "./idle-pace.ts";
import { INDEX_RETRY_MS } from "./indexer.ts";

const GRACE_MS = 1000;
const upsert = (...ids: number[]) => ({ upsert_rows: ids.map((id) => row(id)) });
const at = (name: string) => ({ name: namespaceName(name), generation: 1 });

test("what is asked for while an indexer works is done by its next pass", async () => {
  const text = (stemming: boolean, ascii_folding: boolean) => ({
    text: { type: "string", full_text_search: { language: "english", stemming, ascii_folding } },
  });
  for (let call = 1; ; call++) {
    const store = new HookedObjectStore();
    const server = await EngineFixture.open({ store });
    const rows = ["a fox", "foxes"].map((words, id) => ({ id, text: words }));
    await server.write("n", { upsert_rows: rows, schema: text(false, false) });
    await server.indexAll();
    await server.call("update_schema", "n", text(false, true));
    for (let pass = 0; pass < 2; pass++) await server.indexAll();
    await server.call("update_schema", "n", text(false, false));
    let left = call;
    store.before = async () => {
      if (--left === 0) await server.call("update_schema", "n", text(true, false));
    };
    const indexer = server.indexer();
    await indexer.pass();
    store.before = undefined;
    if (left > 0) return expect(call, "no call was interrupted").toBeGreaterThan(5);
    for (let pass = 0; pass < 2; pass++) await indexer.pass();
    await server.follow();
    const query = { rank_by: ["text", "BM25", "fox"], limit: 10 };
    const { json } = await server.call("query", "n", query);
    expect(json.rows?.length, `call ${call}: ${JSON.stringify(json)}`).toBe(2);
    await server.close();
  }
});

test("a hint that is lost is given again after a while", async () => {
  const store = new MemoryObjectStore();
  const clock = new InstantClock();
  const server = await EngineFixture.open({ store, clock, thresholds: { indexTailBytes: 1 } });
  await server.write("n", upsert(1));
  await server.call("get_schema", "n");
  expect((await store.list({ prefix: "dirty/", limit: 2 })).keys).toHaveLength(1);
  await store.delete(dirtyKey(at("n")));
  await server.write("n", upsert(2));
  const indexer = server.indexer();
  await indexer.pass();
  await clock.sleep(INDEX_HINT_REPEAT_MS);
  await server.catalog.follow(clock.monotonicMs());
  await indexer.pass();
  expect(await keysOf(store, "/manifest/")).toHaveLength(1);
  await server.close();
});

test("a namespace that is written to all the time does not keep the others waiting", async () => {
  const store = new HookedObjectStore();
  const server = await EngineFixture.open({ store, thresholds: { indexTailEntries: 2 } });
  for (const id of [1, 2]) {
    await server.write("a", upsert(id));
    await server.write("b", upsert(id));
  }
  let written = 2;
  store.after = async (key) => {
    if (!key.includes("/a-table/") || !key.includes("/manifest/") || written > 30) return;
    await server.write("a", upsert(++written));
  };
  store.before = async (key) => {
    if (key.includes("/b-table/") && key.includes("/manifest/")) store.after = undefined;
  };
  await server.indexer().pass();
  expect(await keysOf(store, "/b-table/0000000001/manifest/")).toHaveLength(1);
  expect(written).toBeLessThan(6);
  await server.close();
});

test("hints are heard while all namespaces are being looked at", async () => {
  const store = new HookedObjectStore();
  const clock = new InstantClock();
  const server = await EngineFixture.open({ store, clock, thresholds: { indexTailEntries: 2 } });
  const names = Array.from({ length: 20 }, (_, index) => `n${index + 10}`);
  for (const name of names) await server.write(name, upsert(1));
  let seen = 0;
  let seenBefore = -1;
  store.list = async (request) => {
    if (request.prefix.endsWith("/wal/") && ++seen === 5) {
      await server.write("x", upsert(1));
      await server.write("x", upsert(2));
      await clock.sleep(INDEX_POLL_MS);
    }
    return MemoryObjectStore.prototype.list.call(store, request);
  };
  store.before = async (key) => {
    if (seenBefore < 0 && key.includes("/x-table/") && key.includes("/manifest/"))
      seenBefore = seen;
  };
  await server.indexer().pass();
  expect(seenBefore).toBeGreaterThan(0);
  expect(seenBefore).toBeLessThan(10);
  await server.close();
});

test("where nothing can be merged, garbage goes all the same", async () => {
  const store = new HookedObjectStore();
  const clock = new InstantClock();
  const server = await EngineFixture.open({ store, clock, thresholds: { indexTailEntries: 1 } });
  await server.write("n", { upsert_rows: rowsUpTo(10) });
  await server.indexAll();
  await server.indexAll();
  const [damaged] = (await keysOf(store, "/segments/")) as ObjectKey[];
  store.get = async (key) => {
    if (key === damaged) throw new DatabaseError("corrupt", `${key} is damaged`);
    return MemoryObjectStore.prototype.get.call(store, key);
  };
  store.getRange = async (key, start, end) => {
    const isWhole = end - start > 1024 * 1024;
    if (key === damaged && isWhole) throw new DatabaseError("corrupt", `${key} is damaged`);
    return MemoryObjectStore.prototype.getRange.call(store, key, start, end);
  };
  const indexer = server.indexer({ graceMs: GRACE_MS });
  for (let round = 0; round < 8; round++) {
    await server.write("n", { deletes: [round] });
    await server.write("n", upsert(20 + round));
    await indexer.pass();
    await clock.sleep(INDEX_RETRY_MS);
    await server.follow();
    await indexer.pass();
  }
  expect(server.logs.some(({ facts }) => String(facts.reason).includes("damaged"))).toBe(true);
  expect((await keysOf(store, "/wal/")).length).toBeLessThan(4);
  expect((await keysOf(store, "/manifest/")).length).toBeLessThan(4);
  await server.close();
});

test("namespaces that are gone are not kept in mind", async () => {
  const store = new MemoryObjectStore();
  const clock = new InstantClock();
  const server = await EngineFixture.open({ store, clock, thresholds: { indexTailEntries: 1 } });
  const indexer = server.indexer({ graceMs: GRACE_MS });
  await indexer.pass();
  for (let round = 0; round < 10; round++) {
    await server.write("n", upsert(round));
    await indexer.pass();
    await server.call("delete_namespace", "n");
    await server.catalog.settle();
    for (let pass = 0; pass < 3; pass++) {
      await clock.sleep(GRACE_MS);
      await indexer.pass();
    }
  }
  expect(await keysOf(store)).toEqual([]);
  expect(indexer.knownCount).toBeLessThan(2);
  await server.close();
});

test("garbage is looked for once in a grace period, however often a log is indexed", async () => {
  const store = new HookedObjectStore();
  const clock = new InstantClock();
  const server = await EngineFixture.open({ store, clock, thresholds: { indexTailEntries: 1 } });
  const indexer = server.indexer({ graceMs: 100 * INDEX_POLL_MS });
  let looks = 0;
  store.before = async (key, kind) => {
    if (kind === "list" && key.endsWith("/n-table/0000000001/")) looks++;
  };
  for (let round = 0; round < 50; round++) {
    await server.write("n", upsert(round));
    await indexer.pass();
    await clock.sleep(INDEX_POLL_MS);
    await server.catalog.followAll();
    await server.catalog.settle();
  }
  expect(looks).toBeLessThan(5);
  expect((await keysOf(store, "/manifest/")).length).toBeGreaterThan(40);
  await server.close();
});

test("it tells of manifests that it saves, and a hint that it hears of ends its rest", async () => {
  const store = new MemoryObjectStore();
  const clock = new ManualClock();
  const server = await EngineFixture.open({ store, clock, thresholds: { indexTailBytes: 1 } });
  const told: string[] = [];
  const indexer = server.indexer({ onManifest: ({ name }) => told.push(name) });
  const running = indexer.run();
  await server.write("n", upsert(1));
  while (told.length === 0) {
    indexer.wake();
    await settled();
  }
  expect(told).toEqual(["n"]);
  expect(clock.monotonicMs()).toBe(0);
  await server.write("m", upsert(1));
  while (told.length === 1) {
    indexer.wake();
    await settled();
  }
  expect(told).toEqual(["n", "m"]);
  indexer.stop();
  indexer.wake();
  await running;
  await server.close();
});
