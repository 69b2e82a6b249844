/** A disk cache under the engine: what it saves, what it tells, and that no answer depends on it. */

import { rm } from "node:fs/promises";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { SET_BYTES } from "../../src/storage/disk-cache/disk-cache-layout.ts";
import { effort } from "../support/effort.ts";
import {
  answerOf,
  fillNamespace,
  QUERIES,
  type RoundStore,
} from "../support/engine/cold-namespace.ts";
import { EngineFixture } from "../support/engine/engine-fixture.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let store: RoundStore;
/** Answers of an engine without a disk cache. */
const expected = new Map<string, object>();

beforeAll(async () => {
  directory = await temporaryDirectory();
  const filled = await fillNamespace({
    rowCount: effort({ usual: 1000, full: 1500 }),
    wordCount: 12,
  });
  for (const [name, query] of Object.entries(QUERIES)) {
    expected.set(name, withoutPerformance(await answerOf(filled.engine, query)));
  }
  await filled.engine.close();
  store = filled.store;
});
afterAll(() => directory.remove());
beforeEach(async () => {
  store.isCounting = false;
  await rm(directory.path, { recursive: true, force: true });
});

function withoutPerformance({ performance: _, ...answer }: Record<string, unknown>): object {
  return answer;
}

async function start(): Promise<EngineFixture> {
  const diskCache = { directory: directory.path, bytesMax: 4 * SET_BYTES };
  const engine = await EngineFixture.open({ store, diskCache, answersOwn: false });
  store.count();
  return engine;
}

async function stop(engine: EngineFixture): Promise<void> {
  store.isCounting = false;
  await engine.close();
}

test.each(Object.entries(QUERIES))(
  "a %s query after a restart reads nothing of segments from the store",
  async (name, query) => {
    const first = await start();
    const cold = await answerOf(first, query);
    expect(withoutPerformance(cold)).toEqual(expected.get(name));
    expect(store.segmentRequests.length).toBeGreaterThan(0);
    // These need nothing, or nothing but what opening has loaded already.
    const looks = name !== "counts" && name !== "groups";
    if (looks) expect(cold.performance.cache_temperature).toBe("cold");
    await stop(first);

    const second = await start();
    const warm = await answerOf(second, query);
    expect(withoutPerformance(warm)).toEqual(expected.get(name));
    expect(store.segmentRequests, store.shown).toEqual([]);
    if (looks) expect(warm.performance.cache_temperature).toBe("warm");
    if (looks) expect(warm.performance.cache_hit_ratio).toBeLessThan(1);
    const hot = await answerOf(second, query);
    expect(hot.performance).toMatchObject({ cache_temperature: "hot", cache_hit_ratio: 1 });
    await stop(second);
  },
);

test("warming fills the disk, purging empties it", async () => {
  const first = await start();
  expect((await first.call("warm_cache", "n")).status).toBe(200);
  await stop(first);

  const second = await start();
  const { performance } = await answerOf(second, QUERIES.order);
  expect(performance.cache_temperature).toBe("warm");
  expect(store.segmentRequests, store.shown).toEqual([]);
  expect((await second.call("purge_cache", "n")).status).toBe(200);
  expect(second.cacheArenas.usedBytes).toBe(0);
  const after = await answerOf(second, QUERIES.order);
  expect(after.performance.cache_temperature).toBe("cold");
  expect(withoutPerformance(after)).toEqual(expected.get("order"));
  expect((await second.call("purge_cache", "n")).status).toBe(200);
  await stop(second);

  const third = await start();
  await answerOf(third, QUERIES.order);
  // Tombstones, too.
  expect(store.segmentRequests.some(({ target }) => target.includes(".live-"))).toBe(true);
  await stop(third);
});

test("a hint to warm fills the disk, too", async () => {
  const first = await start();
  expect((await first.call("warm_cache_hint", "n")).status).toBe(202);
  store.isCounting = false;
  for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
  await stop(first);
  const second = await start();
  await answerOf(second, QUERIES.sums);
  expect(store.segmentRequests, store.shown).toEqual([]);
  await stop(second);
});

test("an indexer and two servers share a directory", async () => {
  const engines = [await start(), await start()];
  const answers = engines.map(async (engine) => {
    for (const [name, query] of Object.entries(QUERIES)) {
      expect(withoutPerformance(await answerOf(engine, query)), name).toEqual(expected.get(name));
    }
  });
  await Promise.all([...answers, engines[0].indexer().pass()]);
  for (const engine of engines) await stop(engine);
});
