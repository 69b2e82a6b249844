/**
 * Segments that several namespaces share: nothing is copied that need not be, no side is seen by
 * the other (I11), what one of them reaches stays, and what none reaches goes (I12).
 */

import { expect, test } from "vitest";
import { InstantClock } from "../../../test/support/clocks/instant-clock.ts";
import { TestKeys } from "../../../test/support/engine/engine-fixture.ts";
import {
  collect,
  keysOf,
  open,
  row,
  rowsUpTo,
} from "../../../test/support/engine/sharing-server.ts";
import { FaultyObjectStore } from "../../../test/support/stores/faulty-object-store.ts";
import { MemoryObjectStore } from "../../../test/support/stores/memory-object-store.ts";
import { seededRandom } from "../../base/random.ts";
import { CountingObjectStore } from "../../storage/counting-object-store.ts";

const QUIET = { before: 0, after: 0, delayMsMax: 0 };

test.each(["copy", "branch"])("a %s of what is indexed copies no segment", async (kind) => {
  const inner = new MemoryObjectStore();
  const store = new CountingObjectStore(inner);
  const server = await open(store);
  await server.write("from", { upsert_rows: rowsUpTo(200) });
  await server.indexAll();
  const before = store.counts();
  await server.write("to", { [`${kind}_from_namespace`]: "from" });
  const after = store.counts();
  expect(await keysOf(inner, "/to-table/0000000001/segments/")).toEqual([]);
  expect(await keysOf(inner, "/pins/to-table/")).toHaveLength(1);
  expect(after.bytesRead - before.bytesRead).toBeLessThan(16_384);
  expect(await server.rows("to")).toEqual(rowsUpTo(200));
  await server.close();
  const next = await open(inner);
  expect(await next.rows("to")).toEqual(rowsUpTo(200));
  await next.close();
});

test("what is not indexed yet is put, and what is deleted stays deleted", async () => {
  const store = new MemoryObjectStore();
  const server = await open(store);
  await server.write("from", { upsert_rows: rowsUpTo(20) });
  await server.indexAll();
  await server.write("from", { upsert_rows: [row(3, "new"), row(50)], deletes: [7] });
  await server.write("to", { branch_from_namespace: "from" });
  const expected = await server.rows("from");
  expect(expected).toHaveLength(20);
  expect(await server.rows("to")).toEqual(expected);
  await server.indexAll();
  await server.write("from", { deletes: [1, 2], upsert_rows: [row(50, "later")] });
  await server.indexAll();
  expect(await server.rows("to")).toEqual(expected);
  await server.close();
  await collect(store);
  const next = await open(store);
  expect(await next.rows("to")).toEqual(expected);
  await next.close();
});

test("a copy under another key shares nothing", async () => {
  const store = new MemoryObjectStore();
  const keys = new TestKeys();
  keys.names.add("k");
  const server = await open(store, keys);
  await server.write("from", { upsert_rows: rowsUpTo(20) });
  await server.indexAll();
  const encryption = { cmek: { key_name: "k" } };
  await server.write("to", { copy_from_namespace: "from", encryption });
  expect(await keysOf(store, "/pins/")).toEqual([]);
  expect(await keysOf(store, "/to-table/0000000001/segments/")).toHaveLength(1);
  expect(await server.rows("to")).toEqual(rowsUpTo(20));
  await server.close();
});

test("an emptied namespace may be branched into again", async () => {
  const store = new MemoryObjectStore();
  const server = await open(store);
  await server.write("from", { upsert_rows: rowsUpTo(20) });
  await server.indexAll();
  for (let time = 0; time < 3; time++) {
    await server.write("to", { branch_from_namespace: "from" });
    expect(await server.rows("to")).toEqual(rowsUpTo(20));
    if (time === 1) await server.indexAll();
    await server.write("to", { delete_by_filter: ["id", "Gte", 0] });
    expect(await server.rows("to")).toEqual([]);
  }
  await server.close();
  const next = await open(store);
  expect(await next.rows("to")).toEqual([]);
  await next.close();
});

test("shared segments outlive their owner, and go with the last that shares them", async () => {
  const store = new MemoryObjectStore();
  let server = await open(store);
  await server.write("a", { upsert_rows: rowsUpTo(40) });
  await server.indexAll();
  await server.write("b", { branch_from_namespace: "a" });
  await server.write("b", { deletes: [0] });
  await server.indexAll();
  await server.write("c", { copy_from_namespace: "b" });
  await server.write("c", { deletes: [1] });
  await server.write("d", { branch_from_namespace: "c" });
  const expected = [rowsUpTo(40), rowsUpTo(40).slice(1), rowsUpTo(40).slice(2)];
  const check = async (names: readonly string[]) => {
    for (const [index, name] of ["a", "b", "c"].entries()) {
      const rows = names.includes(name) ? expected[index] : undefined;
      expect(await server.rows(name), `${name} of ${names}`).toEqual(rows);
    }
  };
  await check(["a", "b", "c"]);
  const names = ["a", "b", "c"];
  for (const gone of ["a", "c", "b"]) {
    await server.call("delete_namespace", gone);
    names.splice(names.indexOf(gone), 1);
    await server.close();
    await collect(store);
    expect(await keysOf(store, "/a-table/0000000001/segments/")).not.toEqual([]);
    server = await open(store);
    await check(names);
    expect(await server.rows("d")).toEqual(expected[2]);
    const listed = await server.call("list_namespaces", undefined);
    expect(listed.json.namespaces.map(({ id }: { id: string }) => id)).toEqual([...names, "d"]);
  }
  await server.call("delete_namespace", "d");
  await server.close();
  await collect(store);
  expect(await keysOf(store)).toEqual([]);
});

test("what a sharer has compacted away goes, though its pin stays for the rest", async () => {
  const store = new MemoryObjectStore();
  const server = await open(store);
  for (let part = 0; part < 3; part++) {
    await server.write("a", { upsert_rows: rowsUpTo(10).map(({ id }) => row(part * 10 + id)) });
  }
  await server.indexAll();
  await server.write("b", { branch_from_namespace: "a" });
  await server.call("delete_namespace", "a");
  // All is rewritten, so that no document of the old segments is live.
  await server.write("b", { upsert_rows: rowsUpTo(30).map(({ id }) => row(id, "again")) });
  await server.indexAll();
  await server.close();
  await collect(store);
  expect(await keysOf(store, "/a-table/")).toEqual([]);
  const next = await open(store);
  expect(await next.rows("b")).toEqual(rowsUpTo(30).map(({ id }) => row(id, "again")));
  await next.close();
});

test("a copy that a crash ends at any call is whole or not there, and leaves nothing", async () => {
  for (let call = 1; ; call++) {
    for (const when of ["before", "after"] as const) {
      const where = `call ${call} ${when}`;
      const store = new MemoryObjectStore();
      const server = await open(store);
      await server.write("a", { upsert_rows: rowsUpTo(20) });
      await server.indexAll();
      await server.write("a", { deletes: [3], upsert_rows: [row(90)] });
      await server.close();
      const random = seededRandom(call);
      const faulty = new FaultyObjectStore({
        store,
        random,
        clock: new InstantClock(),
        rates: QUIET,
      });
      const dying = await open(faulty);
      const expected = await dying.rows("a");
      faulty.crashAt({ call: faulty.calls + call, when });
      const answer = await dying.call("write", "b", { copy_from_namespace: "a" });
      await collect(store);
      const next = await open(store);
      const rows = await next.rows("b");
      if (answer.status === 200) expect(rows, where).toEqual(expected);
      if (rows !== undefined) expect(rows, where).toEqual(expected);
      await next.call("delete_namespace", "a");
      await next.close();
      await collect(store);
      const last = await open(store);
      expect(await last.rows("b"), where).toEqual(rows);
      await last.call("delete_namespace", "b");
      await last.close();
      await collect(store);
      expect(await keysOf(store), where).toEqual([]);
      if (answer.status === 200 && call > 4) return;
    }
  }
}, 120_000);
