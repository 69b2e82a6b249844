/** What a cold query costs: dependent rounds of requests, and that caches do what they say (I17). */

import { beforeAll, expect, test } from "vitest";
import {
  answerOf,
  fillNamespace,
  QUERIES,
  type RoundStore,
  VECTOR,
} from "../support/engine/cold-namespace.ts";
import { EngineFixture } from "../support/engine/engine-fixture.ts";

/** Even small segments have their rows by cluster. */
const CLUSTERS = { rowsMin: 8, clusterRows: 5 };

let filled: RoundStore;

beforeAll(async () => {
  const { store, engine } = await fillNamespace();
  await engine.close();
  filled = store;
});

test.each(Object.entries(QUERIES))(
  "a %s query over purged caches takes 3 rounds, and opening 2 more",
  async (_, query) => {
    const store = filled;
    const engine = await EngineFixture.open({ store });
    const { performance: _warm, ...expected } = await answerOf(engine, query);
    expect((await engine.call("purge_cache", "n")).status).toBe(200);
    expect(engine.cacheArenas.usedBytes).toBe(0);
    store.count();
    const { performance, ...cold } = await answerOf(engine, query);
    expect(cold).toEqual(expected);
    expect(store.getRounds, store.shown).toBeLessThanOrEqual(3);
    const looked = !JSON.stringify(query).includes('"all":["Count"]}}');
    if (looked) expect(performance.cache_temperature).toBe("cold");
    if (looked) expect(performance.cache_hit_ratio).toBeLessThan(1);
    const before = store.rounds.length;
    const { performance: again } = await answerOf(engine, query);
    expect(again.cache_temperature).toBe("hot");
    expect(again.cache_hit_ratio).toBe(1);
    expect(store.rounds.length).toBe(before);
    store.isCounting = false;
    await engine.close();
    const next = await EngineFixture.open({ store });
    store.count();
    const { performance: _restarted, ...restarted } = await answerOf(next, query);
    expect(restarted).toEqual(expected);
    expect(store.getRounds, store.shown).toBeLessThanOrEqual(5);
    expect(store.rounds.length - store.getRounds, store.shown).toBe(1);
    store.isCounting = false;
    await next.close();
  },
);

const FURTHER_QUERY = [3, 40, 2, 1];
const PROBED: Readonly<Record<string, object>> = {
  all: { rank_by: ["vector", "ANN", VECTOR], limit: 5, include_attributes: true },
  filtered: {
    rank_by: ["vector", "ANN", VECTOR],
    filters: ["group", "NotEq", "g2"],
    limit: 5,
    include_attributes: true,
  },
  fused: QUERIES.hybrid,
  "by a further vector": {
    rank_by: ["further", "ANN", FURTHER_QUERY],
    filters: ["group", "NotEq", "g2"],
    limit: 5,
    include_attributes: true,
  },
  "by two vectors": {
    queries: [
      { rank_by: ["further", "ANN", FURTHER_QUERY], limit: 5 },
      { rank_by: ["vector", "ANN", VECTOR], limit: 5 },
    ],
  },
  "the same vector with other filters": {
    queries: [
      { rank_by: ["vector", "ANN", VECTOR], filters: ["group", "Eq", "g1"], limit: 5 },
      { rank_by: ["vector", "kNN", VECTOR], filters: ["group", "NotEq", "g3"], limit: 100 },
      { rank_by: ["vector", "ANN", VECTOR], limit: 5 },
    ],
  },
};

const PROBING = { missedShare: 0.03, firstClusters: 2, exactMatchesMax: 0 };
let clusteredStore: RoundStore;

beforeAll(async () => {
  const { store, engine } = await fillNamespace({
    clusters: CLUSTERS,
    probing: PROBING,
    furtherVectors: ["further"],
  });
  await engine.close();
  clusteredStore = store;
});

test.each(Object.entries(PROBED))(
  "a query that looks at few clusters takes 4 rounds over purged caches: %s",
  async (_, query) => {
    const store = clusteredStore;
    const engine = await EngineFixture.open({ store, probing: PROBING });
    const { performance: _warm, ...expected } = await answerOf(engine, query);
    const { json } = await engine.call("explain", "n", query);
    expect(JSON.stringify(json)).toContain("by codes, cluster by cluster");
    await engine.call("purge_cache", "n");
    store.count();
    const { performance, ...cold } = await answerOf(engine, query);
    expect(cold).toEqual(expected);
    expect(performance.cache_temperature).toBe("cold");
    expect(store.getRounds, store.shown).toBeLessThanOrEqual(4);
    store.isCounting = false;
    await engine.close();
  },
);

test("answers do not depend on what is indexed, compacted or cached", async () => {
  const { engine: plain } = await fillNamespace({ index: async () => {} });
  const { engine: indexed } = await fillNamespace();
  const { engine: clustered } = await fillNamespace({ clusters: CLUSTERS });
  const { engine: compacted } = await fillNamespace({
    clusters: CLUSTERS,
    index: async (engine) => {
      for (let part = 0; part < 9; part++) {
        await engine.write("n", { upsert_rows: [{ id: 900 + part, vector: VECTOR, n: part }] });
        await engine.indexAll();
      }
      await engine.write("n", { deletes: Array.from({ length: 9 }, (_, part) => 900 + part) });
      await engine.indexAll();
    },
  });
  expect(compacted.logs.map(({ message }) => message)).toContain("compacted");
  for (const [name, query] of Object.entries(QUERIES)) {
    const { performance: _, ...expected } = await answerOf(plain, query);
    for (const engine of [indexed, clustered, compacted]) {
      const { performance: _hot, ...hot } = await answerOf(engine, query);
      expect(hot, name).toEqual(expected);
      await engine.call("purge_cache", "n");
      const { performance: _cold, ...cold } = await answerOf(engine, query);
      expect(cold, name).toEqual(expected);
    }
  }
  for (const engine of [plain, indexed, clustered, compacted]) await engine.close();
});

test("a warmed cache needs nothing but documents", async () => {
  const { store, engine } = await fillNamespace();
  await engine.call("purge_cache", "n");
  expect((await engine.call("warm_cache", "n")).status).toBe(200);
  store.count();
  for (const query of [QUERIES.prefix, QUERIES.filters]) await answerOf(engine, query);
  expect(store.getRounds, store.shown).toBe(0);
  const { performance } = await answerOf(engine, QUERIES.order);
  expect(store.getRounds).toBeLessThanOrEqual(1);
  expect(performance.cache_temperature).toBe(store.getRounds === 0 ? "hot" : "cold");
  store.isCounting = false;
  await engine.close();
});
