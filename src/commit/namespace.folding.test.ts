/** Logs whose writers pause are folded, and what is said of them is the same everywhere. */

import { expect, test } from "vitest";
import { InstantClock } from "../../test/support/clocks/instant-clock.ts";
import { ManualClock } from "../../test/support/clocks/manual-clock.ts";
import { EngineFixture } from "../../test/support/engine/engine-fixture.ts";
import { settled } from "../../test/support/engine/fake-port.ts";
import { MemoryObjectStore } from "../../test/support/stores/memory-object-store.ts";
import { namespaceName } from "../base/ids.ts";
import { FOLD_PAUSE_MS, FOLD_REST_MS } from "../namespace/index-status.ts";
import { DIRTY_PREFIX } from "../storage/object-keys.ts";

const SCHEMA = { t: "string" };
const rows = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({ id: from + i, t: "x" }));

interface Bench {
  readonly clock: InstantClock;
  readonly store: MemoryObjectStore;
  readonly engine: EngineFixture;
  /** What the server does from time to time; tells whether an indexer was told. */
  tick(): Promise<boolean>;
  write(from: number, count: number): Promise<void>;
  /** `index` of metadata, and what a query says. */
  told(): Promise<readonly [object, number]>;
}

async function bench(): Promise<Bench> {
  const clock = new InstantClock();
  const store = new MemoryObjectStore();
  const thresholds = { foldDocumentsMin: 50, foldBytesMin: 1_000_000 };
  const engine = await EngineFixture.open({ clock, store, thresholds });
  return {
    clock,
    store,
    engine,
    tick: async () => {
      await engine.catalog.follow(clock.monotonicMs());
      const { keys } = await store.list({ prefix: DIRTY_PREFIX, limit: 10 });
      return keys.length > 0;
    },
    write: async (from, count) => {
      await engine.write("n", { upsert_rows: rows(from, count), schema: SCHEMA });
    },
    told: async () => {
      const { json } = await engine.call("get_metadata", "n");
      const query = { rank_by: ["id", "asc"], limit: 1 };
      const { performance } = (await engine.call("query", "n", query)).json;
      return [json.index, performance.exhaustive_search_count];
    },
  };
}

const UP_TO_DATE = expect.objectContaining({ status: "up-to-date" });

test("a tiny namespace is up to date, and stays in the log", async () => {
  const { clock, tick, write, told } = await bench();
  for (let id = 1; id < 40; id++) {
    await write(id, 1);
    await clock.sleep(2 * FOLD_PAUSE_MS);
    expect(await tick()).toBe(false);
  }
  await clock.sleep(2 * FOLD_REST_MS);
  expect(await tick()).toBe(false);
  expect(await told()).toEqual([UP_TO_DATE, 39]);
});

test("what is left of a larger one is folded when its writers pause", async () => {
  const { clock, engine, tick, write, told } = await bench();
  await write(0, 60);
  expect(await tick()).toBe(false);
  const [index, exhaustiveCount] = await told();
  expect(index).toMatchObject({ status: "updating", unindexed_rows: 60 });
  expect(exhaustiveCount).toBe(60);
  await clock.sleep(FOLD_PAUSE_MS);
  expect(await tick()).toBe(true);
  await engine.index();
  expect(await told()).toEqual([UP_TO_DATE, 0]);
  // A log that grows without pause is left alone until it is long.
  for (let part = 1; part < 9; part++) {
    await write(100 * part, 60);
    await clock.sleep(FOLD_PAUSE_MS / 2);
    expect(await tick()).toBe(false);
  }
  await clock.sleep(FOLD_PAUSE_MS);
  expect(await tick()).toBe(true);
});

test("writes that come one at a time are folded no more often than once in a while", async () => {
  const { clock, engine, tick, write, told } = await bench();
  await write(0, 60);
  await clock.sleep(FOLD_PAUSE_MS);
  await tick();
  await engine.index();
  const startMs = clock.nowMs();
  let foldings = 0;
  for (let id = 1_000; id < 1_100; id++) {
    await write(id, 1);
    const [index, exhaustiveCount] = await told();
    expect(index).toMatchObject({ status: "updating", unindexed_rows: exhaustiveCount });
    await clock.sleep(2 * FOLD_PAUSE_MS);
    if (!(await tick())) continue;
    foldings++;
    // A server looks for the next manifest, which none that keeps its grace has collected.
    await engine.indexer({ graceMs: 300_000 }).pass();
    await engine.catalog.follow(clock.monotonicMs());
    await engine.catalog.settle();
    expect(await told()).toEqual([UP_TO_DATE, 0]);
  }
  const most = Math.ceil((clock.nowMs() - startMs) / FOLD_REST_MS);
  expect(foldings).toBeGreaterThan(most / 2);
  expect(foldings).toBeLessThanOrEqual(most);
});

test("a manifest is looked for in proportion to the time that it is expected", async () => {
  const { clock, engine, store, write } = await bench();
  await write(0, 60);
  await clock.sleep(FOLD_PAUSE_MS);
  const looks: number[] = [];
  const startMs = clock.nowMs();
  const { list } = store;
  store.list = (request) => {
    if (request.prefix.includes("/manifest/")) looks.push(clock.nowMs() - startMs);
    return list.call(store, request);
  };
  for (let look = 0; look < 1_200; look++) {
    engine.catalog.use([namespaceName("n")]);
    await engine.catalog.follow(clock.monotonicMs());
    await engine.catalog.settle();
    await clock.sleep(500);
  }
  const gaps = looks.slice(1).map((ms, i) => [looks[i], ms - looks[i]] as const);
  for (const [waitedMs, gapMs] of gaps) {
    expect(gapMs).toBeGreaterThanOrEqual(Math.min(5_000, waitedMs / 8));
    expect(gapMs).toBeLessThanOrEqual(Math.min(5_000, waitedMs / 8) * 1.2 + 1_000);
  }
  expect(looks.length).toBeGreaterThan(100);
});

test("a write waits for the indexes of few stored documents that it asks for", async () => {
  const clock = new ManualClock();
  const engine = await EngineFixture.open({ clock });
  const schema = { t: { type: "string", filterable: false } };
  await engine.write("n", { upsert_rows: rows(0, 60), schema });
  await engine.indexAll();
  const text = { t: { type: "string", full_text_search: true } };
  let isAnswered = false;
  const changing = engine.call("update_schema", "n", text).then(({ status }) => {
    isAnswered = true;
    return status;
  });
  const search = { rank_by: ["t", "BM25", "x"], limit: 1 };
  // Others are answered meanwhile.
  while ((await engine.call("query", "n", search)).status !== 202) await settled();
  await engine.write("n", { upsert_rows: rows(60, 1) });
  await engine.indexer({ graceMs: 300_000 }).pass();
  expect(isAnswered).toBe(false);
  engine.engine.followManifest(namespaceName("n"));
  expect(await changing).toBe(200);
  expect((await engine.call("query", "n", search)).status).toBe(200);
});

test("it is answered without them if nobody builds them", async () => {
  const clock = new ManualClock();
  const engine = await EngineFixture.open({ clock });
  const schema = { t: { type: "string", filterable: false } };
  await engine.write("n", { upsert_rows: rows(0, 60), schema });
  await engine.indexAll();
  const changing = engine.write("n", {
    schema: { t: { type: "string", full_text_search: true } },
  });
  let isAnswered = false;
  void changing.then(() => {
    isAnswered = true;
  });
  while (!isAnswered) await clock.advance(1_000);
  const query = { rank_by: ["t", "BM25", "x"], limit: 1 };
  const { status, json, headers } = await engine.call("query", "n", query);
  expect([status, json.error]).toEqual([202, expect.stringContaining("0 of 60 documents done")]);
  expect(Number(headers["retry-after-ms"])).toBeGreaterThan(0);
  const { index } = (await engine.call("get_metadata", "n")).json;
  expect(index).toMatchObject({ status: "updating", unindexed_rows: 60 });
});
