/** Backups and restores over the whole engine: what comes back is what was there, or nothing is. */

import { expect, test } from "vitest";
import { DatabaseError } from "../../src/base/errors.ts";
import { seededRandom } from "../../src/base/random.ts";
import { BACKUP_LEASE_MS } from "../../src/commit/backups/backup-leases.ts";
import { RESTORE_IDLE_MS } from "../../src/commit/backups/restores.ts";
import type { ObjectKey } from "../../src/storage/object-store.ts";
import { InstantClock } from "../support/clocks/instant-clock.ts";
import { effort } from "../support/effort.ts";
import {
  must,
  readBackup,
  readObject,
  restore,
  takeBackup,
} from "../support/engine/backup-client.ts";
import { EngineFixture, type Row, TestKeys } from "../support/engine/engine-fixture.ts";
import { collect, keysOf, row, rowsUpTo } from "../support/engine/sharing-server.ts";
import { testSeed } from "../support/random/seed.ts";
import { MemoryObjectStore } from "../support/stores/memory-object-store.ts";

/** All keys that begin so. */
async function keysFrom(store: MemoryObjectStore, prefix: string): Promise<readonly string[]> {
  return (await store.list({ prefix, limit: 1000 })).keys;
}

async function emptyServer(keys = new TestKeys()) {
  const store = new MemoryObjectStore();
  return { store, server: await EngineFixture.open({ store, keys }) };
}

/** In segments, with tombstones, and in the log. */
async function filledServer() {
  const { store, server } = await emptyServer();
  await server.write("n", { upsert_rows: rowsUpTo(40) });
  await server.indexAll();
  await server.write("n", { deletes: [1, 2], upsert_rows: [row(3, "new"), row(90)] });
  await server.indexAll();
  await server.write("n", { deletes: [5], upsert_rows: [row(91)] });
  const rows = await server.rows("n");
  expect(rows).toHaveLength(39);
  return { store, server, rows };
}

test("a namespace comes back on another server, under its name and another", async () => {
  const { server, rows } = await filledServer();
  const backup = await takeBackup(server, "n");
  await server.close();
  const other = await emptyServer();
  expect((await restore(other.server, backup, "n")).json).toEqual({ documents: 39 });
  expect((await restore(other.server, backup, "m")).json).toEqual({ documents: 39 });
  expect(await other.server.rows("n")).toEqual(rows);
  expect(await other.server.rows("m")).toEqual(rows);
  await other.server.write("n", { upsert_rows: [row(1, "again")], deletes: [3] });
  await other.server.indexAll();
  expect(await other.server.rows("m")).toEqual(rows);
  expect(await keysOf(other.store, "/restore/")).toEqual([]);
  await other.server.close();
  await collect(other.store);
  const next = await EngineFixture.open({ store: other.store });
  expect(await next.rows("m")).toEqual(rows);
  expect(await next.rows("n")).toHaveLength(39);
  const { json } = await next.call("list_namespaces", undefined);
  expect(json.namespaces).toEqual([{ id: "m" }, { id: "n" }]);
  await next.close();
});

test("a namespace that exists is refused, and stays as it is", async () => {
  const { server, rows } = await filledServer();
  const backup = await takeBackup(server, "n");
  const answer = await restore(server, backup, "n");
  expect(answer.status).toBe(409);
  expect(answer.json.error).toContain("restore under another name");
  expect((await restore(server, backup, "m")).status).toBe(200);
  expect(await server.rows("m")).toEqual(rows);
  expect(await server.rows("n")).toEqual(rows);
  await server.close();
});

test("what was deleted comes back, after its objects were collected", async () => {
  const { store, server, rows } = await filledServer();
  const backup = await takeBackup(server, "n");
  await must(server, "delete_namespace", { namespace: "n" });
  await server.catalog.settle();
  await collect(store);
  expect(await keysFrom(store, "namespaces/")).toEqual([]);
  expect((await restore(server, backup, "n")).status).toBe(200);
  expect(await server.rows("n")).toEqual(rows);
  await server.close();
  await collect(store);
  const next = await EngineFixture.open({ store });
  expect(await next.rows("n")).toEqual(rows);
  await next.close();
});

test("a backup is of one state, whatever is written and collected while it is read", async () => {
  const seed = testSeed();
  const random = seededRandom(seed);
  const { store, server } = await emptyServer();
  const model = new Map<number, Row>();
  const states: string[] = [];
  const shown = () =>
    JSON.stringify([...model.values()].sort((a, b) => Number(a.id) - Number(b.id)));
  const write = async () => {
    const id = random.below(60);
    const isDeletion = random.below(4) === 0;
    const written = row(id, `t${random.below(1000)}`);
    if (isDeletion) model.delete(id);
    else model.set(id, written);
    await server.write("n", isDeletion ? { deletes: [id] } : { upsert_rows: [written] });
    states.push(shown());
    if (random.below(5) === 0) await server.indexAll();
  };
  for (let round = 0; round < effort({ usual: 2, full: 6 }); round++) {
    for (let i = 0; i < 12; i++) await write();
    const writing = (async () => {
      for (let i = 0; i < 6; i++) await write();
    })();
    const first = states.length - 1;
    const begun = await must(server, "begin_backup", { body: { namespace: "n" } });
    await writing;
    for (let i = 0; i < 8; i++) await write();
    await server.indexAll();
    await collect(store);
    const backup = await readBackup(server, begun);
    const other = await emptyServer();
    expect((await restore(other.server, backup, "n")).status, `seed ${seed}`).toBe(200);
    const restored = JSON.stringify(await other.server.rows("n"));
    expect(states.slice(first), `seed ${seed}`).toContain(restored);
    await other.server.close();
  }
  expect(await keysFrom(store, "checkpoints/")).toEqual([]);
  await server.indexAll();
  await server.close();
});

test("unchanged data has the same objects with the same bytes", async () => {
  const { server } = await filledServer();
  const first = await must(server, "begin_backup", { body: { namespace: "n" } });
  const second = await must(server, "begin_backup", { body: { namespace: "n" } });
  expect(second.objects).toEqual(first.objects);
  const segments = first.objects.filter(({ sha256 }: { sha256?: string }) => sha256 === undefined);
  expect(segments.length).toBeGreaterThan(0);
  await server.close();
});

test("an encrypted namespace is backed up as it is stored, and needs its key again", async () => {
  const keys = new TestKeys();
  keys.names.add("k");
  const { server } = await emptyServer(keys);
  await server.write("n", {
    upsert_rows: rowsUpTo(30),
    encryption: { cmek: { key_name: "k" } },
  });
  await server.indexAll();
  await server.write("n", { deletes: [4], upsert_rows: [row(70, "secret")] });
  const rows = await server.rows("n");
  const backup = await takeBackup(server, "n");
  for (const { bytes } of backup.objects)
    expect(Buffer.from(bytes.subarray(0, 4)).toString()).toBe("TREN");
  await server.close();
  const locked = await emptyServer();
  const refused = await restore(locked.server, backup, "n").catch((error) => error);
  expect(String(refused.message ?? refused.json.error)).toContain("k is gone");
  await locked.server.close();
  const other = await emptyServer(keys);
  expect((await restore(other.server, backup, "n")).status).toBe(200);
  expect(await other.server.rows("n")).toEqual(rows);
  await other.server.close();
});

test.each([true, false])(
  "a branch is backed up with what it shares (indexed: %s)",
  async (isIndexed) => {
    const { store, server, rows } = await filledServer();
    await server.write("b", { branch_from_namespace: "n" });
    if (isIndexed) await server.indexAll();
    const begun = await must(server, "begin_backup", { body: { namespace: "b" } });
    expect(begun.has_import).toBe(!isIndexed);
    await must(server, "delete_namespace", { namespace: "n" });
    await must(server, "delete_namespace", { namespace: "b" });
    await server.catalog.settle();
    await collect(store);
    const backup = await readBackup(server, begun);
    expect(backup.objects.some(({ key }) => key.includes("/n-table/"))).toBe(true);
    await server.close();
    await collect(store);
    await collect(store);
    expect(await keysFrom(store, "namespaces/")).toEqual([]);
    const other = await emptyServer();
    expect((await restore(other.server, backup, "b")).status).toBe(200);
    expect(await other.server.rows("b")).toEqual(rows);
    await other.server.close();
  },
);

test("damaged objects are refused, and nothing of the restore is left", async () => {
  const { server } = await filledServer();
  const backup = await takeBackup(server, "n");
  await server.close();
  const step = effort({ usual: 2, full: 1 });
  for (const [number, { bytes }] of backup.objects.entries()) {
    if (number % step > 0) continue;
    const { store, server: other } = await emptyServer();
    const objects = backup.objects.map((object) => ({ ...object }));
    const damaged = Uint8Array.from(bytes);
    damaged[damaged.length >> 1] ^= 1;
    objects[number].bytes = damaged;
    const answer = await restore(other, { ...backup, objects }, "n");
    expect(answer.status, objects[number].key).not.toBe(200);
    expect(answer.json.error).toContain(objects[number].key);
    expect(await other.rows("n")).toBe(undefined);
    await other.close();
    await collect(store);
    expect(await keysFrom(store, "namespaces/")).toEqual([]);
    const next = await EngineFixture.open({ store });
    expect((await restore(next, backup, "n")).status).toBe(200);
    await next.close();
  }
});

test("what was lost on the way is noticed by its checksum", async () => {
  const { server } = await filledServer();
  const { point, objects } = await takeBackup(server, "n");
  const [{ key, bytes }] = objects;
  const listed = [{ key, bytes: bytes.length, sha256: "0".repeat(64) }];
  const begin = { body: { ...point, as: "m", objects: listed } };
  const { id } = await must(server, "begin_restore", begin);
  const answer = await server.call("put_restore", undefined, undefined, {
    parameters: { id, number: "0" },
    body: (async function* () {
      yield Uint8Array.from(bytes);
    })(),
  });
  expect(answer.status).toBe(400);
  expect(answer.json.error).toContain("SHA-256");
  await server.close();
});

test("a damaged segment is replaced by a restore, and heals who shares it", async () => {
  const { store, server, rows } = await filledServer();
  const backup = await takeBackup(server, "n");
  const segment = backup.objects.find(({ key }) => /segments\/[^.]+$/.test(key));
  const key = segment?.key as ObjectKey;
  await server.close();
  await store.put(key, new Uint8Array(100), { kind: "always" });
  const next = await EngineFixture.open({ store });
  await expect(next.rows("n")).rejects.toThrow(key);
  expect((await restore(next, backup, "m")).status).toBe(200);
  expect(await next.rows("m")).toEqual(rows);
  await next.close();
  const healed = await EngineFixture.open({ store });
  expect(await healed.rows("n")).toEqual(rows);
  await healed.close();
});

test("only objects of the namespace may be put", async () => {
  const { server } = await emptyServer();
  const sha256 = "0".repeat(64);
  const point = { namespace: "n", generation: 1, manifest_version: 1, sequence: 3 };
  for (const key of [
    "format/00000000000000000009",
    "deleted/n-table/0000000001",
    "namespaces/other-table/0000000001/manifest/00000000000000000001",
    "namespaces/n-table/0000000002/wal/00000000000000000001",
    "namespaces/n-table/0000000001/pins/x-table/0000000001/0",
    "../../etc/passwd",
    "/etc/passwd",
    "~lock",
  ]) {
    const body = { ...point, has_import: false, as: "m", objects: [{ key, bytes: 1, sha256 }] };
    const answer = await server.call("begin_restore", undefined, body);
    expect(answer.status, key).toBe(400);
    expect(answer.json.error).toContain("objects[0].key");
  }
  await server.close();
});

test("a backup that nobody goes on with keeps nothing for long", async () => {
  const store = new MemoryObjectStore();
  const clock = new InstantClock();
  const server = await EngineFixture.open({ store, clock });
  await server.write("n", { upsert_rows: rowsUpTo(20) });
  await server.indexAll();
  const { id } = await must(server, "begin_backup", { body: { namespace: "n" } });
  await server.write("n", { upsert_rows: rowsUpTo(20) });
  await server.indexAll();
  const kept = await keysOf(store, "/manifest/");
  await server.indexer().pass();
  expect(await keysOf(store, "/manifest/")).toEqual(kept);
  await clock.sleep(0.7 * BACKUP_LEASE_MS);
  await readObject(server, id, 0); // From here on it is kept for another while.
  await clock.sleep(0.7 * BACKUP_LEASE_MS);
  await readObject(server, id, 0);
  expect(await keysFrom(store, "checkpoints/")).toHaveLength(1);
  await clock.sleep(BACKUP_LEASE_MS);
  await expect(readObject(server, id, 0)).rejects.toThrow("nobody read it for an hour");
  await collectAt(server);
  expect(await keysFrom(store, "checkpoints/")).toEqual([]);
  expect((await keysOf(store, "/manifest/")).length).toBe(1);
  await server.close();
});

test("a lease that cannot be prolonged stays as it was until the next read", async () => {
  const store = new FailingCheckpoints();
  const clock = new InstantClock();
  const server = await EngineFixture.open({ store, clock });
  await server.write("n", { upsert_rows: rowsUpTo(20) });
  const { id } = await must(server, "begin_backup", { body: { namespace: "n" } });
  const before = await keysFrom(store, "checkpoints/");
  await clock.sleep(0.7 * BACKUP_LEASE_MS);
  store.isFailing = true;
  await expect(readObject(server, id, 0)).rejects.toThrow("the object store fails");
  expect(await keysFrom(store, "checkpoints/")).toEqual(before);
  store.isFailing = false;
  await Promise.all([readObject(server, id, 0), readObject(server, id, 0)]);
  const after = await keysFrom(store, "checkpoints/");
  expect([after.length, after[0] === before[0]]).toEqual([1, false]);
  await clock.sleep(0.7 * BACKUP_LEASE_MS);
  await readObject(server, id, 0);
  await server.close();
});

test("a state that was kept, and of which nobody could be told, is given up", async () => {
  const store = new FailingCheckpoints();
  const server = await EngineFixture.open({ store });
  await server.write("n", { upsert_rows: rowsUpTo(20) });
  await server.indexAll();
  store.failsBehind = true;
  const answer = await server.call("begin_backup", undefined, { namespace: "n" });
  expect(answer.status).toBe(503);
  store.failsBehind = false;
  expect(await keysFrom(store, "checkpoints/")).toEqual([]);
  await server.close();
});

/** Fails as a test says: puts of checkpoints, or listings once one was put. */
class FailingCheckpoints extends MemoryObjectStore {
  isFailing = false;
  failsBehind = false;
  #wasPut = false;

  override put(...[key, body, condition]: Parameters<MemoryObjectStore["put"]>) {
    const isCheckpoint = key.startsWith("checkpoints/");
    if (isCheckpoint && this.isFailing) {
      throw new DatabaseError("unavailable", "checkpoints are refused");
    }
    this.#wasPut ||= isCheckpoint;
    return super.put(key, body, condition);
  }

  override list(...given: Parameters<MemoryObjectStore["list"]>) {
    if (this.failsBehind && this.#wasPut) {
      throw new DatabaseError("unavailable", "listings are refused");
    }
    return super.list(...given);
  }
}

test("a restore that nobody goes on with, or that a stop ended, is taken back", async () => {
  const { server: source } = await filledServer();
  const backup = await takeBackup(source, "n");
  await source.close();
  const store = new MemoryObjectStore();
  const clock = new InstantClock();
  const server = await EngineFixture.open({ store, clock });
  const begin = async (engine: EngineFixture) => {
    const objects = backup.objects.map(({ key, bytes }) => {
      return { key, bytes: bytes.length, sha256: "0".repeat(64) };
    });
    await must(engine, "begin_restore", { body: { ...backup.point, as: "n", objects } });
  };
  await begin(server);
  expect(await keysFrom(store, "deleting/")).toHaveLength(1);
  await clock.sleep(RESTORE_IDLE_MS);
  clock.tick();
  await server.catalog.settle();
  await new Promise((resolve) => setImmediate(resolve));
  expect(await keysFrom(store, "deleting/")).toEqual([]);
  expect(await keysOf(store, "/pins/")).toEqual([]);
  await begin(server);
  await server.close();
  const next = await EngineFixture.open({ store, clock });
  expect(await keysFrom(store, "deleting/")).toEqual([]);
  expect((await restore(next, backup, "n")).status).toBe(200);
  await next.close();
});

/** Two passes: what the first sees to have expired is garbage for the second. */
async function collectAt(server: EngineFixture): Promise<void> {
  await server.indexAll();
  await server.indexAll();
}

test("a restore leaves the namespace alone that has its old name and generation", async () => {
  const { server, rows } = await filledServer();
  const backup = await takeBackup(server, "n");
  await server.close();
  const { store, server: other } = await emptyServer();
  const others = [row(1, "somebody else's"), row(2)];
  await other.write("n", { upsert_rows: others });
  await other.indexAll();
  expect((await restore(other, backup, "m")).status).toBe(200);
  expect(await other.rows("n")).toEqual(others);
  await other.indexAll();
  await collect(store);
  expect(await other.rows("m")).toEqual(rows);
  expect(await other.rows("n")).toEqual(others);
  await must(other, "delete_namespace", { namespace: "n" });
  await other.catalog.settle();
  await other.close();
  await collect(store);
  const next = await EngineFixture.open({ store });
  expect(await next.rows("m")).toEqual(rows);
  expect(await next.rows("n")).toBe(undefined);
  await must(next, "delete_namespace", { namespace: "m" });
  await next.catalog.settle();
  await next.close();
  await collect(store);
  expect(await keysFrom(store, "namespaces/")).toEqual([]);
});

test("of servers that share a store, one may restore what another has deleted", async () => {
  const store = new MemoryObjectStore();
  const first = await EngineFixture.open({ store, isShared: true });
  const second = await EngineFixture.open({ store, isShared: true });
  await first.write("n", { upsert_rows: rowsUpTo(30) });
  await first.indexAll();
  await second.write("n", { deletes: [2], upsert_rows: [row(77)] });
  const rows = await second.rows("n");
  const backup = await takeBackup(second, "n");
  await must(first, "delete_namespace", { namespace: "n" });
  await first.catalog.settle();
  expect((await restore(second, backup, "n")).status).toBe(200);
  expect(await second.rows("n")).toEqual(rows);
  expect(await first.rows("n")).toEqual(rows);
  await first.write("n", { upsert_rows: [row(2, "again")] });
  expect(await second.rows("n")).toHaveLength(31);
  await first.close();
  await second.close();
});
