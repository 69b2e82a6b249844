/** Namespaces that are large enough for clusters, with a server's own bounds (I10, I17). */

import { expect, test } from "vitest";
import { seededRandom } from "../../src/base/random.ts";
import { INDEX_POLL_MS } from "../../src/indexer/idle-pace.ts";
import { compileKernel } from "../../src/kernel/load-kernel.ts";
import { InstantClock } from "../support/clocks/instant-clock.ts";
import { effort } from "../support/effort.ts";
import { RoundStore } from "../support/engine/cold-namespace.ts";
import { EngineFixture } from "../support/engine/engine-fixture.ts";

const kernel = await compileKernel("auto");

const DIMENSIONS = 6;
const ROWS = effort({ usual: 6_000, full: 40_000 });

test("ANN looks at few of many documents, at new ones, and not at deleted ones", async () => {
  const random = seededRandom(1);
  const vector = () => Array.from({ length: DIMENSIONS }, () => random.next() - 0.5);
  const store = new RoundStore();
  const engine = await EngineFixture.open({ store, kernel });
  const ask = async (query: object) => {
    const { status, json } = await engine.call("query", "n", { limit: 10, ...query });
    expect(status, JSON.stringify(json)).toBe(200);
    return json.rows as { id: number; $dist: number }[];
  };
  const batchRows = Math.min(ROWS, 10_000);
  for (let start = 0; start < ROWS; start += batchRows) {
    const rows = Array.from({ length: batchRows }, (_, i) => {
      return { id: start + i, vector: vector(), n: start + i };
    });
    await engine.write("n", { upsert_rows: rows, distance_metric: "euclidean_squared" });
  }
  await engine.indexAll();
  const explained = await engine.call("explain", "n", {
    rank_by: ["vector", "ANN", vector()],
    limit: 10,
  });
  expect(JSON.stringify(explained.json)).toContain(
    "in 1 of 1 segments by codes, cluster by cluster",
  );

  // Not all documents are looked at, and hardly any is missed.
  const { json: recall } = await engine.call("recall", "n", { num: 20, top_k: 100 });
  expect(recall.avg_recall).toBeGreaterThan(0.98);
  expect(recall.avg_ann_count).toBe(100);
  // As many are found as are asked for, though few clusters have as many.
  const limit = effort({ usual: 1_350, full: 9_000 });
  expect(await ask({ rank_by: ["vector", "ANN", vector()], limit })).toHaveLength(limit);

  // A cold search takes four rounds: centroids, codes, vectors, documents.
  const query = { rank_by: ["vector", "ANN", vector()], include_attributes: ["n"] };
  const warm = await ask(query);
  expect((await engine.call("purge_cache", "n")).status).toBe(200);
  store.count();
  expect(await ask(query)).toEqual(warm);
  expect(store.getRounds, store.shown).toBeLessThanOrEqual(4);
  store.isCounting = false;

  // What is new is found in memory; what died is not found.
  const [nearest] = warm;
  await engine.write("n", {
    deletes: [nearest.id],
    upsert_rows: [{ id: ROWS, vector: query.rank_by[2], n: ROWS }],
  });
  const [first, second] = await ask(query);
  expect(first).toMatchObject({ id: ROWS, $dist: 0 });
  expect(second.id).toBe(warm[1].id);

  // Small segments beside the large one, and merges of them, are searched with it.
  for (let part = 0; part < 10; part++) {
    const rows = Array.from({ length: 50 }, (_, i) => {
      const id = ROWS + 1 + part * 50 + i;
      return { id, vector: vector(), n: id };
    });
    await engine.write("n", { upsert_rows: rows });
    await engine.indexAll();
  }
  expect(engine.logs.map(({ message }) => message)).toContain("compacted");
  const exact = {
    ...query,
    rank_by: ["vector", "kNN", query.rank_by[2]],
    filters: ["n", "Gte", 0],
  };
  expect((await ask(query)).map(({ id }) => id)).toEqual((await ask(exact)).map(({ id }) => id));
  await engine.close();
});

test("further vectors are searched like the first, also after a rest merge", async () => {
  const seed = 5;
  const random = seededRandom(seed);
  // Enough for clusters in each segment.
  const rowCount = effort({ usual: 1_200, full: 3_000 });
  const queryCount = effort({ usual: 6, full: 20 });
  const vector = () => Array.from({ length: DIMENSIONS }, () => random.next() - 0.5);
  const store = new RoundStore();
  const clock = new InstantClock();
  const thresholds = { indexTailEntries: 1 };
  const engine = await EngineFixture.open({ store, clock, thresholds, kernel });
  const indexer = engine.indexer({ graceMs: 1 });
  const index = async () => {
    await indexer.pass();
    await engine.follow();
  };
  const schema = { further: { type: `[${DIMENSIONS}]f32`, ann: true } };
  for (let start = 0; start < 2 * rowCount; start += rowCount) {
    const rows = Array.from({ length: rowCount }, (_, i) => {
      const id = start + i;
      return { id, vector: vector(), further: vector(), n: id };
    });
    const metric = "cosine_distance";
    await engine.write("n", { upsert_rows: rows, distance_metric: metric, schema });
    await index();
  }
  await engine.write("n", { deletes: Array.from({ length: rowCount / 10 }, (_, i) => 7 * i) });
  await index();

  const ids = async (attribute: string, method: string, values: number[], rest: object) => {
    const query = { rank_by: [attribute, method, values], limit: 100, ...rest };
    const { status, json } = await engine.call("query", "n", query);
    expect(status, JSON.stringify(json)).toBe(200);
    return (json.rows as { id: number }[]).map(({ id }) => id);
  };
  const check = async (segmentCount: number) => {
    for (const attribute of ["vector", "further"]) {
      const { json } = await engine.call("explain", "n", {
        rank_by: [attribute, "ANN", vector()],
        limit: 10,
      });
      expect(JSON.stringify(json)).toContain(`in ${segmentCount} of ${segmentCount} segments by`);
      let found = 0;
      for (let i = 0; i < queryCount; i++) {
        const rest = { filters: ["n", "Gte", (i % 2) * random.below(rowCount / 3)] };
        const values = vector();
        const truth = new Set(await ids(attribute, "kNN", values, rest));
        const some = await ids(attribute, "ANN", values, rest);
        expect(some, `seed ${seed}`).toHaveLength(100);
        found += some.filter((id) => truth.has(id)).length;
      }
      expect(found / (100 * queryCount), `${attribute}, seed ${seed}`).toBeGreaterThan(0.98);
    }
  };
  await check(2);

  for (let at = 0; at < 4_000; at += INDEX_POLL_MS) {
    await indexer.pass();
    await clock.sleep(INDEX_POLL_MS);
  }
  await engine.follow();
  await check(1);
  await engine.call("purge_cache", "n");
  store.count();
  await ids("further", "ANN", vector(), { limit: 10, include_attributes: ["n"] });
  expect(store.getRounds, store.shown).toBeLessThanOrEqual(4);
  store.isCounting = false;
  await engine.close();
});

/** Vectors in groups, of which `region` says what half of them a document's is of. */
function groupedVectors(seed: number) {
  const random = seededRandom(seed);
  const group = () => Array.from({ length: 12 }, () => 2 * random.next());
  const groups = Array.from({ length: 120 }, group);
  return (region: 0 | 1): number[] => {
    const of = groups[2 * random.below(groups.length / 2) + region];
    return of.map((x) => x + random.next() - 0.5);
  };
}

test("as many are found after half of all was replaced as where all was built anew", async () => {
  const rowCount = effort({ usual: 2_000, full: 8_000 });
  const rounds = effort({ usual: 2, full: 4 });
  const vectorOf = groupedVectors(8);
  const open = async () => {
    const clock = new InstantClock();
    const thresholds = { indexTailEntries: 1 };
    const engine = await EngineFixture.open({ clock, thresholds, kernel });
    const indexer = engine.indexer({ graceMs: 1 });
    const write = async (rows: object[]) => {
      await engine.write("n", { upsert_rows: rows, distance_metric: "euclidean_squared" });
      // Small segments are merged as they come, and those at rest with large ones.
      for (let at = 0; at < 4_000; at += INDEX_POLL_MS) {
        await indexer.pass();
        await clock.sleep(INDEX_POLL_MS);
      }
      await engine.follow();
    };
    const ids = async (method: string, values: number[]) => {
      const { status, json } = await engine.call("query", "n", {
        rank_by: ["vector", method, values],
        limit: 10,
        filters: ["n", "Gte", 0],
      });
      expect(status, JSON.stringify(json)).toBe(200);
      return (json.rows as { id: number }[]).map(({ id }) => id);
    };
    return { engine, write, ids };
  };
  type Opened = Awaited<ReturnType<typeof open>>;
  const queries = Array.from({ length: effort({ usual: 20, full: 60 }) }, (_, i) =>
    vectorOf((i % 2) as 0 | 1),
  );
  const recallOf = async ({ engine, ids }: Opened) => {
    const { json } = await engine.call("explain", "n", {
      rank_by: ["vector", "ANN", queries[0]],
      limit: 10,
    });
    expect(JSON.stringify(json)).toContain("in 1 of 1 segments by codes");
    let found = 0;
    for (const values of queries) {
      const truth = new Set(await ids("kNN", values));
      found += (await ids("ANN", values)).filter((id) => truth.has(id)).length;
    }
    return found / 10 / queries.length;
  };

  const live = new Map<number, object>();
  const rowsFrom = (start: number, count: number, region: 0 | 1) =>
    Array.from({ length: count }, (_, i) => {
      const row = { id: start + i, vector: vectorOf(region), n: start + i };
      live.set(row.id, row);
      return row;
    });
  const churned = await open();
  await churned.write(rowsFrom(0, rowCount, 0));
  const share = rowCount / 2 / rounds;
  for (let round = 0; round < rounds; round++) {
    await churned.write(rowsFrom(round * share, share, 1));
  }
  // What came is merged with what was there, whose centroids are used again.
  const merges = churned.engine.logs.filter(({ message }) => message === "compacted");
  expect(merges.length).toBeGreaterThanOrEqual(rounds / 2);
  const fresh = await open();
  await fresh.write([...live.values()]);
  const [after, anew] = [await recallOf(churned), await recallOf(fresh)];
  expect(anew).toBeGreaterThan(0.97);
  expect(after).toBeGreaterThanOrEqual(anew - 0.01);
  await churned.engine.close();
  await fresh.engine.close();
});
