/** Exact scans over more vectors than the cache holds: slower, and right to the last bit (I8). */

import { expect, test } from "vitest";
import { MIB } from "../../src/base/byte-sizes.ts";
import { seededRandom } from "../../src/base/random.ts";
import { CountingObjectStore } from "../../src/storage/counting-object-store.ts";
import { EngineFixture } from "../support/engine/engine-fixture.ts";
import { MemoryObjectStore } from "../support/stores/memory-object-store.ts";

const DIMENSIONS = 256;
const COUNT = 12_000;
const BATCH = 2_000;
const CACHE_BYTES = 4 * MIB;
const random = seededRandom(21);
const vector = () => Float32Array.from({ length: DIMENSIONS }, () => random.next() - 0.5);
const encoded = (values: Float32Array) => Buffer.from(values.buffer).toString("base64");

/** 12 MiB of vectors in stored segments. */
async function filled(): Promise<MemoryObjectStore> {
  const store = new MemoryObjectStore();
  const engine = await EngineFixture.open({ store, memoryBytes: 128 * MIB });
  for (let from = 0; from < COUNT; from += BATCH) {
    const rows = Array.from({ length: BATCH }, (_, i) => {
      const other = encoded(vector());
      return { id: from + i, vector: encoded(vector()), other, n: (from + i) % 10 };
    });
    const schema = { other: { type: `[${DIMENSIONS}]f32`, ann: true } };
    await engine.write("n", { upsert_rows: rows, schema, distance_metric: "cosine_distance" });
    if (from % (3 * BATCH) === 0) await engine.indexAll();
  }
  await engine.write("n", { deletes: [5, 6, 7], upsert_rows: [] });
  await engine.indexAll();
  await engine.close();
  return store;
}

const ALL = ["id", "Gte", 0];
const QUERIES: object[] = [
  { rank_by: ["vector", "kNN", [...vector()]], filters: ALL, limit: 50 },
  { rank_by: ["vector", "kNN", [...vector()]], filters: ["n", "Lt", 7], limit: 50 },
  { rank_by: ["vector", "kNN", [...vector()]], filters: ["id", "In", [3, 500, 9000]], limit: 50 },
  {
    queries: [
      { rank_by: ["vector", "kNN", [...vector()]], limit: 20, filters: ALL },
      { rank_by: ["other", "kNN", [...vector()]], limit: 20, filters: ALL },
      { rank_by: ["n", "desc"], limit: 5 },
    ],
  },
];

async function rowsOf(engine: EngineFixture, query: object): Promise<unknown> {
  const { status, json } = await engine.call("query", "n", query);
  expect([status, json.error]).toEqual([200, undefined]);
  return json.rows ?? json.results.map(({ rows }: { rows: unknown }) => rows);
}

test("they give what a large cache gives, some chunks at a time", async () => {
  const inner = await filled();
  const large = await EngineFixture.open({ store: inner });
  const store = new CountingObjectStore(inner);
  const small = await EngineFixture.open({ store, cacheBytes: CACHE_BYTES });
  for (const query of QUERIES) {
    expect(await rowsOf(small, query)).toEqual(await rowsOf(large, query));
  }
  // Each chunk of vectors was read once for each scan that needed all of them.
  const scans = 4;
  expect(store.counts().bytesRead).toBeLessThan((scans + 1.5) * COUNT * DIMENSIONS * 4);
}, 120_000);

test("queries of several clients share the little that there is", async () => {
  const small = await EngineFixture.open({ store: await filled(), cacheBytes: CACHE_BYTES });
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => small.call("query", "n", QUERIES[0])),
  );
  for (const { status, json } of answers) {
    expect([200, 429]).toContain(status);
    if (status === 200) expect(json.rows).toHaveLength(50);
  }
  expect(answers.some(({ status }) => status === 200)).toBe(true);
}, 120_000);
