/**
 * One million documents of 128 dimensions through HTTP, until they are in stored segments: times,
 * memory of server and indexer, bytes on disk, bytes written, restart, and queries cold and warm.
 * Run: `node bench/http-indexed.ts [documents]` (Node >= 24). Client, server and indexer share the
 * machine. Vectors are random around 1,000 centres, sent as base64.
 */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { namespaceName } from "../src/base/ids.ts";
import { seededRandom } from "../src/base/random.ts";
import { manifestPrefix } from "../src/storage/object-keys.ts";
import { objectKey } from "../src/storage/object-store.ts";
import { MemoryObjectStore } from "../test/support/stores/memory-object-store.ts";
import { reachableFrom } from "../test/support/stores/reachable.ts";
import {
  benchServer,
  childOf,
  median,
  onConnections,
  prepare,
  vectorBase64,
} from "./http-harness.ts";

const DIMENSIONS = 128;
const BATCH = 10_000;
const CENTRES = 1000;
const documentCount = Number(process.argv[2] ?? 1_000_000);
const random = seededRandom(1);
const centres = Array.from({ length: CENTRES }, () => gaussian(1));

function gaussian(scale: number): Float32Array {
  return Float32Array.from({ length: DIMENSIONS }, () => {
    let sum = -6;
    for (let i = 0; i < 12; i++) sum += random.next();
    return sum * scale;
  });
}

function nearCentre(): Float32Array {
  const centre = centres[random.below(CENTRES)];
  return gaussian(0.4).map((x, i) => x + centre[i]);
}

function body(batch: number): Buffer {
  const rows = Array.from({ length: BATCH }, (_, i) => {
    const id = batch * BATCH + i;
    const rest = `"title":"document ${id}","group":"g${id % 100}","n":${id}`;
    return `{"id":${id},"vector":${vectorBase64(nearCentre())},${rest}}`;
  });
  return Buffer.from(`{"distance_metric":"cosine_distance","upsert_rows":[${rows.join()}]}`);
}

/** Sizes of all files below a directory. */
function sizes(directory: string): number[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      try {
        return statSync(join(entry.parentPath, entry.name)).size;
      } catch {
        return 0; // Collected since.
      }
    });
}

/** Bytes of what the newest manifest names, itself included: what collection leaves. */
async function namedBytes(directory: string): Promise<number> {
  const generation = { name: namespaceName("n"), generation: 1 };
  const store = new MemoryObjectStore();
  for (const file of readdirSync(join(directory, manifestPrefix(generation)))) {
    const key = `${manifestPrefix(generation)}${file}`;
    await store.put(objectKey(key), readFileSync(join(directory, key)), { kind: "always" });
  }
  const named = await reachableFrom(store, generation);
  return named.reduce((sum, key) => sum + statSync(join(directory, key)).size, 0);
}

function status(pid: number, field: string): number {
  const text = readFileSync(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(text)?.[1]) / 1024);
}

/** CPU seconds of a process so far, at 100 ticks each. */
function cpuSeconds(pid: number): string {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return ((Number(fields[11]) + Number(fields[12])) / 100).toFixed(1);
}

function writtenMib(pid: number): number {
  const text = readFileSync(`/proc/${pid}/io`, "utf8");
  return Math.round(Number(/write_bytes: (\d+)/.exec(text)?.[1]) / 2 ** 20);
}

const server = await benchServer();
const pid = server.process.pid ?? 0;
const metadata = async (url: string) => (await fetch(`${url}/v1/namespaces/n/metadata`)).json();
const say = (what: string, value: unknown) => console.log(`${what}: ${value}`);
const now = () => performance.now();

const start = now();
await onConnections(server.url, 2, async (connection, index) => {
  for (let batch = index; batch < documentCount / BATCH; batch += 2) {
    await connection.send(prepare("/v2/namespaces/n", body(batch)));
  }
});
say("ingested in s, bodies made meanwhile", ((now() - start) / 1000).toFixed(1));
let index = (await metadata(server.url)) as { index: { status: string } };
while (index.index.status !== "up-to-date") {
  await new Promise((resolve) => setTimeout(resolve, 500));
  index = (await metadata(server.url)) as { index: { status: string } };
}
say("indexed in s from the first byte", ((now() - start) / 1000).toFixed(1));
const indexer = childOf(pid) ?? 0;
await new Promise((resolve) => setTimeout(resolve, 3000));
say("server peak MiB, now MiB", `${status(pid, "VmHWM")}, ${status(pid, "VmRSS")}`);
say("indexer peak MiB, now MiB", `${status(indexer, "VmHWM")}, ${status(indexer, "VmRSS")}`);
say("CPU s of server, of indexer", `${cpuSeconds(pid)}, ${cpuSeconds(indexer)}`);
say("written MiB by server, by indexer", `${writtenMib(pid)}, ${writtenMib(indexer)}`);
const raw = documentCount * (DIMENSIONS * 4 + 8 + 16 + 3 + 8);
const disk = sizes(server.dataDir).reduce((sum, size) => sum + size, 0);
say("raw MiB, on disk MiB before collection", `${(raw / 2 ** 20) | 0}, ${(disk / 2 ** 20) | 0}`);

interface Answered {
  readonly performance: object;
  readonly error?: string;
}

async function ask(url: string): Promise<number> {
  const from = now();
  const answer = await fetch(`${url}/v2/namespaces/n/query`, {
    method: "POST",
    body: JSON.stringify({
      rank_by: ["vector", "ANN", [...nearCentre()]],
      limit: 10,
      include_attributes: ["title"],
    }),
  });
  const { performance: figures, error } = (await answer.json()) as Answered;
  if (error !== undefined) throw new Error(error);
  const ms = now() - from;
  if (process.env.VERBOSE !== undefined) console.log(ms.toFixed(1), JSON.stringify(figures));
  return ms;
}

await server.stop();
say("on disk MiB after collection", ((await namedBytes(server.dataDir)) / 2 ** 20) | 0);
const restartedAt = now();
const again = await server.restart();
const readyAt = now();
const cold = await ask(again.url);
say("restart to ready ms, then the first query ms", `${(readyAt - restartedAt) | 0}, ${cold | 0}`);
const second: number[] = [];
for (let i = 0; i < 20; i++) second.push(await ask(again.url));
say("next 20 queries p50 ms", median(second).toFixed(1));
say("server now MiB", status(again.process.pid ?? 0, "VmRSS"));
await again.remove();
