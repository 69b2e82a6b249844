/** Checkpoints over the whole engine: states that can be gone back to, for as long as they last. */

import { expect, test, vi } from "vitest";
import { seededRandom } from "../../src/base/random.ts";
import { CHECKPOINTS_MAX } from "../../src/commit/checkpoints/checkpoints.ts";
import { InstantClock } from "../support/clocks/instant-clock.ts";
import { must } from "../support/engine/backup-client.ts";
import { EngineFixture, type Row } from "../support/engine/engine-fixture.ts";
import { collect, keysOf, row, rowsUpTo } from "../support/engine/sharing-server.ts";
import { testSeed } from "../support/random/seed.ts";
import { MemoryObjectStore } from "../support/stores/memory-object-store.ts";

async function server(clock = new InstantClock()) {
  const store = new MemoryObjectStore();
  return { store, clock, engine: await EngineFixture.open({ store, clock }) };
}

function create(engine: EngineFixture, name: string, seconds?: number) {
  const expires = seconds === undefined ? {} : { expires_in_seconds: seconds };
  return engine.call("create_checkpoint", "n", { name, ...expires });
}

function goBack(engine: EngineFixture, checkpoint: string, as: string) {
  return engine.call("restore_checkpoint", "n", { as }, { parameters: { checkpoint } });
}

async function names(engine: EngineFixture): Promise<string[]> {
  const { checkpoints } = await must(engine, "list_checkpoints", { namespace: "n" });
  return checkpoints.map(({ name }: { name: string }) => name);
}

async function checkpointKeys(store: MemoryObjectStore): Promise<readonly string[]> {
  return (await store.list({ prefix: "checkpoints/", limit: 1000 })).keys;
}

test("each checkpoint gives back its state, whatever was written and collected since", async () => {
  const seed = testSeed();
  const random = seededRandom(seed);
  const { store, engine } = await server();
  const kept: { name: string; rows: Row[] | undefined }[] = [];
  for (let round = 0; round < 8; round++) {
    for (let i = 0; i < 10; i++) {
      const id = random.below(50);
      const body =
        random.below(3) === 0 ? { deletes: [id] } : { upsert_rows: [row(id, `${round}`)] };
      await engine.write("n", { ...body, schema: { text: "string" } });
      if (random.below(8) === 0) await engine.indexAll();
    }
    const name = `c${round}`;
    expect((await create(engine, name)).status).toBe(200);
    kept.push({ name, rows: await engine.rows("n") });
    if (random.below(2) === 0) await engine.indexAll();
  }
  await engine.close();
  await collect(store);
  const next = await EngineFixture.open({ store });
  for (const { name, rows } of kept) {
    expect((await goBack(next, name, `back-${name}`)).status, `seed ${seed}`).toBe(200);
    expect(await next.rows(`back-${name}`), `seed ${seed}`).toEqual(rows);
  }
  expect(await names(next)).toEqual(kept.map(({ name }) => name));
  await next.close();
});

test("a checkpoint outlives its namespace, and goes with all that it kept", async () => {
  const { store, engine } = await server();
  await engine.write("n", { upsert_rows: rowsUpTo(30) });
  await engine.indexAll();
  await engine.write("n", { deletes: [3], upsert_rows: [row(50)] });
  const rows = await engine.rows("n");
  await create(engine, "before");
  await must(engine, "delete_namespace", { namespace: "n" });
  await engine.catalog.settle();
  await engine.write("n", { upsert_rows: [row(1, "another life")] });
  await engine.close();
  await collect(store);
  const next = await EngineFixture.open({ store });
  expect((await goBack(next, "before", "n")).status).toBe(409);
  expect((await goBack(next, "before", "m")).json).toEqual({ namespace: "m", documents: 30 });
  expect(await next.rows("m")).toEqual(rows);
  await must(next, "delete_checkpoint", { namespace: "n", parameters: { checkpoint: "before" } });
  expect(await next.rows("m")).toEqual(rows);
  await must(next, "delete_namespace", { namespace: "m" });
  await next.catalog.settle();
  await next.close();
  await collect(store);
  expect(await keysOf(store, "/n-table/0000000001/")).toEqual([]);
  expect(await keysOf(store, "/m-table/")).toEqual([]);
  expect(await checkpointKeys(store)).toEqual([]);
});

test.each([true, false])(
  "a branch's checkpoint keeps what it shares (indexed: %s)",
  async (isIndexed) => {
    const { store, engine } = await server();
    await engine.write("p", { upsert_rows: rowsUpTo(30) });
    await engine.indexAll();
    await engine.write("n", { branch_from_namespace: "p" });
    if (isIndexed) await engine.indexAll();
    await create(engine, "c");
    for (let round = 0; round < 4; round++) {
      const rewritten = rowsUpTo(30).map(({ id }) => row(id, `round ${round}`));
      await engine.write("n", { upsert_rows: rewritten });
      await engine.write("p", { upsert_rows: rewritten });
      await engine.indexAll();
    }
    await must(engine, "delete_namespace", { namespace: "p" });
    await must(engine, "delete_namespace", { namespace: "n" });
    await engine.catalog.settle();
    await engine.close();
    await collect(store);
    const next = await EngineFixture.open({ store });
    expect((await goBack(next, "c", "back")).status).toBe(200);
    expect(await next.rows("back")).toEqual(rowsUpTo(30));
    await next.close();
  },
);

test("a checkpoint that has expired is not listed, and its garbage goes", async () => {
  const { store, clock, engine } = await server();
  await engine.write("n", { upsert_rows: rowsUpTo(20) });
  await engine.indexAll();
  await create(engine, "short", 60);
  await create(engine, "long", 3600);
  await engine.write("n", { upsert_rows: rowsUpTo(20) });
  await engine.indexAll();
  await clock.sleep(61_000);
  expect(await names(engine)).toEqual(["long"]);
  const gone = await goBack(engine, "short", "m");
  expect(gone.status).toBe(404);
  expect(gone.json.error).toContain("it has long");
  await engine.indexAll();
  expect(await checkpointKeys(store)).toHaveLength(1);
  await clock.sleep(3_600_000);
  await engine.indexAll();
  await engine.indexAll();
  expect(await checkpointKeys(store)).toEqual([]);
  expect(await keysOf(store, "/manifest/")).toHaveLength(1);
  await engine.close();
});

test("names are checked, unique and bounded; without one the time is the name", async () => {
  const { store, engine } = await server();
  expect((await create(engine, "c")).status).toBe(404);
  await engine.write("n", { upsert_rows: rowsUpTo(3) });
  const made = await must(engine, "create_checkpoint", { namespace: "n", body: {} });
  expect(made).toEqual({
    name: expect.stringMatching(/^at-2026-/),
    generation: 1,
    created_at: expect.stringMatching(/^2026-/),
    expires_at: null,
  });
  for (const name of ["", "_x", ".", "a/b", "é", "x".repeat(65)])
    expect((await create(engine, name)).status, name).toBe(400);
  expect((await create(engine, "x".repeat(64))).status).toBe(200);
  const again = await create(engine, "x".repeat(64));
  expect(again.status).toBe(409);
  expect(again.json.error).toContain("delete it, or take another name");
  expect((await create(engine, "soon", 0)).status).toBe(400);
  for (let i = 2; i < CHECKPOINTS_MAX; i++) await create(engine, `c${i}`);
  const tooMany = await create(engine, "one-more");
  expect(tooMany.status).toBe(409);
  expect(tooMany.json.error).toContain(`at most ${CHECKPOINTS_MAX}`);
  expect(await checkpointKeys(store)).toHaveLength(CHECKPOINTS_MAX);
  await engine.close();
});

test("a checkpoint moves no bytes of documents", async () => {
  const { store, engine } = await server();
  await engine.write("n", { upsert_rows: rowsUpTo(500) });
  await engine.indexAll();
  const before = await keysOf(store);
  await create(engine, "c");
  expect(await keysOf(store)).toEqual(before);
  await goBack(engine, "c", "m");
  expect(await keysOf(store, "/m-table/0000000001/segments/")).toEqual([]);
  expect(await engine.rows("m")).toEqual(rowsUpTo(500));
  await engine.close();
});

test("checkpoints come by themselves, of what was written, and go again", async () => {
  const store = new MemoryObjectStore();
  const clock = new InstantClock();
  const checkpoints = { everyMs: 3_600_000, keepMs: 2 * 3_600_000 };
  const engine = await EngineFixture.open({ store, clock, checkpoints });
  const hour = async () => {
    await clock.sleep(checkpoints.everyMs);
    clock.tick();
  };
  await engine.write("n", { upsert_rows: rowsUpTo(30) });
  await engine.write("gone", { upsert_rows: rowsUpTo(3) });
  await must(engine, "delete_namespace", { namespace: "gone" });
  await hour();
  await vi.waitFor(async () => expect(await names(engine)).toHaveLength(1));
  const [first] = await names(engine);
  expect(first).toMatch(/^auto-2026-01-01T01-00-00-000Z$/);
  await hour();
  expect(await names(engine)).toEqual([first]); // Nothing was written.
  await engine.write("n", { delete_by_filter: ["id", "Gte", 0] });
  expect((await goBack(engine, first, "undone")).status).toBe(200);
  expect(await engine.rows("undone")).toEqual(rowsUpTo(30));
  await hour();
  await vi.waitFor(async () => expect(await names(engine)).toHaveLength(1));
  expect(await names(engine)).not.toContain(first);
  expect(await names(engine)).toHaveLength(1);
  expect(engine.logs.filter(({ level }) => level !== "info")).toEqual([]);
  await engine.close();
});
