/** Damaged objects are named, refuse their namespace only, and can be got rid of (I18). */

import { describe, expect, test } from "vitest";
import { namespaceName, type SegmentId } from "../../src/base/ids.ts";
import { seededRandom } from "../../src/base/random.ts";
import {
  encodeFrame,
  FRAME_HEADER_BYTES,
  FRAME_KINDS,
  type FrameKind,
} from "../../src/codec/frame.ts";
import { putTombstones } from "../../src/segment/segment-objects.ts";
import { ALWAYS, type ObjectKey } from "../../src/storage/object-store.ts";
import { effort } from "../support/effort.ts";
import { EngineFixture } from "../support/engine/engine-fixture.ts";
import { damagedBytes } from "../support/random/damaged-bytes.ts";
import { MemoryObjectStore } from "../support/stores/memory-object-store.ts";

const SEED = 11;
const NAMES = ["sick", "well"];
const upsert = (...rows: object[]) => ({ upsert_rows: rows });

/** Two namespaces with a manifest, segments, tombstones and log entries each. */
async function filledStore(): Promise<MemoryObjectStore> {
  const store = new MemoryObjectStore();
  const engine = await EngineFixture.open({ store });
  for (const name of NAMES) {
    const rows = Array.from({ length: 9 }, (_, id) => ({ id, name, text: `word ${id}` }));
    await engine.write(name, { ...upsert(...rows), schema: { text: "string" } });
  }
  await engine.indexAll();
  for (const name of NAMES) {
    await engine.write(name, { deletes: [3] });
    await engine.write(name, upsert({ id: 20 }));
    await engine.write(name, upsert({ id: 21 }));
  }
  await engine.indexAll();
  for (const name of NAMES) {
    await engine.write(name, upsert({ id: 22 }));
    await engine.write(name, { deletes: [4] });
    await engine.write(name, upsert({ id: 23 }));
  }
  await engine.close();
  return store;
}

/** All keys except coverage marks, whose objects are not read. */
async function keysOf(store: MemoryObjectStore, prefix: string): Promise<readonly ObjectKey[]> {
  const { keys } = await store.list({ prefix, limit: 1000 });
  return keys.filter((key) => !key.includes("/covered/"));
}

async function copyOf(store: MemoryObjectStore): Promise<MemoryObjectStore> {
  const copy = new MemoryObjectStore();
  for (const key of await keysOf(store, "")) await copy.put(key, await bytesAt(store, key), ALWAYS);
  return copy;
}

async function bytesAt(store: MemoryObjectStore, key: ObjectKey): Promise<Uint8Array> {
  const bytes = await store.get(key);
  if (bytes === undefined) throw new Error(`nothing at ${key}`);
  return bytes;
}

/** The header of a segment's object is not read where the segment is read by range. */
function readPart(key: string, bytes: Uint8Array): Uint8Array {
  const isSegment = key.includes("/segments/") && !key.includes(".live-");
  return isSegment ? bytes.subarray(FRAME_HEADER_BYTES) : bytes;
}

/** What the last log entry may lose: its absence cannot be told from never having been written. */
const mayBeAbsent = (key: string) => key.endsWith("/wal/00000000000000000007");

async function expectRefused(store: MemoryObjectStore, key: string, what: string): Promise<void> {
  const engine = await EngineFixture.open({ store });
  const query = await engine.call("query", "sick", { rank_by: ["id", "asc"], limit: 10 });
  expect(query.status, what).toBe(500);
  expect(query.json.error, what).toContain(key);
  const write = await engine.call("write", "sick", upsert({ id: 1 }));
  expect(write.status, what).toBe(500);
  expect(await engine.rows("well"), what).toHaveLength(11);
  await engine.write("well", upsert({ id: 99 }));
  expect(engine.arenas.usedBytes, what).toBeGreaterThan(0);
  // It can be deleted, and its name used again.
  expect((await engine.call("delete_namespace", "sick")).status, what).toBe(200);
  expect(await engine.rows("sick"), what).toBeUndefined();
  await engine.write("sick", upsert({ id: 5 }));
  expect(await engine.rows("sick"), what).toEqual([{ id: 5 }]);
  await engine.close();
  expect((await keysOf(store, "namespaces/sick-table/0000000001/")).length, what).toBe(0);
  const next = await EngineFixture.open({ store });
  expect(await next.rows("sick"), what).toEqual([{ id: 5 }]);
}

test("a write that needs a segment which is gone says that it is lost", async () => {
  const store = new MemoryObjectStore();
  const first = await EngineFixture.open({ store });
  await first.write("sick", upsert({ id: 1, text: "a" }));
  await first.indexAll();
  await first.close();
  const [segment] = await keysOf(store, "namespaces/sick-table/0000000001/segments/");
  await store.delete(segment);
  const engine = await EngineFixture.open({ store });
  const answer = await engine.call("write", "sick", { patch_rows: [{ id: 1, text: "b" }] });
  expect(answer.status).toBe(500);
  expect(answer.json.error).toContain(segment);
  expect(answer.json.error).toContain("restore it from a backup");
});

describe("of the objects of a namespace", async () => {
  const whole = await filledStore();
  const keys = await keysOf(whole, "namespaces/sick-table/");

  test("all kinds are there", () => {
    const kinds = ["/wal/", "/manifest/", "/segments/", ".live-"];
    for (const kind of kinds)
      expect(
        keys.some((key) => key.includes(kind)),
        kind,
      ).toBe(true);
    expect(keys.filter((key) => key.includes("/wal/"))).toHaveLength(3);
  });

  test.each(keys)("a damaged %s refuses its namespace", async (key) => {
    const random = seededRandom(SEED);
    const bytes = await bytesAt(whole, key);
    for (let round = 0; round < effort({ usual: 3, full: 12 }); round++) {
      const damaged = damagedBytes(bytes, random);
      if (Buffer.compare(readPart(key, damaged), readPart(key, bytes)) === 0) continue;
      const store = await copyOf(whole);
      await store.put(key, damaged, ALWAYS);
      await expectRefused(store, key, `seed ${SEED}, round ${round}`);
    }
  });

  test.each(keys)("the object of another namespace in the place of %s is found", async (key) => {
    const kind = key.split("/")[3];
    const isTombstones = key.includes(".live-");
    for (const other of await keysOf(whole, "namespaces/well-table/")) {
      if (other.split("/")[3] !== kind || other.includes(".live-") !== isTombstones) continue;
      const store = await copyOf(whole);
      await store.put(key, await bytesAt(whole, other), ALWAYS);
      await expectRefused(store, key, other);
    }
  });

  test.each(keys.filter((key) => !mayBeAbsent(key)))("a missing %s is found", async (key) => {
    const store = await copyOf(whole);
    await store.delete(key);
    // Without its manifest a namespace misses its first log entry.
    const named = key.includes("/manifest/") ? "namespaces/sick-table/0000000001/" : key;
    await expectRefused(store, named, "missing");
  });

  // Segments are read by range: their version is in the head, which the manifest has.
  const versioned = keys.filter((key) => !key.includes("/segments/") || key.includes(".live-"));

  test.each(versioned)("a %s of another format version is refused as such", async (key) => {
    const number = (await bytesAt(whole, key))[4];
    const kinds = Object.entries(FRAME_KINDS) as [FrameKind, number][];
    const kind = kinds.find(([, value]) => value === number)?.[0];
    for (const [version, words] of [
      [99, /format version 99, this server reads 1/],
      [0, /format version 0, this server reads 1/],
    ] as const) {
      const store = await copyOf(whole);
      const object = await encodeFrame({
        kind: kind ?? "segment",
        object: key,
        version,
        parts: [new Uint8Array(100)],
        compression: "never",
      });
      await store.put(key, object, ALWAYS);
      const engine = await EngineFixture.open({ store });
      const answer = await engine.call("query", "sick", { rank_by: ["id", "asc"], limit: 10 });
      expect(answer.status).toBe(500);
      expect(answer.json.error).toMatch(words);
      expect(answer.json.error).toContain(key);
      expect(await engine.rows("well")).toHaveLength(11);
    }
  });

  test("tombstones that are not those of the manifest are found", async () => {
    const name = keys.find((key) => key.includes(".live-"))?.split("/")[4] ?? "";
    const generation = { name: namespaceName("sick"), generation: 1 };
    for (const live of [[0b1], [0b111111111], [0, 0]]) {
      const store = await copyOf(whole);
      const liveBitmap = Uint32Array.from(live);
      await putTombstones(store, generation, name as SegmentId, { liveBitmap });
      await expectRefused(store, name, `live ${live}`);
    }
  });

  test("all lost but the segments is damage, not a namespace that never was", async () => {
    const store = await copyOf(whole);
    const lost = keys.filter((key) => !key.includes("/segments/"));
    for (const key of lost) await store.delete(key);
    await expectRefused(store, "namespaces/sick-table/0000000001/manifest/", "lost");
  });
});

test("a damaged namespace whose deletion fails can be deleted later", async () => {
  const store = await filledStore();
  const [key] = await keysOf(store, "namespaces/sick-table/");
  await store.put(key, new Uint8Array(5), ALWAYS);
  const put = store.put.bind(store);
  store.put = (at, body, condition) =>
    at.startsWith("deleted/") ? Promise.reject(new Error("no")) : put(at, body, condition);
  const engine = await EngineFixture.open({ store });
  expect((await engine.call("delete_namespace", "sick")).status).toBe(500);
  store.put = put;
  const next = await EngineFixture.open({ store });
  expect((await next.call("query", "sick", { rank_by: ["id", "asc"] })).status).toBe(500);
  expect(next.logs.map(({ message }) => message)).toContain(
    "cannot finish an interrupted deletion",
  );
  expect((await next.call("delete_namespace", "sick")).status).toBe(200);
  expect(await next.rows("sick")).toBeUndefined();
});

test("damage that is found while other objects are still being read ends nothing", async () => {
  const store = new MemoryObjectStore();
  const engine = await EngineFixture.open({ store });
  await engine.write("n", { upsert_rows: Array.from({ length: 9 }, (_, id) => ({ id })) });
  await engine.indexAll();
  await engine.write("n", { deletes: [1] });
  await engine.indexAll();
  await engine.write("n", { upsert_rows: [{ id: 3 }] });
  const [entry] = (await store.list({ prefix: "namespaces/n-", limit: 100 })).keys.filter((key) =>
    key.includes("/wal/"),
  );
  await store.put(entry, new Uint8Array(5), ALWAYS);
  const get = store.get.bind(store);
  let slowReads = 0;
  store.get = async (key) => {
    const isSlow = key.includes(".live-");
    if (isSlow) slowReads++;
    for (let turn = 0; isSlow && turn < 20; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    return get(key);
  };
  // A promise that fails unheard ends the process.
  const unheard: unknown[] = [];
  const listener = (reason: unknown) => unheard.push(reason);
  process.on("unhandledRejection", listener);
  const next = await EngineFixture.open({ store });
  const answer = await next.call("query", "n", { rank_by: ["id", "asc"], limit: 10 });
  process.off("unhandledRejection", listener);
  expect([answer.status, answer.json.error]).toEqual([500, expect.stringContaining(entry)]);
  expect([unheard, slowReads > 0]).toEqual([[], true]);
});
