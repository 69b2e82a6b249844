/** A read that brought damaged bytes is over once the store reads right again (I18). */

import { rm } from "node:fs/promises";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { SET_BYTES } from "../../src/storage/disk-cache/disk-cache-layout.ts";
import type { ObjectKey } from "../../src/storage/object-store.ts";
import { EngineFixture, TestKeys } from "../support/engine/engine-fixture.ts";
import { MemoryObjectStore } from "../support/stores/memory-object-store.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

const KEYS = new TestKeys();
KEYS.names.add("k");
const PLAIN = { encryption: { mode: "default" } };
const ENCRYPTED = { encryption: { mode: "customer-managed", key_name: "k" } };
const QUERY = { rank_by: ["text", "BM25", "word other"], limit: 10, include_attributes: true };

/** Reads of segments and tombstones bring one wrong byte, each object's first ones. */
class MisreadStore extends MemoryObjectStore {
  /** Wrong reads to come, of each object. */
  wrongReads = 0;
  /** Where the wrong byte is, from the start or the end of what was read. */
  place = 0;
  readonly #wrong = new Map<ObjectKey, number>();

  override async get(key: ObjectKey) {
    return this.#damaged(key, await super.get(key));
  }

  override async getRange(key: ObjectKey, start: number, end: number) {
    return this.#damaged(key, await super.getRange(key, start, end));
  }

  #damaged(key: ObjectKey, bytes: Uint8Array | undefined): Uint8Array | undefined {
    const seen = this.#wrong.get(key) ?? 0;
    if (!key.includes("/segments/") || bytes === undefined || seen >= this.wrongReads) return bytes;
    this.#wrong.set(key, seen + 1);
    const copy = bytes.slice();
    copy[(this.place + copy.length) % copy.length] ^= 1;
    return copy;
  }
}

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
beforeAll(async () => {
  directory = await temporaryDirectory();
});
afterAll(() => directory.remove());
beforeEach(() => rm(directory.path, { recursive: true, force: true }));

async function filled(settings: object): Promise<MisreadStore> {
  const store = new MisreadStore();
  const engine = await EngineFixture.open({ store, keys: KEYS });
  const rows = Array.from({ length: 200 }, (_, id) => ({ id, text: `word w${id}` }));
  const schema = { text: { type: "string", full_text_search: true } };
  await engine.write("n", { ...settings, upsert_rows: rows, schema });
  await engine.indexAll();
  await engine.write("n", { deletes: [5, 7], upsert_rows: [{ id: 900, text: "other" }] });
  await engine.indexAll();
  await engine.close();
  return store;
}

const CASES = [
  { name: "plain", settings: PLAIN },
  { name: "encrypted", settings: ENCRYPTED },
].flatMap((kind) => [0, 3, 100, -1, -70].map((place) => ({ ...kind, place })));

test.each(CASES)("$name, with the disk cache, byte $place", async ({ settings, place }) => {
  const store = await filled(settings);
  const plain = await EngineFixture.open({ store, keys: KEYS });
  const expected = (await plain.call("query", "n", QUERY)).json;
  expect(expected.rows).toHaveLength(10);
  await plain.close();

  const diskCache = { directory: directory.path, bytesMax: 4 * SET_BYTES };
  store.place = place;
  store.wrongReads = 1;
  for (let start = 0; start < 2; start++) {
    const engine = await EngineFixture.open({ store, keys: KEYS, diskCache });
    for (let round = 0; round < 3; round++) {
      const { status, json } = await engine.call("query", "n", QUERY);
      expect([status, json.error]).toEqual([200, undefined]);
      expect(json.rows).toEqual(expected.rows);
    }
    await engine.indexAll();
    await engine.close();
  }
});

test("what stays damaged is said, and names the object", async () => {
  const store = await filled(PLAIN);
  store.place = 100;
  store.wrongReads = 1_000;
  const engine = await EngineFixture.open({ store });
  const { status, json } = await engine.call("query", "n", QUERY);
  expect([status, json.error]).toEqual([500, expect.stringMatching(/cannot read .*\/segments\//)]);
  await engine.close();
});
