/** Copies and branches against all that may happen to either side meanwhile (I3, I7). */

import { expect, test } from "vitest";
import { EngineFixture } from "../../../test/support/engine/engine-fixture.ts";
import { MemoryObjectStore } from "../../../test/support/stores/memory-object-store.ts";
import { DatabaseError } from "../../base/errors.ts";

const THRESHOLDS = { indexTailEntries: 2 };
const ROWS = Array.from({ length: 30 }, (_, id) => ({ id }));
const upsert = (...rows: object[]) => ({ upsert_rows: rows });

async function turns(count = 60): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** A store that holds back the puts of segments under `to` until it is opened. */
class GatedStore extends MemoryObjectStore {
  #open: () => void = () => {};
  readonly #gate = new Promise<void>((resolve) => {
    this.#open = resolve;
  });
  held = 0;
  loseEntries = false;

  open(): void {
    this.#open();
  }

  override async put(...[key, body, condition]: Parameters<MemoryObjectStore["put"]>) {
    if (key.includes("/to-table/") && key.includes("/segments/")) {
      this.held++;
      const put = await super.put(key, body, condition);
      await this.#gate;
      return put;
    }
    if (this.loseEntries && key.includes("/to-table/") && key.includes("/wal/")) {
      throw new Error("the log is out of reach");
    }
    return super.put(key, body, condition);
  }

  async keys(part: string): Promise<string[]> {
    const { keys } = await this.list({ prefix: "", limit: 10_000 });
    return keys.filter((key) => key.includes(part));
  }
}

/** A copy that has put a segment and not committed. */
async function copying(kind: "copy" | "branch" = "copy", before: object[] = []) {
  const store = new GatedStore();
  const engine = await EngineFixture.open({ store, thresholds: THRESHOLDS });
  await engine.write("from", upsert(...ROWS));
  for (const body of before) await engine.write("to", body);
  const copy = engine.call("write", "to", { [`${kind}_from_namespace`]: "from" });
  await turns();
  expect(store.held).toBeGreaterThan(0);
  return { store, engine, copy };
}

async function listed(engine: EngineFixture): Promise<string[]> {
  const { json } = await engine.call("list_namespaces", undefined);
  return json.namespaces.map(({ id }: { id: string }) => id);
}

test("until it is committed its destination does not exist", async () => {
  const { engine, copy, store } = await copying();
  expect(await engine.rows("to")).toBeUndefined();
  expect(await listed(engine)).toEqual(["from"]);
  store.open();
  expect((await copy).status).toBe(200);
  expect(await engine.rows("to")).toEqual(ROWS);
  expect(await listed(engine)).toEqual(["from", "to"]);
});

test("a destination that is written to meanwhile keeps what was written and no more", async () => {
  const { engine, copy, store } = await copying();
  await engine.write("to", upsert({ id: 500 }));
  store.open();
  expect((await copy).status).toBe(409);
  expect(await engine.rows("to")).toEqual([{ id: 500 }]);
  for (let i = 0; i < 8; i++) await engine.write("to", upsert({ id: 501 }));
  await engine.close();
  const next = await EngineFixture.open({ store });
  expect(await next.rows("to")).toEqual([{ id: 500 }, { id: 501 }]);
  expect(await store.keys("deleting/")).toEqual([]);
});

test("a destination that is written to and deleted meanwhile is not brought back", async () => {
  const { engine, copy, store } = await copying();
  await engine.write("to", upsert({ id: 500 }));
  expect((await engine.call("delete_namespace", "to")).status).toBe(200);
  store.open();
  expect((await copy).status).toBe(409);
  expect(await engine.rows("to")).toBeUndefined();
  await engine.write("to", upsert({ id: 7 }));
  await engine.close();
  const next = await EngineFixture.open({ store });
  expect(await next.rows("to")).toEqual([{ id: 7 }]);
});

test("indexing the destination spares what is not committed yet", async () => {
  const emptied = [upsert({ id: 1 }), { deletes: [1] }];
  const { engine, copy, store } = await copying("copy", emptied);
  for (let i = 0; i < 6; i++) {
    await engine.write("to", { deletes: [99] });
    await engine.indexAll();
  }
  expect(await store.keys("to-table/0000000001/manifest/")).not.toEqual([]);
  store.open();
  expect((await copy).status).toBe(200);
  expect(await engine.rows("to")).toEqual(ROWS);
  await engine.indexAll();
  expect(await engine.rows("to")).toEqual(ROWS);
  await engine.close();
  const next = await EngineFixture.open({ store });
  expect(await next.rows("to")).toEqual(ROWS);
});

test("a manifest that was begun before a copy spares what was committed meanwhile", async () => {
  const emptied = [upsert({ id: 1 }), { deletes: [1] }];
  const { engine, copy, store } = await copying("copy", emptied);
  const put = store.put.bind(store);
  let save: () => void = () => {};
  const saved = new Promise<void>((resolve) => {
    save = resolve;
  });
  store.put = async (key, body, condition) => {
    if (key.includes("to-table/0000000001/manifest/")) await saved;
    return put(key, body, condition);
  };
  await engine.write("to", { deletes: [99] });
  const indexing = engine.indexAll();
  await turns();
  store.open();
  expect((await copy).status).toBe(200);
  save();
  await indexing;
  await engine.indexAll();
  expect(await engine.rows("to")).toEqual(ROWS);
  await engine.close();
  const next = await EngineFixture.open({ store });
  expect(await next.rows("to")).toEqual(ROWS);
});

test("what is written to either side of a branch stays there", async () => {
  const { engine, copy, store } = await copying("branch");
  await engine.write("from", { ...upsert({ id: 100 }), deletes: [0] });
  store.open();
  expect((await copy).status).toBe(200);
  expect(await engine.rows("to")).toEqual(ROWS);
  await engine.write("to", { ...upsert({ id: 200 }), deletes: [1] });
  await engine.call("update_schema", "to", { extra: "int" });
  expect((await engine.call("get_schema", "from")).json.extra).toBeUndefined();
  const ids = async (of: EngineFixture, name: string) => (await of.rows(name))?.map(({ id }) => id);
  const numbers = ROWS.map(({ id }) => id);
  const inFrom = [...numbers.filter((id) => id !== 0), 100];
  const inTo = [...numbers.filter((id) => id !== 1), 200];
  expect([await ids(engine, "from"), await ids(engine, "to")]).toEqual([inFrom, inTo]);
  await engine.call("delete_namespace", "from");
  await engine.close();
  const next = await EngineFixture.open({ store });
  expect([await ids(next, "from"), await ids(next, "to")]).toEqual([undefined, inTo]);
});

test("a copy that cannot be committed leaves no namespace, and can be repeated", async () => {
  const { engine, copy, store } = await copying();
  store.loseEntries = true;
  store.open();
  expect((await copy).status).toBe(500);
  store.loseEntries = false;
  expect(await engine.rows("to")).toBeUndefined();
  expect(await store.keys("to-table/")).toEqual(["deleted/to-table/0000000001"]);
  await engine.write("to", { copy_from_namespace: "from" });
  expect(await engine.rows("to")).toEqual(ROWS);
});

test.each([1, 2])(
  "a copy whose commit is not answered, %i times, is whole or not there",
  async (times) => {
    const { engine, copy, store } = await copying();
    const put = store.put.bind(store);
    let lost = 0;
    store.put = async (key, body, condition) => {
      const outcome = await put(key, body, condition);
      if (key.includes("/to-table/") && key.includes("/wal/") && lost++ < times) {
        throw times === 1 ? new Error("lost") : new DatabaseError("unavailable", "lost");
      }
      return outcome;
    };
    store.open();
    expect((await copy).status).toBe(times === 1 ? 500 : 200);
    expect(await engine.rows("to")).toEqual(ROWS);
    for (let i = 0; i < 6; i++) await engine.write("to", { deletes: [999] });
    await engine.close();
    const next = await EngineFixture.open({ store });
    expect(await next.rows("to")).toEqual(ROWS);
    expect(await store.keys("deleting/")).toEqual([]);
  },
);

test("two copies into one namespace: one is made, the other refused", async () => {
  const { engine, copy, store } = await copying();
  await engine.write("other", upsert({ id: 900 }));
  const second = engine.call("write", "to", { copy_from_namespace: "other" });
  await turns();
  store.open();
  const statuses = [(await copy).status, (await second).status];
  expect([...statuses].sort()).toEqual([200, 409]);
  expect(await engine.rows("to")).toEqual(statuses[0] === 200 ? ROWS : [{ id: 900 }]);
  await engine.close();
  const next = await EngineFixture.open({ store });
  expect(await next.rows("to")).toEqual(statuses[0] === 200 ? ROWS : [{ id: 900 }]);
  expect(await store.keys("deleting/")).toEqual([]);
});

test("a segment whose put seemed to fail is taken back with the copy", async () => {
  const store = new MemoryObjectStore();
  const put = store.put.bind(store);
  let isLost = true;
  store.put = async (key, body, condition) => {
    const outcome = await put(key, body, condition);
    const isCopied = key.includes("/to-table/") && key.includes("/segments/");
    if (isCopied && isLost) throw new DatabaseError("unavailable", "the answer is lost");
    return outcome;
  };
  const engine = await EngineFixture.open({ store });
  await engine.write("from", upsert(...ROWS));
  expect((await engine.call("write", "to", { copy_from_namespace: "from" })).status).toBe(503);
  expect(await engine.rows("to")).toBeUndefined();
  expect((await store.list({ prefix: "namespaces/to-table/", limit: 9 })).keys).toEqual([]);
  isLost = false;
  await engine.write("to", { copy_from_namespace: "from" });
  expect(await engine.rows("to")).toEqual(ROWS);
});
