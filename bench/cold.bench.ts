/**
 * Latency of queries over a store whose every GET and LIST takes 63 ms, as object storage in the
 * same region does: with nothing on this machine, with the disk cache filled, and with everything
 * in memory; on a namespace that is open, and with its opening. 20,000 documents of 128 dimensions
 * and a text of 30 words, all of them in one stored segment, in an engine of one thread. Run: `node
 * bench/cold.bench.ts` (Node >= 24). Prints medians of 5, and the rounds of requests of each.
 */

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "../src/base/clock.ts";
import { seededRandom } from "../src/base/random.ts";
import type { ListPage, ListRequest, ObjectKey } from "../src/storage/object-store.ts";
import { RoundStore } from "../test/support/engine/cold-namespace.ts";
import { EngineFixture } from "../test/support/engine/engine-fixture.ts";
import { temporaryDirectory } from "../test/support/stores/temporary-directory.ts";
import { median, printTable } from "./http-harness.ts";

const REQUEST_MS = 63;
const DOCUMENTS = 20_000;
const DIMENSIONS = 128;
const WORDS = 30;
const RUNS = 5;

/** Every read takes its time; the bytes themselves take none. */
class DistantStore extends RoundStore {
  requestMs = 0;

  override async get(key: ObjectKey): Promise<Uint8Array | undefined> {
    await this.#travel();
    return super.get(key);
  }

  override async getRange(key: ObjectKey, start: number, end: number) {
    await this.#travel();
    return super.getRange(key, start, end);
  }

  override async list(request: ListRequest): Promise<ListPage> {
    await this.#travel();
    return super.list(request);
  }

  async #travel(): Promise<void> {
    if (this.requestMs > 0) await systemClock.sleep(this.requestMs);
  }
}

const random = seededRandom(1);
const vector = () => Array.from({ length: DIMENSIONS }, () => random.next() - 0.5);
const word = () => `w${Math.floor(20_000 * random.next() ** 3)}`;
const store = new DistantStore();
const directory = await temporaryDirectory();
const cache = join(directory.path, "cache");

const filler = await EngineFixture.open({ store, clock: systemClock, memoryBytes: 2 ** 28 });
for (let from = 0; from < DOCUMENTS; from += 2000) {
  const rows = Array.from({ length: 2000 }, (_, i) => ({
    id: from + i,
    vector: vector(),
    text: Array.from({ length: WORDS }, word).join(" "),
    n: (from + i) % 1000,
  }));
  await filler.write("n", {
    upsert_rows: rows,
    distance_metric: "cosine_distance",
    schema: { text: { type: "string", full_text_search: true } },
  });
}
await filler.indexAll();
await filler.close();

const QUERIES: Readonly<Record<string, () => object>> = {
  "ANN, 10 of 20,000": () => ({ rank_by: ["vector", "ANN", vector()], limit: 10 }),
  "BM25, 3 words": () => ({
    rank_by: ["text", "BM25", `${word()} ${word()} ${word()}`],
    limit: 10,
    include_attributes: true,
  }),
  "filter, ordered by id": () => ({
    rank_by: ["id", "asc"],
    filters: ["n", "Eq", random.below(1000)],
    limit: 10,
    include_attributes: true,
  }),
};

async function start(): Promise<EngineFixture> {
  return EngineFixture.open({
    store,
    clock: systemClock,
    cacheBytes: 2 ** 28,
    diskCache: { directory: cache, bytesMax: 2 ** 30 },
  });
}

/** Starts with or without what the disk has, and with the namespace open or not. */
async function prepared(way: { isOpen: boolean; isCold: boolean }): Promise<EngineFixture> {
  if (way.isCold) await rm(cache, { recursive: true, force: true });
  const engine = await start();
  if (way.isOpen) await engine.call("get_metadata", "n");
  return engine;
}

async function timed(engine: EngineFixture, query: object, temperature: string): Promise<number> {
  const startMs = performance.now();
  const { status, json } = await engine.call("query", "n", query);
  const ms = performance.now() - startMs;
  const found = json.performance?.cache_temperature;
  if (status !== 200 || found !== temperature) throw new Error(`${status} ${found}`);
  return ms;
}

const WAYS = {
  "cold + opening": { isOpen: false, isCold: true },
  "disk + opening": { isOpen: false, isCold: false },
  cold: { isOpen: true, isCold: true },
  disk: { isOpen: true, isCold: false },
};

const lines: unknown[][] = [];
for (const [name, makeQuery] of Object.entries(QUERIES)) {
  const times = new Map<string, number[]>([...Object.keys(WAYS), "hot"].map((way) => [way, []]));
  const rounds = new Map<string, number>();
  for (let run = 0; run <= RUNS; run++) {
    const query = makeQuery();
    for (const [way, choice] of Object.entries(WAYS)) {
      // The last run counts rounds, which takes no time to speak of.
      const isCounting = run === RUNS;
      store.requestMs = isCounting ? 0 : REQUEST_MS;
      const engine = await prepared(choice);
      if (isCounting) store.count();
      const ms = await timed(engine, query, choice.isCold ? "cold" : "warm");
      store.isCounting = false;
      if (isCounting) rounds.set(way, store.rounds.length);
      else times.get(way)?.push(ms);
      if (!isCounting) times.get("hot")?.push(await timed(engine, query, "hot"));
      await engine.close();
    }
  }
  const shown = [...times].map(([way, ms]) => `${median(ms).toFixed(1)} (${rounds.get(way) ?? 0})`);
  lines.push([name, ...shown]);
}
printTable(["ms (rounds)", ...Object.keys(WAYS), "hot"], lines);
await directory.remove();
