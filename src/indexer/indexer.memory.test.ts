/** An indexer with little memory: logs are indexed in smaller steps, and nothing waits for merges. */

import { expect, test } from "vitest";
import { effort } from "../../test/support/effort.ts";
import { EngineFixture } from "../../test/support/engine/engine-fixture.ts";
import { HookedObjectStore } from "../../test/support/stores/hooked-object-store.ts";
import { MIB } from "../base/byte-sizes.ts";
import { DatabaseError } from "../base/errors.ts";
import { seededRandom } from "../base/random.ts";
import { CREATE_ATTEMPTS_MAX } from "../storage/create-object.ts";

const MEMORY_BYTES = 4 * MIB;
const random = seededRandom(17);
const ALL = { rank_by: ["id", "asc"], limit: 10_000 };

/** Documents that no stored segment has. */
async function unindexedCount(engine: EngineFixture): Promise<number> {
  return (await engine.call("query", "n", ALL)).json.performance.exhaustive_search_count;
}

/** Steps in which logs were indexed. */
function stepCount(engine: EngineFixture): number {
  return engine.logs.filter(({ message }) => message === "indexed").length;
}

test("a log that is larger than the memory is indexed part by part", async () => {
  const engine = await EngineFixture.open({ indexerMemoryBytes: MEMORY_BYTES });
  // 8 take more than the memory.
  const batches = effort({ usual: 8, full: 24 });
  for (let batch = 0; batch < batches; batch++) {
    const upsert_rows = Array.from({ length: 100 }, (_, i) => {
      return { id: batch * 80 + i, text: Buffer.from(random.bytes(4500)).toString("base64") };
    });
    const schema = { text: { type: "string", filterable: false } };
    await engine.write("n", { upsert_rows, schema });
  }
  const before = (await engine.call("query", "n", ALL)).json.rows;
  await engine.indexAll();
  expect(stepCount(engine)).toBeGreaterThan(1);
  expect(await unindexedCount(engine)).toBe(0);
  expect((await engine.call("query", "n", ALL)).json.rows).toEqual(before);
  await engine.close();
});

test("segments that do not fit for a merge keep no log waiting", async () => {
  const engine = await EngineFixture.open({ indexerMemoryBytes: MEMORY_BYTES });
  const count = effort({ usual: 50, full: 100 });
  const write = (batch: number) => {
    // Stored segments are compressed well: merges of what is small in the store are large.
    const text = String.fromCharCode(97 + batch).repeat(15_000);
    const upsert_rows = Array.from({ length: count }, (_, i) => ({ id: batch * count + i, text }));
    const schema = { text: { type: "string", filterable: false } };
    return engine.write("n", { upsert_rows, schema });
  };
  for (let batch = 0; batch < 8; batch++) {
    await write(batch);
    await engine.indexAll();
  }
  // More than fits one step, after the first of which a merge is tried.
  for (let batch = 8; batch < 12; batch++) await write(batch);
  const before = stepCount(engine);
  await engine.indexAll();
  expect(stepCount(engine) - before).toBeGreaterThan(1);
  expect(await unindexedCount(engine)).toBe(0);
  expect(engine.logs.map(({ message }) => message)).toContain("cannot compact a namespace now");
  expect((await engine.call("query", "n", ALL)).json.rows.length).toBe(12 * count);
  await engine.close();
});

test("a step whose manifest the store refuses is not made smaller", async () => {
  const store = new HookedObjectStore();
  const engine = await EngineFixture.open({ store, thresholds: { indexTailEntries: 1 } });
  for (let id = 0; id < 4; id++) await engine.write("n", { upsert_rows: [{ id }] });
  let refused = 0;
  store.before = async (key, kind) => {
    if (kind !== "put" || !key.includes("/manifest/")) return;
    refused++;
    throw new DatabaseError("overloaded", "slow down");
  };
  await engine.indexer({ graceMs: 1 }).pass();
  expect(refused).toBe(CREATE_ATTEMPTS_MAX);
  expect(engine.logs.map(({ message }) => message)).toContain("cannot index a namespace now");
  await engine.close();
});
