/** Random histories with a disk cache that is damaged all the time, against the same without one. */

import { open, readdir, rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Random, seededRandom } from "../../src/base/random.ts";
import { SET_BYTES } from "../../src/storage/disk-cache/disk-cache-layout.ts";
import { effort } from "../support/effort.ts";
import { EngineFixture } from "../support/engine/engine-fixture.ts";
import { MemoryObjectStore } from "../support/stores/memory-object-store.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

const STEPS = 60;
const IDS = 400;

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
beforeEach(async () => {
  directory = await temporaryDirectory();
});
afterEach(() => directory.remove());

/** Two servers that are asked the same. */
class Pair {
  readonly #stores = [new MemoryObjectStore(), new MemoryObjectStore()];
  engines: EngineFixture[] = [];
  /** Of the disk cache, before the last stop. */
  hits = 0;

  async start(): Promise<void> {
    const diskCache = { directory: directory.path, bytesMax: 2 * SET_BYTES };
    this.engines = [
      await EngineFixture.open({ store: this.#stores[0] }),
      await EngineFixture.open({ store: this.#stores[1], diskCache }),
    ];
  }

  async stop(): Promise<void> {
    for (const engine of this.engines) await engine.close();
    for (const { disk } of Object.values(this.engines[1].accesses)) {
      this.hits += disk?.stats.hits ?? 0;
    }
  }

  /** Both answers must be the same but for what they cost. */
  async call(operation: "write" | "query" | "purge_cache" | "warm_cache", body?: object) {
    const answers = [];
    for (const engine of this.engines) {
      const { status, json } = await engine.call(operation, "n", body);
      const { performance: _, ...answer } = json ?? {};
      answers.push({ status, answer });
    }
    expect(answers[1]).toEqual(answers[0]);
    return answers[1];
  }

  async index(): Promise<void> {
    for (const engine of this.engines) await engine.indexAll();
  }
}

function randomWrite(random: Random): object {
  const some = (most: number) =>
    Array.from({ length: random.below(most) }, () => random.below(IDS));
  const ids = new Set([random.below(IDS), ...some(80)]);
  const words = () => Array.from({ length: 6 }, () => `w${random.below(50)}`).join(" ");
  const rows = [...ids].map((id) => ({ id, text: words(), n: random.below(90) }));
  const deletes = some(30).filter((id) => !ids.has(id));
  const schema = { text: { type: "string", full_text_search: true } };
  return { upsert_rows: rows, deletes, schema };
}

function randomQuery(random: Random): object {
  const attributes = { include_attributes: true, limit: 1 + random.below(40) };
  if (random.below(2) === 0)
    return { rank_by: ["text", "BM25", `w${random.below(50)}`], ...attributes };
  return { rank_by: ["id", "asc"], filters: ["n", "Lt", random.below(90)], ...attributes };
}

/** Flips a bit, cuts a file, removes one, or all of them. */
async function damage(random: Random): Promise<void> {
  const names = await readdir(directory.path);
  if (names.length === 0) return;
  const path = join(directory.path, names[random.below(names.length)]);
  const kind = random.below(8);
  if (kind === 0) await rm(path);
  if (kind === 1) await truncate(path, random.below(70_000));
  if (kind === 2) await Promise.all(names.map((name) => rm(join(directory.path, name))));
  if (kind < 3) return;
  const handle = await open(path, "r+");
  const { size } = await handle.stat();
  const byte = new Uint8Array(1);
  for (let flips = 0; flips < 50; flips++) {
    const at = random.below(random.below(2) === 0 ? Math.min(size, 4096) : size);
    if ((await handle.read(byte, 0, 1, at)).bytesRead === 0) continue;
    byte[0] ^= 1 << random.below(8);
    await handle.write(byte, 0, 1, at);
  }
  await handle.close();
}

const SEEDS = [1, 2, 3, 4].slice(0, effort({ usual: 1, full: 4 }));

test.each(SEEDS)("answers are those without a disk cache, seed %i", async (seed) => {
  const random = seededRandom(seed);
  const pair = new Pair();
  await pair.start();
  await pair.call("write", randomWrite(random));
  for (let step = 0; step < STEPS; step++) {
    const kind = random.below(10);
    if (kind < 3) await pair.call("write", randomWrite(random));
    else if (kind < 5) await pair.index();
    else if (kind === 5) await pair.call(random.below(3) === 0 ? "purge_cache" : "warm_cache");
    else if (kind < 8) {
      await pair.stop();
      if (kind === 6) await damage(random);
      await pair.start();
    } else await damage(random);
    for (let i = 0; i < 2; i++) await pair.call("query", randomQuery(random));
  }
  const all = await pair.call("query", { rank_by: ["id", "asc"], limit: 1000 });
  expect(all.answer.rows.length, `seed ${seed}`).toBeGreaterThan(IDS / 8);
  await pair.stop();
  expect(pair.hits, "the disk cache was of use").toBeGreaterThan(0);
});
