/** Vectors that are in the log alone are searched by codes, also after a restart. */

import { expect, test } from "vitest";
import { seededRandom } from "../../src/base/random.ts";
import { effort } from "../support/effort.ts";
import { EngineFixture } from "../support/engine/engine-fixture.ts";
import { MemoryObjectStore } from "../support/stores/memory-object-store.ts";

const DIMENSIONS = 32;
const COMMITS = effort({ usual: 16, full: 64 });
const ROWS = 100;

test("a log's vectors have codes in memory, and again after a restart", async () => {
  const random = seededRandom(1);
  const vector = () => Array.from({ length: DIMENSIONS }, () => random.next() - 0.5);
  const vectors = Array.from({ length: COMMITS * ROWS }, vector);
  const store = new MemoryObjectStore();
  const first = await EngineFixture.open({ store });
  for (let commit = 0; commit < COMMITS; commit++) {
    const rows = Array.from({ length: ROWS }, (_, i) => {
      return { id: commit * ROWS + i, vector: vectors[commit * ROWS + i] };
    });
    await first.write("n", { upsert_rows: rows, distance_metric: "euclidean_squared" });
  }
  const near = vector();
  const query = { rank_by: ["vector", "ANN", near], limit: 10 };
  const distances = vectors.map((row) => row.reduce((sum, x, d) => sum + (x - near[d]) ** 2, 0));
  const nearest = [...distances.keys()].sort((a, b) => distances[a] - distances[b]).slice(0, 10);
  const asked = async (engine: EngineFixture) => {
    const { json } = await engine.call("query", "n", query);
    const explained = await engine.call("explain", "n", query);
    expect(JSON.stringify(explained.json)).toContain("codes of all matches");
    return json.rows;
  };
  const rows = await asked(first);
  expect(rows.map(({ id }: { id: number }) => id)).toEqual(nearest);
  await first.close();
  const second = await EngineFixture.open({ store });
  expect(await asked(second)).toEqual(rows);
  await second.indexAll();
  const { json } = await second.call("explain", "n", query);
  expect(JSON.stringify(json)).toContain("in 1 of 1 segments by codes, cluster by cluster");
  expect(JSON.stringify(json)).not.toContain("codes of all matches");
  await second.close();
});
