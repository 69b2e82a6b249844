/** What queries have cost that are explained and run, as their plans and analyses tell. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { fillNamespace, QUERIES, VECTOR } from "../support/engine/cold-namespace.ts";
import type { EngineFixture } from "../support/engine/engine-fixture.ts";

/** Even small segments have their rows by cluster, and are searched so. */
const CLUSTERS = { rowsMin: 8, clusterRows: 5 };
const PROBING = { missedShare: 0.03, firstClusters: 2, exactMatchesMax: 0 };
const ANN = { rank_by: ["vector", "ANN", VECTOR], limit: 5 };
const ANN_PLAN = [
  "Limit: 5, offset 0",
  "Rank: ANN on vector (cosine_distance), exact scan of all vectors",
  "  but in 3 of 4 segments by codes, cluster by cluster, until all others are expected to have",
  "  less than 0.15 of the best 5; exactly where bounds overlap, or up to",
  "  0 match there",
  "Scan: 119 live documents in 4 segments",
  "Work: 119 documents scanned, 6 clusters probed, 25 codes scanned, 5 candidates reranked," +
    " 6 vectors scored,",
];
const ANN_WORK = {
  documents_scanned: 119,
  values_compared: 0,
  strings_tested: 0,
  texts_analyzed: 0,
  positions_read: 0,
  entries_touched: 0,
  postings_touched: 0,
  blocks_skipped: 0,
  clusters_probed: 6,
  codes_scanned: 25,
  candidates_reranked: 5,
  vectors_scored: 6,
  candidates_skipped: 0,
};

let engine: EngineFixture;

beforeAll(async () => {
  ({ engine } = await fillNamespace({ clusters: CLUSTERS, probing: PROBING }));
});
afterAll(() => engine.close());

async function analyze(query: object) {
  const { status, json } = await engine.call("explain", "n", { ...query, analyze: true });
  expect(status, JSON.stringify(json)).toBe(200);
  return json;
}

test("a cold query tells what was looked at and read, a hot one reads nothing", async () => {
  await engine.call("purge_cache", "n");
  const cold = await analyze(ANN);
  const { rounds, loaded_bytes, store_bytes } = cold.analysis.reads;
  expect(rounds).toBeGreaterThan(0);
  expect(loaded_bytes).toBeGreaterThan(119 * 4 * VECTOR.length);
  expect(store_bytes).toBeGreaterThanOrEqual(loaded_bytes);
  const plan = `Return: id\n${ANN_PLAN.join("\n")} 60 bytes returned\n`;
  const loaded = `${rounds} rounds, ${loaded_bytes} bytes loaded`;
  expect(cold.plan_text).toBe(`${plan}Reads: ${loaded}, ${store_bytes} bytes of the store`);
  expect(cold.analysis.performance.cache_temperature).toBe("cold");

  const hot = await analyze(ANN);
  expect(hot.plan_text).toBe(`${plan}Reads: none, all was in memory`);
  expect(hot.analysis.reads).toEqual({ rounds: 0, loaded_bytes: 0, store_bytes: 0 });
  expect(hot.analysis.queries).toEqual([{ ...ANN_WORK, bytes_returned: 60 }]);
  expect(cold.analysis.queries).toEqual(hot.analysis.queries);
  expect(hot.analysis.performance).toMatchObject({ cache_hit_ratio: 1, cache_temperature: "hot" });
});

test("each query of several tells its own work", async () => {
  const { plan_text, analysis } = await analyze(QUERIES.hybrid);
  expect(plan_text).toBe(
    [
      "Fuse: RRF, rank constant 60, weights 1, 1, limit 5",
      "Subquery 0",
      "Return: id, n",
      `${ANN_PLAN.join("\n")} 100 bytes returned`,
      "Subquery 1",
      "Return: id, n",
      "Limit: 5, offset 0",
      "Rank: score, descending",
      "  BM25 on text, average length 3.00: word (in 118), w7 (in 13)",
      "Scan: 119 live documents in 4 segments",
      "Work: 119 documents scanned, 133 postings touched, 108 candidates skipped," +
        " 100 bytes returned",
      "Reads: none, all was in memory",
    ].join("\n"),
  );
  expect(analysis.queries).toEqual([
    { ...ANN_WORK, bytes_returned: 100 },
    {
      documents_scanned: 119,
      values_compared: 0,
      strings_tested: 0,
      texts_analyzed: 0,
      positions_read: 0,
      entries_touched: 0,
      postings_touched: 133,
      blocks_skipped: 0,
      clusters_probed: 0,
      codes_scanned: 0,
      candidates_reranked: 0,
      vectors_scored: 0,
      candidates_skipped: 108,
      bytes_returned: 100,
    },
  ]);
});

test("without being asked for it, nothing is run and the answer is the plan alone", async () => {
  for (const asked of [{}, { analyze: false }, { analyze: null }]) {
    const { json } = await engine.call("explain", "n", { ...ANN, ...asked });
    expect(Object.keys(json)).toEqual(["plan_text"]);
    expect(json.plan_text).not.toMatch(/Work|Reads/);
  }
});
