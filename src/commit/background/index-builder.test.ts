/** Indexes that are turned on for documents that are there already. */

import { expect, test } from "vitest";
import { EngineFixture, type FixtureOptions } from "../../../test/support/engine/engine-fixture.ts";
import { MemoryObjectStore } from "../../../test/support/stores/memory-object-store.ts";

const upsert = (...rows: object[]) => ({ upsert_rows: rows });
const BACKGROUND = { indexInlineDocumentsMax: 3, segmentsUnmergedMax: 1000 };

/** Many segments without any index but the ids'. */
async function filled(options: FixtureOptions, growth = 8): Promise<EngineFixture> {
  const engine = await EngineFixture.open(options);
  const schema = { text: { type: "string", filterable: false } };
  for (let part = 0; part < 7; part++) {
    const rows = Array.from({ length: 20 * growth ** (part % 2) }, (_, i) => ({
      id: part * 1000 + i,
      text: i % 2 === 0 ? "the quick fox" : "foxes ran",
    }));
    await engine.write("n", { ...upsert(...rows), schema });
  }
  return engine;
}

const search = (engine: EngineFixture, text: string) =>
  engine.call("query", "n", { rank_by: ["text", "BM25", text], limit: 10_000 });
const equal = (engine: EngineFixture) =>
  engine.call("query", "n", {
    rank_by: ["id", "asc"],
    filters: ["text", "Eq", "foxes ran"],
    limit: 10_000,
  });

/** Repeats a query until it is not told to wait. */
async function ready(query: () => ReturnType<typeof search>) {
  for (let tried = 0; tried < 200; tried++) {
    const answer = await query();
    if (answer.status !== 202) return { answer, tried };
    expect(Number(answer.headers["retry-after-ms"])).toBeGreaterThan(0);
    const [, done, all] =
      /index of attribute `text` is being built: (\d+) of (\d+)/.exec(answer.json.error) ?? [];
    expect(Number(done)).toBeLessThan(Number(all));
  }
  throw new Error("the index is never ready");
}

test("over few documents they are there when the write answers", async () => {
  const engine = await filled({});
  const total = (await engine.rows("n"))?.length ?? 0;
  await engine.call("update_schema", "n", { text: { type: "string", full_text_search: true } });
  const answer = await search(engine, "fox");
  expect(answer.status).toBe(200);
  expect(answer.json.rows).toHaveLength(total / 2);
});

test("over many they are built in the background, and queries are told to wait", async () => {
  const engine = await filled({ thresholds: BACKGROUND });
  const total = (await engine.rows("n"))?.length ?? 0;
  const schema = { text: { type: "string", full_text_search: true, filterable: true } };
  const changed = await engine.call("update_schema", "n", schema);
  expect(changed.status).toBe(200);
  const first = await search(engine, "fox");
  expect(first.status).toBe(202);
  expect((await engine.call("get_metadata", "n")).json.index.status).not.toBe("up-to-date");
  // Writes and other queries go on meanwhile; the writes are in the new index.
  await engine.write("n", upsert({ id: 99_999, text: "a fox more" }));
  expect(await engine.rows("n")).toHaveLength(total + 1);
  const { answer } = await ready(() => search(engine, "fox"));
  expect(answer.json.rows).toHaveLength(total / 2 + 1);
  expect((await ready(() => equal(engine))).answer.json.rows).toHaveLength(total / 2);
  expect((await engine.call("get_metadata", "n")).json.index.status).toBe("up-to-date");
});

test("building goes on under a load that never stops", async () => {
  const engine = await filled({ thresholds: BACKGROUND });
  await engine.call("update_schema", "n", { text: { type: "string", full_text_search: true } });
  let stop = false;
  const client = async (id: number) => {
    while (!stop) await engine.write("n", upsert({ id, text: "dog" }));
  };
  const load = Promise.all([50_001, 50_002, 50_003, 50_004].map(client));
  const { answer } = await ready(() => search(engine, "fox"));
  stop = true;
  await load;
  expect(answer.status).toBe(200);
});

test("a build that a restart interrupts is finished before the namespace is served", async () => {
  const store = new MemoryObjectStore();
  const engine = await filled({ store, thresholds: BACKGROUND });
  const total = (await engine.rows("n"))?.length ?? 0;
  await engine.call("update_schema", "n", { text: { type: "string", full_text_search: true } });
  const next = await EngineFixture.open({ store }); // The first one is gone without a word.
  const answer = await search(next, "fox");
  expect(answer.status).toBe(200);
  expect(answer.json.rows).toHaveLength(total / 2);
  expect(engine.logs).toEqual([]);
});

test("changed full-text parameters are exchanged at once", async () => {
  const engine = await filled({ thresholds: BACKGROUND });
  const total = (await engine.rows("n"))?.length ?? 0;
  const text = (stemming: boolean) => ({
    text: { type: "string", full_text_search: { language: "english", stemming } },
  });
  await engine.call("update_schema", "n", text(false));
  await ready(() => search(engine, "fox"));
  let done = false;
  const changing = engine.call("update_schema", "n", text(true)).then(() => {
    done = true;
  });
  const counts = new Set<number>();
  while (!done) {
    const answer = await search(engine, "fox");
    expect(answer.status).toBe(200);
    counts.add(answer.json.rows.length);
  }
  await changing;
  counts.add((await search(engine, "fox")).json.rows.length);
  for (const count of counts) expect([total / 2, total]).toContain(count);
  expect((await search(engine, "fox")).json.rows).toHaveLength(total);
});

test("a copy of a namespace whose index is being built has the whole index", async () => {
  for (let delay = 0; delay < 16; delay++) {
    const engine = await filled({ thresholds: BACKGROUND }, 1);
    const total = (await engine.rows("n"))?.length ?? 0;
    const changed = engine.call("update_schema", "n", {
      text: { type: "string", full_text_search: true },
    });
    for (let i = 0; i < delay; i++) await new Promise((resolve) => setImmediate(resolve));
    const copied = await engine.call("write", "copy", { copy_from_namespace: "n" });
    expect([copied.status, (await changed).status]).toEqual([200, 200]);
    const search = { rank_by: ["text", "BM25", "fox"], limit: 10_000 };
    const { status, json } = await engine.call("query", "copy", search);
    // The copy is of before the change, or of after it.
    if (status === 200) expect(json.rows, `delay ${delay}`).toHaveLength(total / 2);
    else expect([status, json.error]).toEqual([400, expect.stringContaining("full_text_search")]);
  }
});

test("without memory for a new index the change stands, and queries are told to wait", async () => {
  const engine = await filled({ memoryBytes: 160 * 1024 });
  const free = engine.arenas.freeBytes;
  expect(free).toBeGreaterThan(0);
  for (let id = 0; id < 200; id++) {
    const body = { ...upsert({ id, v: "x".repeat(900) }), schema: { v: "string" } };
    if ((await engine.call("write", "filler", body)).status !== 200) break;
  }
  const text = { type: "string", full_text_search: true };
  expect((await engine.call("update_schema", "n", { text })).status).toBe(200);
  const waiting = await search(engine, "fox");
  expect(waiting.status).toBe(202);
  await engine.call("delete_namespace", "filler");
  for (let turn = 0; turn < 30; turn++) await new Promise((resolve) => setImmediate(resolve));
  await engine.write("n", { deletes: [1] });
  expect((await ready(() => search(engine, "fox"))).answer.status).toBe(200);
});

test("metadata of a namespace whose documents are all deleted are whole", async () => {
  const engine = await EngineFixture.open();
  await engine.write("n", { upsert_rows: [{ id: 1, text: "fox" }], schema: { text: "string" } });
  await engine.indexAll();
  await engine.call("update_schema", "n", { text: { type: "string", full_text_search: true } });
  await engine.write("n", { deletes: [1] });
  const { status, json } = await engine.call("get_metadata", "n");
  expect([status, json.approx_row_count]).toEqual([200, 0]);
});

test("an index of documents that are all deleted is there", async () => {
  for (const isStored of [false, true]) {
    const engine = await filled({ thresholds: BACKGROUND }, 1);
    if (isStored) await engine.indexAll();
    const text = { type: "string", full_text_search: true, filterable: true, regex: true };
    await engine.call("update_schema", "n", { text });
    const rows = (await engine.rows("n")) ?? [];
    await engine.write("n", { deletes: rows.map(({ id }) => id) });
    const { json } = await engine.call("get_metadata", "n");
    expect([json.approx_row_count, json.index.status]).toEqual([0, "up-to-date"]);
    const regex = { rank_by: ["id", "asc"], filters: ["text", "Regex", "f.x"], limit: 9 };
    const queries = [search(engine, "fox"), equal(engine), engine.call("query", "n", regex)];
    for (const answer of await Promise.all(queries)) {
      expect([answer.status, answer.json.rows]).toEqual([200, []]);
    }
    await engine.write("n", upsert({ id: 1, text: "foxes ran" }));
    expect((await search(engine, "foxes")).json.rows).toHaveLength(1);
    await engine.close();
  }
});
