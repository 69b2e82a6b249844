/**
 * Queries over purged caches, of a store that takes 63 ms for each request, as a bucket does (p50
 * of GET on S3), on one million documents with a vector of 128 dimensions and a text of 12 words.
 * The documents are written and indexed by a server and its indexer in a directory; then an engine
 * in this process opens the directory behind the delay. Delays overlap as requests do; bytes take
 * no time beyond the directory's. Run: `npm run build && node bench/cold-queries.ts [documents]
 * [directory]` (Node >= 24). A directory that is given is kept, and used again when it is there.
 */

import { existsSync } from "node:fs";
import { systemClock } from "../src/base/clock.ts";
import { type Random, seededRandom, systemRandom } from "../src/base/random.ts";
import { compileKernel } from "../src/kernel/load-kernel.ts";
import { FsObjectStore } from "../src/storage/directory/fs-object-store.ts";
import type { ListRequest, ObjectKey, ObjectStore } from "../src/storage/object-store.ts";
import { EngineFixture } from "../test/support/engine/engine-fixture.ts";
import {
  type BenchServer,
  benchServer,
  benchServerIn,
  onConnections,
  percentile,
  prepare,
  printTable,
  vectorBase64,
} from "./http-harness.ts";

const GIB = 1024 ** 3;
const DELAY_MS = 63;
const DIMENSIONS = 128;
const CENTRES = 1000;
const WORDS = 50_000;
const TEXT_WORDS = 12;
const BATCH = 10_000;
const ROUNDS = 15;
const documentCount = Number(process.argv[2] ?? 1_000_000);
const directory = process.argv[3];

const random = seededRandom(1);
const centres = Array.from({ length: CENTRES }, () => normalVector(random, 1));

/** Nearly normal elements, with a variance of scale²/3. */
function normalVector({ next }: Random, scale: number): Float32Array {
  return Float32Array.from(
    { length: DIMENSIONS },
    () => scale * (next() + next() + next() + next() - 2),
  );
}

function nearCentre(): Float32Array {
  const centre = centres[random.below(CENTRES)];
  return normalVector(random, 0.4).map((x, d) => x + centre[d]);
}

/** Frequent words are frequent: the share of word w falls as 1 / w. */
function word(): string {
  return `w${Math.floor(WORDS ** random.next())}`;
}

function text(): string {
  return Array.from({ length: TEXT_WORDS }, word).join(" ");
}

function body(batch: number): Buffer {
  const rows = Array.from({ length: BATCH }, (_, i) => {
    const id = batch * BATCH + i;
    const rest = `"text":"${text()}","group":"g${id % 100}","n":${id}`;
    return `{"id":${id},"vector":${vectorBase64(nearCentre())},${rest}}`;
  });
  const schema = `{"text":{"type":"string","full_text_search":true}}`;
  const head = `{"distance_metric":"cosine_distance","schema":${schema}`;
  return Buffer.from(`${head},"upsert_rows":[${rows.join()}]}`);
}

async function fill(server: BenchServer): Promise<void> {
  const start = performance.now();
  await onConnections(server.url, 2, async (connection, index) => {
    for (let batch = index; batch < documentCount / BATCH; batch += 2) {
      await connection.send(prepare("/v2/namespaces/n", body(batch)));
    }
  });
  const seconds = () => ((performance.now() - start) / 1000).toFixed(1);
  console.log(`ingested in ${seconds()} s, bodies made meanwhile`);
  for (;;) {
    const answer = await fetch(`${server.url}/v1/namespaces/n/metadata`);
    const { index } = (await answer.json()) as { index: { status: string } };
    if (index.status === "up-to-date") break;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  console.log(`indexed in ${seconds()} s from the first byte`);
}

/** A store that is far away. */
class RemoteStore implements ObjectStore {
  readonly #store: ObjectStore;
  requests = 0;
  bytes = 0;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  async get(key: ObjectKey) {
    await this.#travel();
    return this.#store.get(key);
  }

  async getRange(key: ObjectKey, start: number, end: number) {
    await this.#travel();
    const bytes = await this.#store.getRange(key, start, end);
    this.bytes += bytes?.length ?? 0;
    return bytes;
  }

  async list(request: ListRequest) {
    await this.#travel();
    return this.#store.list(request);
  }

  put(...parts: Parameters<ObjectStore["put"]>) {
    return this.#store.put(...parts);
  }

  delete(key: ObjectKey) {
    return this.#store.delete(key);
  }

  async #travel(): Promise<void> {
    this.requests++;
    await new Promise((resolve) => setTimeout(resolve, DELAY_MS));
  }
}

const KINDS: readonly (readonly [name: string, query: () => object])[] = [
  ["ANN", () => ({ rank_by: ["vector", "ANN", [...nearCentre()]] })],
  [
    "ANN, filter of 10 %",
    () => ({
      rank_by: ["vector", "ANN", [...nearCentre()]],
      filters: ["n", "Lt", documentCount / 10],
    }),
  ],
  ["BM25, three words", () => ({ rank_by: ["text", "BM25", `${word()} ${word()} ${word()}`] })],
  ["kNN", () => ({ rank_by: ["vector", "kNN", [...nearCentre()]], filters: ["n", "Gte", 0] })],
];

async function measure(dataDir: string): Promise<void> {
  const remote = new RemoteStore(await FsObjectStore.open({ root: dataDir, random: systemRandom }));
  const engine = await EngineFixture.open({
    store: remote,
    clock: systemClock,
    cacheBytes: 3 * GIB,
    arenaBytes: GIB,
    kernel: await compileKernel("auto"),
  });
  const ask = async (query: object) => {
    const asked = { ...query, limit: 10, include_attributes: ["text"] };
    const before = { requests: remote.requests, bytes: remote.bytes };
    const start = performance.now();
    const cpu = process.cpuUsage();
    const { status, json } = await engine.call("query", "n", asked);
    const ms = performance.now() - start;
    const { user, system } = process.cpuUsage(cpu);
    if (status !== 200) throw new Error(JSON.stringify(json));
    const mib = (remote.bytes - before.bytes) / 2 ** 20;
    return { ms, cpuMs: (user + system) / 1000, mib, requests: remote.requests - before.requests };
  };
  const [, first] = KINDS[0];
  const opening = await ask(first());
  console.log(`first query of a process, with opening: ${opening.ms.toFixed(0)} ms`);
  const lines: unknown[][] = [];
  for (const [name, query] of KINDS) {
    const cold: Awaited<ReturnType<typeof ask>>[] = [];
    const warm: number[] = [];
    for (let round = 0; round < (name === "kNN" ? 3 : ROUNDS); round++) {
      await engine.call("purge_cache", "n");
      const asked = query();
      cold.push(await ask(asked));
      warm.push((await ask(asked)).ms);
    }
    const of = (values: readonly number[], share: number) => percentile(values, share).toFixed(1);
    const times = cold.map(({ ms }) => ms);
    const requests = percentile(
      cold.map((one) => one.requests),
      0.5,
    );
    const mib = of(
      cold.map((one) => one.mib),
      0.5,
    );
    const cpuMs = of(
      cold.map((one) => one.cpuMs),
      0.5,
    );
    lines.push([name, of(times, 0.5), of(times, 0.9), cpuMs, requests, mib, of(warm, 0.5)]);
  }
  const heads = ["query", "cold p50 ms", "p90 ms", "CPU ms", "requests", "MiB", "again p50 ms"];
  printTable(heads, lines);
  await engine.close();
}

if (directory === undefined || !existsSync(directory)) {
  const server = directory === undefined ? await benchServer() : await benchServerIn(directory);
  await fill(server);
  await server.stop();
  await measure(server.dataDir);
  if (directory === undefined) await server.remove();
} else {
  await measure(directory);
}
process.exit(0);
