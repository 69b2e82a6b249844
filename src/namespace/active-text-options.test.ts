/** Changed full-text settings of stored documents: the old index serves until the new one is there. */

import { expect, test } from "vitest";
import { EngineFixture } from "../../test/support/engine/engine-fixture.ts";
import { testSeed } from "../../test/support/random/seed.ts";
import { MemoryObjectStore } from "../../test/support/stores/memory-object-store.ts";
import { seededRandom } from "../base/random.ts";

const text = (stemming: boolean, rest: object = {}) => ({
  text: { type: "string", full_text_search: { language: "english", stemming, ...rest } },
});
const row = (id: number) => ({ id, text: id % 2 === 0 ? "the quick fox, a fox" : "foxes ran" });
const rows = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => row(from + index));

async function found(engine: EngineFixture, name = "n"): Promise<number[]> {
  const query = { rank_by: ["text", "BM25", "fox"], limit: 10_000 };
  const { status, json } = await engine.call("query", name, query);
  expect([status, json.error]).toEqual([200, undefined]);
  return json.rows.map(({ id }: { id: number }) => id).sort((a: number, b: number) => a - b);
}

const all = (count: number) => rows(0, count).map(({ id }) => id);
const even = (count: number) => all(count).filter((id) => id % 2 === 0);

/** Indexes everything; what the write thread says of it has arrived by the time of an answer. */
async function index(engine: EngineFixture): Promise<void> {
  await engine.indexAll();
  await engine.call("get_schema", "n");
}

/** Documents 0 to 39 in stored segments, 40 to 49 in the log. */
async function filled(store = new MemoryObjectStore()) {
  const engine = await EngineFixture.open({ store });
  await engine.write("n", { upsert_rows: rows(0, 20), schema: text(false) });
  await index(engine);
  await engine.write("n", { upsert_rows: rows(20, 40) });
  await index(engine);
  await engine.write("n", { upsert_rows: rows(40, 50) });
  return { store, engine };
}

test("queries keep the old index until all of the new one is there", async () => {
  const { store, engine } = await filled();
  expect(await found(engine)).toEqual(even(50));
  const changed = await engine.call("update_schema", "n", text(true));
  expect(changed.json.text.full_text_search.stemming).toBe(true);
  expect((await engine.call("get_schema", "n")).json.text.full_text_search.stemming).toBe(true);
  expect(await found(engine)).toEqual(even(50));
  expect((await engine.call("get_metadata", "n")).json.index.status).toBe("updating");
  await engine.write("n", { upsert_rows: rows(50, 60) });
  expect(await found(engine)).toEqual(even(60));
  const again = await EngineFixture.open({ store });
  expect(await found(again)).toEqual(even(60));
  await index(engine);
  expect(await found(engine)).toEqual(all(60));
  expect((await engine.call("get_metadata", "n")).json.index.status).toBe("up-to-date");
  const last = await EngineFixture.open({ store });
  expect(await found(last)).toEqual(all(60));
  await last.write("n", { upsert_rows: rows(60, 70) });
  expect(await found(last)).toEqual(all(70));
});

test("how terms are weighed changes at once, without any new index", async () => {
  const { engine } = await filled();
  const scores = async () => {
    const query = { rank_by: ["text", "BM25", "fox"], limit: 1 };
    return (await engine.call("query", "n", query)).json.rows[0].$dist;
  };
  const before = await scores();
  await engine.call("update_schema", "n", text(true, { k1: 2, b: 0.1 }));
  expect(await found(engine)).toEqual(even(50));
  expect(await scores()).not.toBe(before);
});

test("what a filter of a write finds is what queries find", async () => {
  const { engine } = await filled();
  await engine.call("update_schema", "n", text(true));
  const { json } = await engine.call("write", "n", {
    delete_by_filter: ["text", "ContainsAllTokens", "fox"],
  });
  expect(json.rows_deleted).toBe(even(50).length);
});

test("a change that is taken back changes nothing", async () => {
  const { engine } = await filled();
  await engine.call("update_schema", "n", text(true));
  await engine.call("update_schema", "n", text(false));
  expect(await found(engine)).toEqual(even(50));
  await index(engine);
  expect(await found(engine)).toEqual(even(50));
});

test("a copy of a namespace between two indexes serves the old one, too", async () => {
  const { store, engine } = await filled();
  await engine.call("update_schema", "n", text(true));
  await engine.write("copy", { copy_from_namespace: "n" });
  expect(await found(engine, "copy")).toEqual(even(50));
  await engine.write("copy", { upsert_rows: rows(50, 60) });
  expect(await found(engine, "copy")).toEqual(even(60));
  await index(engine);
  expect(await found(engine, "copy")).toEqual(all(60));
  expect(await found(engine)).toEqual(all(50));
  const next = await EngineFixture.open({ store });
  expect(await found(next, "copy")).toEqual(all(60));
});

test("where no stored document has the attribute the new settings come into force", async () => {
  const engine = await EngineFixture.open();
  await engine.write("n", { upsert_rows: [{ id: 0, other: 1 }], schema: text(false) });
  await engine.indexAll();
  await engine.call("update_schema", "n", text(true));
  await engine.write("n", { upsert_rows: rows(1, 10) });
  expect(await found(engine)).toEqual(even(10).filter((id) => id > 0));
  await index(engine);
  expect(await found(engine)).toEqual(all(10).filter((id) => id > 0));
});

test("no answer ever mixes two indexes", async () => {
  const seed = testSeed();
  for (let round = 0; round < 8; round++) {
    const random = seededRandom(seed + round);
    const store = new MemoryObjectStore();
    let engine = await EngineFixture.open({ store, thresholds: { indexTailEntries: 3 } });
    let count = 4;
    await engine.write("n", { upsert_rows: rows(0, count), schema: text(false) });
    for (let step = 0; step < 30; step++) {
      const where = `seed ${seed + round}, step ${step}`;
      const chosen = random.below(8);
      if (chosen === 0) await engine.call("update_schema", "n", text(random.below(2) === 0));
      else if (chosen === 1) await index(engine);
      else if (chosen === 2) await engine.index();
      else if (chosen === 6) await (await EngineFixture.open({ store })).indexAll();
      else if (chosen === 7) await engine.follow();
      else if (chosen === 3) engine = await EngineFixture.open({ store });
      else {
        const end = count + 1 + random.below(4);
        await engine.write("n", { upsert_rows: rows(count, end) });
        count = end;
      }
      const ids = await found(engine).catch((error: unknown) => {
        throw new Error(`${where}: ${error}`);
      });
      expect([even(count), all(count)], where).toContainEqual(ids);
    }
  }
});

test("settings that go back and forth while a manifest is made", async () => {
  const { store, engine } = await filled();
  await engine.call("update_schema", "n", text(true));
  const other = await EngineFixture.open({ store });
  await other.indexAll();
  await engine.call("update_schema", "n", text(false));
  expect(await found(engine)).toEqual(even(50));
  await engine.follow();
  await engine.call("get_schema", "n");
  expect([even(50), all(50)]).toContainEqual(await found(engine));
  await index(engine);
  expect(await found(engine)).toEqual(even(50));
});

test("settings that change before the first manifest is followed", async () => {
  const store = new MemoryObjectStore();
  const engine = await EngineFixture.open({ store });
  await engine.write("n", { upsert_rows: rows(0, 20), schema: text(false) });
  const other = await EngineFixture.open({ store });
  await other.indexAll();
  await engine.call("update_schema", "n", text(true));
  expect(await found(engine)).toEqual(all(20));
  await engine.write("n", { upsert_rows: rows(20, 30) });
  await engine.follow();
  await engine.call("get_schema", "n");
  expect([even(30), all(30)]).toContainEqual(await found(engine));
  await index(engine);
  expect(await found(engine)).toEqual(all(30));
});
