/**
 * Latency of queries while the indexer builds: one client asks one namespace, first with the server
 * idle, then while the indexer writes another namespace anew for a new index. Run: `node
 * bench/http-while-indexing.ts` (Node >= 24). Client, server and indexer share the machine. The
 * asked namespace has 100,000 documents of 128 dimensions in stored segments, the other one 400,000
 * with a text.
 */

import { seededRandom } from "../src/base/random.ts";
import {
  type BenchServer,
  benchServer,
  type Connection,
  onConnections,
  prepare,
  prepareJson,
  printTable,
  vectorBase64,
} from "./http-harness.ts";

const DIMENSIONS = 128;
const BATCH = 10_000;
const IDLE_QUERIES = 2_000;
const random = seededRandom(1);
const words = Array.from({ length: 5_000 }, (_, i) => `word${i.toString(36)}`);

const vector = () => Float32Array.from({ length: DIMENSIONS }, () => random.next() - 0.5);

function vectors(batch: number): Buffer {
  const rows = Array.from({ length: BATCH }, (_, i) => {
    return `{"id":${batch * BATCH + i},"vector":${vectorBase64(vector())},"n":${i}}`;
  });
  return Buffer.from(`{"distance_metric":"cosine_distance","upsert_rows":[${rows.join()}]}`);
}

function texts(batch: number): Buffer {
  const rows = Array.from({ length: BATCH }, (_, i) => {
    const text = Array.from({ length: 30 }, () => words[random.below(words.length)]).join(" ");
    return { id: batch * BATCH + i, text };
  });
  const schema = { text: { type: "string", filterable: false } };
  return Buffer.from(JSON.stringify({ upsert_rows: rows, schema }));
}

async function isIndexed(server: BenchServer, name: string): Promise<boolean> {
  const answer = await fetch(`${server.url}/v1/namespaces/${name}/metadata`);
  const { index } = (await answer.json()) as { index: { status: string } };
  return index.status === "up-to-date";
}

async function fill(name: string, batches: number, body: (batch: number) => Buffer): Promise<void> {
  await onConnections(server.url, 1, async (connection) => {
    for (let batch = 0; batch < batches; batch++) {
      await connection.send(prepare(`/v2/namespaces/${name}`, body(batch)));
    }
  });
  while (!(await isIndexed(server, name))) await new Promise((done) => setTimeout(done, 200));
}

/** Milliseconds of queries, as long as `goOn` says, at a pace that leaves the server time. */
async function ask(connection: Connection, goOn: (asked: number) => boolean): Promise<number[]> {
  const times: number[] = [];
  while (goOn(times.length)) {
    const query = { rank_by: ["vector", "ANN", [...vector()]], limit: 10 };
    const request = prepareJson("/v2/namespaces/asked/query", query);
    const start = performance.now();
    await connection.send(request);
    times.push(performance.now() - start);
    await new Promise((done) => setTimeout(done, 2));
  }
  return times;
}

function share(times: readonly number[], part: number): string {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))].toFixed(2);
}

const server = await benchServer();
await fill("asked", 10, vectors);
await fill("other", 40, texts);
await onConnections(server.url, 1, async (connection) => {
  await ask(connection, (asked) => asked < 300);
  const idle = await ask(connection, (asked) => asked < IDLE_QUERIES);
  const schema = { text: { type: "string", full_text_search: true } };
  await fetch(`${server.url}/v1/namespaces/other/schema`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(schema),
  });
  let isBuilding = true;
  const watch = (async () => {
    do await new Promise((done) => setTimeout(done, 500));
    while (!(await isIndexed(server, "other")));
    isBuilding = false;
  })();
  const start = performance.now();
  const building = await ask(connection, () => isBuilding);
  const seconds = (performance.now() - start) / 1000;
  await watch;
  printTable(
    ["", "queries", "p50 ms", "p99 ms"],
    [
      ["idle", idle.length, share(idle, 0.5), share(idle, 0.99)],
      [
        `building for ${seconds.toFixed(1)} s`,
        building.length,
        share(building, 0.5),
        share(building, 0.99),
      ],
      [
        "ratio",
        "",
        (Number(share(building, 0.5)) / Number(share(idle, 0.5))).toFixed(2),
        (Number(share(building, 0.99)) / Number(share(idle, 0.99))).toFixed(2),
      ],
    ],
  );
});
await server.remove();
