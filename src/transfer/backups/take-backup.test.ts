/** Runs that end on the way: what was there before stays, and the next run goes on. */

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { InstantClock } from "../../../test/support/clocks/instant-clock.ts";
import { DatabaseError } from "../../base/errors.ts";
import { seededRandom } from "../../base/random.ts";
import { ApiClient } from "../../client/api-client.ts";
import { MemoryObjectStore } from "../../storage/memory-object-store.ts";
import type { ObjectBody, ObjectKey, PutCondition } from "../../storage/object-store.ts";
import { BackupTarget } from "./backup-target.ts";
import { takeBackup } from "./take-backup.ts";

/** Fails from a number of puts of objects on. */
class FailingStore extends MemoryObjectStore {
  putsLeft = Number.POSITIVE_INFINITY;

  override async put(key: ObjectKey, body: ObjectBody, condition: PutCondition) {
    if (key.startsWith("objects/") && this.putsLeft-- <= 0) {
      throw new DatabaseError("unavailable", "the disk is full");
    }
    return super.put(key, body, condition);
  }
}

const CONTENT = new Map(
  ["a", "b", "c", "d"].map((name) => [`namespaces/${name}`, `bytes ${name}`]),
);
let server: Server;
let client: ApiClient;

/** Serves the objects of `CONTENT`, whose names alone say what they are. */
beforeAll(async () => {
  const keys = [...CONTENT.keys()];
  server = createServer((request, response) => {
    const number = /objects\/(\d+)/.exec(request.url ?? "")?.[1];
    if (request.method !== "GET" || number === undefined) {
      const state = { namespace: "n", generation: 1, manifest_version: 1, sequence: 1 };
      const objects = keys.map((key) => ({ key }));
      response.end(JSON.stringify({ id: "1", ...state, has_import: false, objects }));
      return;
    }
    const body = Buffer.from(CONTENT.get(keys[Number(number)]) as string);
    crypto.subtle.digest("SHA-256", body).then((digest) => {
      response.setHeader("content-digest", `sha-256=:${Buffer.from(digest).toString("base64")}:`);
      response.setHeader("trawl-object-end", "true");
      response.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  client = new ApiClient({ url, clock: new InstantClock(), random: seededRandom(1) });
});

afterAll(async () => {
  client.close();
  await new Promise((resolve) => server.close(resolve));
});

function take(store: MemoryObjectStore, clock = new InstantClock()) {
  return takeBackup(["n"], {
    client,
    signal: new AbortController().signal,
    target: new BackupTarget(store),
    clock,
    random: seededRandom(2),
    onBytes: () => {},
    judge: async () => "stop",
  });
}

test("an interrupted run leaves no backup, and the next copies what is left", async () => {
  const store = new FailingStore();
  store.putsLeft = 3;
  await expect(take(store)).rejects.toThrow("the disk is full");
  const target = new BackupTarget(store);
  expect(await target.indexKeys()).toEqual([]);
  store.putsLeft = Number.POSITIVE_INFINITY;
  expect(await take(store)).toMatchObject({ objects: 4, objectsCopied: 1 });
  expect(await target.readUnfinished()).toBe(undefined);
  expect(await take(store)).toMatchObject({ objects: 4, objectsCopied: 0, bytesCopied: 0 });
});

test("an object that is gone is copied again, though a backup names it", async () => {
  const store = new MemoryObjectStore();
  await take(store);
  const [key] = await new BackupTarget(store).contentKeys();
  await store.delete(key);
  expect(await take(store)).toMatchObject({ objects: 4, objectsCopied: 1 });
  expect((await new BackupTarget(store).contentKeys()).size).toBe(4);
});

test("a clock that was set back makes no backup older than the one before", async () => {
  const store = new MemoryObjectStore();
  const clock = new InstantClock();
  await clock.sleep(3_600_000);
  await take(store, clock);
  const { backup } = await take(store);
  const target = new BackupTarget(store);
  expect((await target.indexKeys()).at(-1)).toBe(`backups/${backup}`);
  await target.keepNewest(1);
  expect(await target.indexKeys()).toEqual([`backups/${backup}`]);
});

test("empty backups do not take the place of the last one that has something", async () => {
  const store = new MemoryObjectStore();
  await take(store);
  const target = new BackupTarget(store);
  const before = await target.contentKeys();
  await target.putIndex({ created_at_ms: 9_000_000_000_000, namespaces: [] }, "00000000");
  await target.keepNewest(1);
  expect(await target.contentKeys()).toEqual(before);
  expect(await target.indexKeys()).toHaveLength(2);
});
