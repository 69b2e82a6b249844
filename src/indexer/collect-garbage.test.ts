/** What no manifest reaches is removed, in time and no sooner; what one reaches stays (I12). */

import { expect, test } from "vitest";
import { InstantClock } from "../../test/support/clocks/instant-clock.ts";
import { effort } from "../../test/support/effort.ts";
import { EngineFixture } from "../../test/support/engine/engine-fixture.ts";
import { testSeed } from "../../test/support/random/seed.ts";
import {
  FaultyObjectStore,
  SimulatedCrash,
} from "../../test/support/stores/faulty-object-store.ts";
import { MemoryObjectStore } from "../../test/support/stores/memory-object-store.ts";
import { reachableFrom } from "../../test/support/stores/reachable.ts";
import { namespaceName } from "../base/ids.ts";
import { seededRandom } from "../base/random.ts";
import { newSegmentId } from "../segment/format/segment-id.ts";
import { dirtyKey, manifestKey, segmentKey, walKey } from "../storage/object-keys.ts";
import { ALWAYS, type ObjectKey } from "../storage/object-store.ts";

const AT = { name: namespaceName("n"), generation: 1 };
const GRACE_MS = 1000;
const QUIET = { before: 0, after: 0, delayMsMax: 0 };
const upsert = (...ids: number[]) => ({ upsert_rows: ids.map((id) => ({ id, n: id })) });

async function allKeys(store: MemoryObjectStore): Promise<ObjectKey[]> {
  const { keys } = await store.list({ prefix: "namespaces/", limit: 10_000 });
  return [...keys];
}

const keysWith = async (store: MemoryObjectStore, part: string) =>
  (await allKeys(store)).filter((key) => key.includes(part));

const reachable = (store: MemoryObjectStore) => reachableFrom(store, AT);

test("covered log entries and old manifests stay for the grace, then they go", async () => {
  const store = new MemoryObjectStore();
  const clock = new InstantClock();
  const engine = await EngineFixture.open({ store, clock, thresholds: { indexTailEntries: 1 } });
  await engine.write("n", upsert(1, 2));
  const indexer = engine.indexer({ graceMs: GRACE_MS });
  await indexer.pass();
  expect(await allKeys(store)).toContain(walKey(AT, 1 as never));
  await clock.sleep(GRACE_MS / 2);
  await indexer.pass();
  expect(await allKeys(store)).toContain(walKey(AT, 1 as never));
  await clock.sleep(GRACE_MS);
  await indexer.pass();
  expect(await allKeys(store)).toEqual(await reachable(store));
  await engine.follow();
  expect(await engine.rows("n")).toHaveLength(2);
  await engine.close();
});

test("what a builder left goes after its next version is taken from it", async () => {
  const store = new MemoryObjectStore();
  const clock = new InstantClock();
  const engine = await EngineFixture.open({ store, clock });
  await engine.write("n", upsert(1, 2));
  await engine.indexAll();
  const random = seededRandom(3);
  const orphan = segmentKey(AT, newSegmentId(1, random));
  await store.put(orphan, Uint8Array.of(1), ALWAYS);
  const indexer = engine.indexer({ graceMs: GRACE_MS });
  for (let pass = 0; pass < 8; pass++) {
    await indexer.pass();
    await clock.sleep(GRACE_MS);
    if (pass === 0) expect(await allKeys(store)).toContain(orphan);
  }
  expect(await allKeys(store)).toEqual(await reachable(store));
  expect(await allKeys(store)).not.toContain(manifestKey(AT, 1));
  await engine.close();
});

test("an indexer that ends at any call leaves nothing behind for good", async () => {
  const step = effort({ usual: 5, full: 1 });
  for (let call = 1 + (testSeed() % step); ; call += step) {
    for (const when of ["before", "after"] as const) {
      const store = new MemoryObjectStore();
      const engine = await EngineFixture.open({ store, thresholds: { indexTailEntries: 1 } });
      for (let id = 0; id < 4; id++) await engine.write("n", upsert(id, id + 1));
      await engine.indexAll();
      await engine.write("n", { deletes: [1], ...upsert(9) });
      await engine.close();
      const clock = new InstantClock();
      const random = seededRandom(call);
      const faulty = new FaultyObjectStore({ store, random, clock, rates: QUIET });
      const dying = await EngineFixture.open({
        store: faulty,
        thresholds: { indexTailEntries: 1 },
      });
      faulty.crashAt({ call: faulty.calls + call, when });
      const crashed = await dying
        .indexer()
        .pass()
        .then(() => false)
        .catch((error: unknown) => error instanceof SimulatedCrash);
      const next = await EngineFixture.open({ store, thresholds: { indexTailEntries: 1 } });
      expect(
        (await next.rows("n"))?.map(({ id }) => id),
        `call ${call} ${when}`,
      ).toEqual([0, 2, 3, 4, 9]);
      for (let pass = 0; pass < 4; pass++) await next.indexAll();
      const indexer = next.indexer();
      for (let pass = 0; pass < 6; pass++) await indexer.pass();
      expect(await allKeys(store), `call ${call} ${when}`).toEqual(await reachable(store));
      await next.follow();
      expect((await next.rows("n"))?.map(({ id }) => id)).toEqual([0, 2, 3, 4, 9]);
      await next.close();
      if (!crashed) return expect(call, "no call was the last").toBeGreaterThan(10);
    }
  }
});

test("an indexer that is overtaken overwrites nothing of the one that overtook it", async () => {
  const inner = new MemoryObjectStore();
  const engine = await EngineFixture.open({ store: inner });
  await engine.write("n", upsert(1, 2, 3, 4));
  await engine.indexAll();
  await engine.write("n", { deletes: [1] });
  const slow = new FaultyObjectStore({
    store: inner,
    random: seededRandom(1),
    clock: new InstantClock(),
    rates: QUIET,
  });
  const put = slow.put.bind(slow);
  let goOn: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  slow.put = async (key, body, condition) => {
    if (key.includes(".live-")) await held;
    return put(key, body, condition);
  };
  const other = await EngineFixture.open({ store: slow });
  const overtaken = other.indexAll();
  for (let turn = 0; turn < 60; turn++) await new Promise((resolve) => setImmediate(resolve));
  await engine.write("n", { deletes: [2, 3] });
  await engine.indexAll();
  goOn();
  await overtaken;
  const next = await EngineFixture.open({ store: inner });
  expect(await next.rows("n")).toEqual([{ id: 4, n: 4 }]);
  await next.close();
});

test("a log that goes on keeps nothing useless for longer than the grace", async () => {
  const store = new MemoryObjectStore();
  const clock = new InstantClock();
  // All is over before segments have rested and are merged, which would leave something anew.
  const graceMs = 250;
  const engine = await EngineFixture.open({ store, clock });
  await engine.write("n", upsert(1));
  await engine.write("n", upsert(2));
  await engine.indexAll();
  const [first] = (await allKeys(store)).filter((key) => key.includes("/segments/"));
  expect(first).toContain("/00000000000000000000-");
  await engine.write("n", { deletes: [1, 2], ...upsert(3) });
  await engine.indexer({ graceMs }).indexAll(AT);
  await engine.write("n", upsert(4));
  // It sees all of it for the first time.
  const indexer = engine.indexer({ graceMs });
  for (let pass = 0; pass < 3; pass++) {
    await clock.sleep(graceMs);
    await indexer.pass();
  }
  expect(await allKeys(store)).not.toContain(first);
  expect((await allKeys(store)).filter((key) => key.includes("/manifest/"))).toHaveLength(1);
  await engine.follow();
  expect(await engine.rows("n")).toHaveLength(2);
  await engine.close();
});

test("what reaches a deleted generation too late goes, and so does its hint", async () => {
  const store = new MemoryObjectStore();
  const clock = new InstantClock();
  const engine = await EngineFixture.open({ store, clock });
  await engine.write("n", upsert(1));
  const [entry] = await allKeys(store);
  const late = await store.get(entry);
  await engine.call("delete_namespace", "n");
  await engine.catalog.settle();
  expect(await allKeys(store)).toEqual([]);
  await store.put(walKey(AT, 7 as never), late ?? new Uint8Array(0), ALWAYS);
  await store.put(dirtyKey(AT), new Uint8Array(0), ALWAYS);
  const indexer = engine.indexer({ graceMs: GRACE_MS });
  for (let pass = 0; pass < 3; pass++) {
    await indexer.pass();
    await clock.sleep(GRACE_MS);
  }
  expect(await allKeys(store)).toEqual([]);
  expect((await store.list({ prefix: "dirty/", limit: 10 })).keys).toEqual([]);
  await engine.close();
});

test("a builder that goes on putting segments is not fenced", async () => {
  const store = new MemoryObjectStore();
  const clock = new InstantClock();
  const server = await EngineFixture.open({ store, clock });
  await server.write("n", { upsert_rows: [{ id: 1 }] });
  await server.indexAll();
  const random = seededRandom(3);
  const indexer = server.indexer({ graceMs: 1000 });
  for (let put = 0; put < 8; put++) {
    await store.put(segmentKey(AT, newSegmentId(1, random)), Uint8Array.of(1), ALWAYS);
    await indexer.pass();
    await clock.sleep(600);
    await indexer.pass();
  }
  expect((await keysWith(store, "/manifest/")).at(-1)).toContain("/00000000000000000001");
  expect(await keysWith(store, "/segments/")).toHaveLength(9);
  for (let pass = 0; pass < 6; pass++) {
    await clock.sleep(1000);
    await indexer.pass();
  }
  expect((await keysWith(store, "/manifest/")).at(-1)).toContain("/00000000000000000002");
  expect(await keysWith(store, "/segments/")).toHaveLength(1);
  await server.close();
});
