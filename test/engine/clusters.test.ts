/** Namespaces that are large enough for clusters, with a server's own bounds (I10, I17). */

import { expect, test } from "vitest";
import { seededRandom } from "../../src/base/random.ts";
import { RoundStore } from "../support/engine/cold-namespace.ts";
import { EngineFixture } from "../support/engine/engine-fixture.ts";

const DIMENSIONS = 6;
const ROWS = 40_000;

test("ANN looks at few of many documents, at new ones, and not at deleted ones", async () => {
  const random = seededRandom(1);
  const vector = () => Array.from({ length: DIMENSIONS }, () => random.next() - 0.5);
  const store = new RoundStore();
  const engine = await EngineFixture.open({ store });
  const ask = async (query: object) => {
    const { status, json } = await engine.call("query", "n", { limit: 10, ...query });
    expect(status, JSON.stringify(json)).toBe(200);
    return json.rows as { id: number; $dist: number }[];
  };
  for (let start = 0; start < ROWS; start += 10_000) {
    const rows = Array.from({ length: 10_000 }, (_, i) => {
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
  expect(await ask({ rank_by: ["vector", "ANN", vector()], limit: 9000 })).toHaveLength(9000);

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
