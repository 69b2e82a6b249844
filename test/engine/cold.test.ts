/** What a cold query costs: dependent rounds of requests, and that caches do what they say (I17). */

import { expect, test } from "vitest";
import { MemoryObjectStore } from "../../src/storage/memory-object-store.ts";
import type { ListPage, ListRequest, ObjectKey } from "../../src/storage/object-store.ts";
import { EngineFixture, type FixtureOptions } from "../support/engine-fixture.ts";

/** Requests wait until nothing else moves; then all of them are answered: one round. */
class RoundStore extends MemoryObjectStore {
  isCounting = false;
  /** Kinds of requests of each round. */
  readonly rounds: string[][] = [];
  #waiting: { readonly kind: string; readonly go: () => void }[] = [];

  override async get(key: ObjectKey): Promise<Uint8Array | undefined> {
    await this.#turn("GET");
    return super.get(key);
  }

  override async getRange(key: ObjectKey, start: number, end: number) {
    await this.#turn("GET");
    return super.getRange(key, start, end);
  }

  override async list(request: ListRequest): Promise<ListPage> {
    await this.#turn("LIST");
    return super.list(request);
  }

  /** Rounds with at least one GET. */
  get getRounds(): number {
    return this.rounds.filter((kinds) => kinds.includes("GET")).length;
  }

  async #turn(kind: string): Promise<void> {
    if (!this.isCounting) return;
    await new Promise<void>((go) => {
      this.#waiting.push({ kind, go });
      if (this.#waiting.length === 1) void this.#answer();
    });
  }

  async #answer(): Promise<void> {
    for (let turn = 0; turn < 30; turn++) await new Promise((resolve) => setImmediate(resolve));
    const round = this.#waiting;
    this.#waiting = [];
    this.rounds.push(round.map(({ kind }) => kind));
    for (const { go } of round) go();
  }
}

const VECTOR = [1, 2, 3, 4];
const QUERIES: Readonly<Record<string, object>> = {
  vector: { rank_by: ["vector", "ANN", VECTOR], limit: 5, include_attributes: true },
  "exact vector": { rank_by: ["vector", "kNN", VECTOR], filters: ["n", "Gt", 20], limit: 5 },
  text: { rank_by: ["text", "BM25", "word other w7"], limit: 5, include_attributes: true },
  prefix: { rank_by: ["text", "BM25", "wor", { last_as_prefix: true }], limit: 5 },
  hybrid: {
    queries: [
      { rank_by: ["vector", "ANN", VECTOR], limit: 5, include_attributes: ["n"] },
      { rank_by: ["text", "BM25", "word w7"], limit: 5, include_attributes: ["n"] },
    ],
    rerank_by: ["RRF"],
    limit: 5,
  },
  order: { rank_by: ["n", "desc"], limit: 5, include_attributes: true },
  "two orders": {
    rank_by: [
      ["group", "asc"],
      ["n", "desc"],
    ],
    limit: 5,
  },
  lookup: {
    rank_by: ["id", "asc"],
    filters: ["id", "In", [3, 4]],
    limit: 5,
    include_attributes: true,
  },
  filters: {
    rank_by: ["id", "asc"],
    filters: [
      "And",
      [
        ["group", "Eq", "g1"],
        ["n", "Lt", 50],
        ["text", "ContainsAllTokens", "w7"],
      ],
    ],
    limit: 5,
  },
  sequence: {
    rank_by: ["id", "asc"],
    filters: ["text", "ContainsTokenSequence", "word w7"],
    limit: 5,
  },
  glob: { rank_by: ["id", "asc"], filters: ["group", "Glob", "g*"], limit: 5 },
  counts: { aggregate_by: { all: ["Count"] } },
  groups: { aggregate_by: { all: ["Count"] }, group_by: ["group"] },
  sums: { aggregate_by: { sum: ["Sum", "n"] }, filters: ["group", "NotEq", "g2"] },
};

type Index = (engine: EngineFixture) => Promise<void>;

/** Even small segments have their rows by cluster. */
const CLUSTERS = { rowsMin: 8, clusterRows: 5 };

const indexAll: Index = (engine) => engine.indexAll();

/** Documents in several segments, some of them dead, and one in the log. */
async function filled(
  index = indexAll,
  options: FixtureOptions = {},
): Promise<{ store: RoundStore; engine: EngineFixture }> {
  const store = new RoundStore();
  const engine = await EngineFixture.open({ store, ...options });
  for (let part = 0; part < 3; part++) {
    const rows = Array.from({ length: 40 }, (_, i) => {
      const id = part * 40 + i;
      const text = `word w${id % 9} other`;
      return { id, vector: [id, 1, 2, 3], text, n: id, group: `g${id % 4}`, note: `note ${id}` };
    });
    await engine.write("n", {
      upsert_rows: rows,
      distance_metric: "cosine_distance",
      schema: {
        text: { type: "string", full_text_search: true },
        note: { type: "string", filterable: false },
      },
    });
    await index(engine);
  }
  await engine.write("n", { deletes: [5, 50] });
  await index(engine);
  await engine.write("n", { upsert_rows: [{ id: 500, vector: VECTOR, n: 1 }] });
  return { store, engine };
}

async function answerOf(engine: EngineFixture, query: object) {
  const { status, json } = await engine.call("query", "n", query);
  expect(status, JSON.stringify(json)).toBe(200);
  return json;
}

test.each(Object.entries(QUERIES))(
  "a %s query over purged caches takes 3 rounds, and opening 3 more",
  async (_, query) => {
    const { store, engine } = await filled();
    const { performance: _warm, ...expected } = await answerOf(engine, query);
    expect((await engine.call("purge_cache", "n")).status).toBe(200);
    expect(engine.cacheArenas.usedBytes).toBe(0);
    store.isCounting = true;
    const { performance, ...cold } = await answerOf(engine, query);
    expect(cold).toEqual(expected);
    expect(store.getRounds, JSON.stringify(store.rounds)).toBeLessThanOrEqual(3);
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
    store.rounds.length = 0;
    store.isCounting = true;
    const { performance: _restarted, ...restarted } = await answerOf(next, query);
    expect(restarted).toEqual(expected);
    expect(store.getRounds, JSON.stringify(store.rounds)).toBeLessThanOrEqual(6);
    store.isCounting = false;
    await next.close();
  },
);

test("answers do not depend on what is indexed, compacted or cached", async () => {
  const { engine: plain } = await filled(async () => {});
  const { engine: indexed } = await filled();
  const { engine: clustered } = await filled(indexAll, { clusters: CLUSTERS });
  const { engine: compacted } = await filled(
    async (engine) => {
      for (let part = 0; part < 9; part++) {
        await engine.write("n", { upsert_rows: [{ id: 900 + part, vector: VECTOR, n: part }] });
        await engine.indexAll();
      }
      await engine.write("n", { deletes: Array.from({ length: 9 }, (_, part) => 900 + part) });
      await engine.indexAll();
    },
    { clusters: CLUSTERS },
  );
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

test("a warmed cache needs nothing but postings and documents", async () => {
  const { store, engine } = await filled();
  await engine.call("purge_cache", "n");
  expect((await engine.call("warm_cache", "n")).status).toBe(200);
  store.isCounting = true;
  const { performance } = await answerOf(engine, QUERIES.order);
  expect(store.getRounds).toBeLessThanOrEqual(1);
  expect(performance.cache_temperature).toBe(store.getRounds === 0 ? "hot" : "cold");
  store.isCounting = false;
  await engine.close();
});
