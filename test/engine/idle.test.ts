/** Requests of servers and indexers to the store while they have no work. */

import { describe, expect, test } from "vitest";
import { KEY_POLL_MS, KeyRing } from "../../src/access/key-ring.ts";
import { KeyStore } from "../../src/access/key-store.ts";
import { DatabaseError } from "../../src/base/errors.ts";
import { namespaceName } from "../../src/base/ids.ts";
import { seededRandom } from "../../src/base/random.ts";
import { INDEX_POLL_MS_MAX } from "../../src/indexer/idle-pace.ts";
import { INDEX_RETRY_MS } from "../../src/indexer/indexer.ts";
import { CountingObjectStore } from "../../src/storage/counting-object-store.ts";
import { dirtyKey } from "../../src/storage/object-keys.ts";
import { ALWAYS } from "../../src/storage/object-store.ts";
import { keepCurrent } from "../../src/threads/write/serve-writes.ts";
import { SteppingClock } from "../support/clocks/stepping-clock.ts";
import { EngineFixture } from "../support/engine/engine-fixture.ts";
import { settled } from "../support/engine/fake-port.ts";
import { fixtureSeed } from "../support/random/fixture-seeds.ts";
import { MemoryObjectStore } from "../support/stores/memory-object-store.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const GRACE_MS = 5 * MINUTE_MS;
const NAMES = ["a", "b", "c", "d"];
const thresholds = { indexTailEntries: 2 };
const upsert = (id: number) => ({ upsert_rows: [{ id, n: id }] });

/** Records the requests to one store. */
class Requests {
  readonly memory = new MemoryObjectStore();
  list: string[] = [];
  readonly store = new CountingObjectStore(this.memory, (kind, target) => {
    this.list.push(`${kind} ${target}`);
  });

  /** Returns the requests while the clock advances. */
  async during(clock: SteppingClock, ms: number): Promise<string[]> {
    this.list = [];
    await clock.advance(ms);
    return this.list;
  }
}

/** A server of a shared store with all that it does by itself, keys included. */
async function idleServer(requests: Requests, clock = new SteppingClock()) {
  const { store } = requests;
  const server = await EngineFixture.open({ store, clock, thresholds, isShared: true });
  keepCurrent(server.catalog, clock);
  const log = () => {};
  const keyStore = new KeyStore({ store, random: seededRandom(fixtureSeed()), log });
  const keys = new KeyRing({ store: keyStore, clock, log });
  await keys.open();
  clock.every(KEY_POLL_MS, () => void keys.tick());
  return { server, keys, clock };
}

describe("an idle server", () => {
  test.each([
    { what: "that are completely indexed", isIndexed: true },
    { what: "with long logs and no indexer", isIndexed: false },
  ])("asks for nothing about namespaces $what", async ({ isIndexed }) => {
    const requests = new Requests();
    const { server, keys, clock } = await idleServer(requests);
    for (const name of NAMES) for (const id of [1, 2]) await server.write(name, upsert(id));
    if (isIndexed) await server.indexer({ graceMs: GRACE_MS }).pass();
    await keys.whenRecent();
    await clock.advance(MINUTE_MS);
    for (const name of NAMES) await server.rows(name);
    // Work in progress after the last answer comes to its end.
    await clock.advance(2 * MINUTE_MS);
    expect(server.catalog.openCount).toBe(NAMES.length);
    const asked = await requests.during(clock, 10 * MINUTE_MS);
    expect(asked.length, asked.join("\n")).toBeLessThanOrEqual(2 * 10);
    for (const name of NAMES) expect(await server.rows(name)).toHaveLength(2);
    await server.close();
  });

  test("answers with others' writes in the meantime, as old as a query allows", async () => {
    const requests = new Requests();
    const { server, clock } = await idleServer(requests);
    const other = await EngineFixture.open({ store: requests.store, clock, isShared: true });
    const count = async (level: string) => {
      const query = { aggregate_by: { all: ["Count"] }, consistency: { level } };
      return (await server.call("query", "a", query)).json.aggregations.all;
    };
    await server.write("a", upsert(1));
    await clock.advance(9 * MINUTE_MS);
    await other.write("a", upsert(2));
    expect(await count("strong")).toBe(2);
    await clock.advance(8 * MINUTE_MS);
    await other.write("a", upsert(3));
    await clock.advance(MINUTE_MS + 1);
    expect(await count("eventual")).toBe(3);
    await server.close();
    await other.close();
  });

  test("reads others' writes while a namespace is queried, so queries need not", async () => {
    const requests = new Requests();
    const { server, clock } = await idleServer(requests);
    const other = await EngineFixture.open({ store: requests.store, clock, isShared: true });
    const count = async () => {
      const consistency = { level: "eventual" };
      const query = { aggregate_by: { all: ["Count"] }, consistency };
      return (await server.call("query", "a", query)).json.aggregations.all;
    };
    await server.write("a", upsert(1));
    await other.write("a", upsert(2));
    let looks = 0;
    for (let second = 0; second < 120; second++) {
      await clock.advance(1000);
      requests.list = [];
      await count();
      looks += requests.list.length;
    }
    expect(await count()).toBe(2);
    expect(looks, "requests of 120 eventual queries").toBe(0);
    await server.close();
    await other.close();
  });

  test("takes a manifest over when its namespace is used again", async () => {
    const requests = new Requests();
    const { server, clock } = await idleServer(requests);
    for (const id of [1, 2]) await server.write("a", upsert(id));
    await clock.advance(5 * MINUTE_MS);
    await server.indexer({ graceMs: GRACE_MS }).pass();
    await clock.advance(2 * MINUTE_MS);
    await server.rows("a");
    await clock.advance(20_000);
    const { index } = (await server.catalog.get(namespaceName("a"))).state();
    expect(index.unindexedCount).toBe(0);
    await server.close();
  });
});

describe("an idle indexer", () => {
  async function idleIndexer({ isWoken }: { readonly isWoken: boolean }) {
    const requests = new Requests();
    const clock = new SteppingClock();
    const { store } = requests;
    const server = await EngineFixture.open({ store, clock, thresholds });
    for (const name of NAMES) for (const id of [1, 2]) await server.write(name, upsert(id));
    const indexed: string[] = [];
    const onManifest = ({ name }: { readonly name: string }) => void indexed.push(name);
    const indexer = server.indexer({ graceMs: GRACE_MS, onManifest, isWoken });
    const running = indexer.run();
    await clock.advance(HOUR_MS);
    await server.follow();
    expect([...new Set(indexed)].sort()).toEqual(NAMES);
    indexed.length = 0;
    const stop = async () => {
      indexer.stop();
      indexer.wake();
      await running;
      await server.close();
    };
    return { requests, clock, server, indexer, indexed, stop };
  }

  test.each([
    { what: "by itself", isWoken: false, perMinute: 12 },
    { what: "that a server wakes", isWoken: true, perMinute: 2 },
  ])("$what asks at most $perMinute times a minute", async ({ isWoken, perMinute }) => {
    const { requests, clock, stop } = await idleIndexer({ isWoken });
    for (let part = 0; part < 6; part++) {
      const asked = await requests.during(clock, 10 * MINUTE_MS);
      expect(asked.length, asked.join("\n")).toBeLessThanOrEqual(10 * perMinute);
    }
    await stop();
  });

  test("that is woken indexes at once", async () => {
    const { clock, server, indexer, indexed, stop } = await idleIndexer({ isWoken: true });
    const beforeMs = clock.monotonicMs();
    for (const id of [3, 4, 5]) await server.write("a", upsert(id));
    while (indexed.length === 0) {
      indexer.wake();
      await settled();
    }
    expect(clock.monotonicMs()).toBe(beforeMs);
    await stop();
  });

  test("that is woken tries again what has failed, without being woken", async () => {
    const { requests, clock, server, indexer, indexed, stop } = await idleIndexer({
      isWoken: true,
    });
    const { memory } = requests;
    const { put } = memory;
    let isRefused = false;
    memory.put = (key, body, condition) => {
      if (!key.includes("/segments/")) return put.call(memory, key, body, condition);
      isRefused = true;
      return Promise.reject(new DatabaseError("unavailable", "away"));
    };
    for (const id of [3, 4]) await server.write("a", upsert(id));
    indexer.wake();
    while (!isRefused) await clock.advance(1000);
    await clock.advance(5000); // All tries have failed.
    memory.put = put;
    await clock.advance(INDEX_RETRY_MS + 1000);
    expect(new Set(indexed)).toEqual(new Set(["a"]));
    await stop();
  });

  test("finds a hint of another server soon, and the next ones sooner", async () => {
    const { clock, server, indexed, stop } = await idleIndexer({ isWoken: false });
    for (const id of [3, 4]) await server.write("a", upsert(id));
    await clock.advance(INDEX_POLL_MS_MAX);
    expect(new Set(indexed)).toEqual(new Set(["a"]));
    for (const id of [3, 4]) await server.write("b", upsert(id));
    await clock.advance(1000);
    expect(new Set(indexed)).toEqual(new Set(["a", "b"]));
    await stop();
  });

  test("finds a log whose hint was lost", async () => {
    const { requests, clock, server, indexed, stop } = await idleIndexer({ isWoken: false });
    for (const id of [3, 4]) await server.write("c", upsert(id));
    await settled();
    await requests.memory.delete(dirtyKey({ name: namespaceName("c"), generation: 1 }));
    await clock.advance(HOUR_MS);
    expect(new Set(indexed)).toEqual(new Set(["c"]));
    await stop();
  });

  test("does not read damaged namespaces all the time", async () => {
    const { requests, clock, server, stop } = await idleIndexer({ isWoken: false });
    const wal = { upsert_rows: [{ id: 9, n: 9 }] };
    for (let id = 0; id < 2; id++) await server.write("d", wal);
    const { keys } = await requests.memory.list({ prefix: "namespaces/d-table/", limit: 100 });
    const last = keys.filter((key) => key.includes("/wal/")).at(-1);
    if (last === undefined) throw new Error("there is no log");
    await requests.memory.put(last, Uint8Array.of(1, 2, 3), ALWAYS);
    await clock.advance(HOUR_MS);
    const asked = await requests.during(clock, 10 * MINUTE_MS);
    expect(asked.filter((request) => request.includes("/d-table/")).length).toBeLessThan(40);
    await stop();
  });
});
