/** Backups and restores of what is damaged, incomplete, or asked for twice. */

import { expect, test } from "vitest";
import { ALWAYS, objectKey } from "../../src/storage/object-store.ts";
import { must, restore, takeBackup } from "../support/engine/backup-client.ts";
import { EngineFixture } from "../support/engine/engine-fixture.ts";
import { collect, keysOf, row, rowsUpTo } from "../support/engine/sharing-server.ts";
import { MemoryObjectStore } from "../support/stores/memory-object-store.ts";

async function emptyServer() {
  const store = new MemoryObjectStore();
  return { store, server: await EngineFixture.open({ store }) };
}

test("a restore whose list lacks a segment that the manifest names is refused", async () => {
  const { server } = await emptyServer();
  await server.write("n", { upsert_rows: rowsUpTo(40) });
  await server.indexAll();
  const backup = await takeBackup(server, "n");
  await server.close();
  const objects = backup.objects.filter(({ key }) => !/segments\/[^.]+$/.test(key));
  expect(objects.length).toBe(backup.objects.length - 1);
  const other = await emptyServer();
  const answer = await restore(other.server, { ...backup, objects }, "m");
  expect(answer.status).not.toBe(200);
  expect((await other.server.call("list_namespaces", undefined)).json.namespaces).toEqual([]);
  await other.server.close();
});

test("a state whose imported segments are all deleted in the log comes back", async () => {
  const { store, server } = await emptyServer();
  await server.write("n", { upsert_rows: rowsUpTo(40) });
  await server.indexAll();
  await server.write("n", { deletes: [1] });
  await server.write("m", { branch_from_namespace: "n" });
  await server.write("m", { deletes: rowsUpTo(40).map(({ id }) => id) });
  await server.write("m", { upsert_rows: [row(100)] });
  const rows = await server.rows("m");
  const backup = await takeBackup(server, "m");
  const made = await server.call("create_checkpoint", "m", { name: "c" });
  expect(made.status).toBe(200);
  const other = await emptyServer();
  const answer = await restore(other.server, backup, "m");
  expect(answer.json).toEqual({ documents: rows?.length });
  expect(await other.server.rows("m")).toEqual(rows);
  await other.server.close();
  await server.indexAll();
  await server.write("m", { upsert_rows: [row(101)] });
  await server.indexAll();
  await server.close();
  await collect(store);
  const next = await EngineFixture.open({ store });
  const parameters = { checkpoint: "c" };
  const back = await next.call("restore_checkpoint", "m", { as: "o" }, { parameters });
  expect(back.status).toBe(200);
  expect(await next.rows("o")).toEqual(rows);
  await next.close();
});

test("no generation is ended after which a name could not be used again", async () => {
  const { server } = await emptyServer();
  const sha256 = "0".repeat(64);
  const point = { namespace: "n", generation: 1, manifest_version: 1, sequence: 3 };
  const key = "namespaces/x-table/9999999999/segments/00000000000000000001-0123456789abcdef";
  const objects = [{ key, bytes: 1, sha256 }];
  const body = { ...point, has_import: false, as: "m", objects };
  expect((await server.call("begin_restore", undefined, body)).status).toBe(400);
  expect((await server.call("write", "x", { upsert_rows: [{ id: 1 }] })).status).toBe(200);
  await server.close();
});

test("what is damaged is not backed up as if it were whole", async () => {
  const { store, server } = await emptyServer();
  await server.write("n", { upsert_rows: rowsUpTo(40) });
  await server.indexAll();
  await server.write("n", { upsert_rows: [row(99)] });
  for (const part of ["/segments/", "/wal/"]) {
    const key = objectKey((await keysOf(store, part)).at(-1) ?? "");
    const sound = (await store.get(key)) ?? new Uint8Array(0);
    const damaged = Uint8Array.from(sound);
    damaged[damaged.length >> 1] ^= 255;
    await store.put(key, damaged, ALWAYS);
    await expect(takeBackup(server, "n")).rejects.toThrow(key);
    await store.put(key, sound, ALWAYS);
  }
  await server.close();
});

test("of two restores with one name the second is refused", async () => {
  const { server } = await emptyServer();
  const point = { namespace: "n", generation: 1, manifest_version: 1, sequence: 3 };
  const body = { ...point, has_import: false, as: "m", objects: [] };
  await must(server, "begin_restore", { body });
  expect((await server.call("begin_restore", undefined, body)).status).toBe(409);
  await server.close();
});
