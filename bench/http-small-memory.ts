/**
 * A namespace of ten times the memory that a server may plan with: resident memory, and queries
 * that look at random documents. Run: `node bench/http-small-memory.ts [documents] [limit]` (Node
 * >= 24). By default the server gets 256 MiB, the least there is, and 1,250,000 documents of 2 KiB.
 */

import { readFileSync } from "node:fs";
import { seededRandom } from "../src/base/random.ts";
import { benchServer, childOf, median, onConnections, prepare } from "./http-harness.ts";

const BATCH = 2_000;
const documentCount = Number(process.argv[2] ?? 1_250_000);
const random = seededRandom(1);
const server = await benchServer("--memory-limit", process.argv[3] ?? "256MiB");
const pid = server.process.pid ?? 0;
const mib = (field: string, of = pid) => {
  const text = readFileSync(`/proc/${of}/status`, "utf8");
  return Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(text)?.[1]) / 1024);
};

function body(batch: number): Buffer {
  const rows = Array.from({ length: BATCH }, (_, i) => {
    const text = Buffer.from(random.bytes(1500)).toString("base64");
    return { id: batch * BATCH + i, n: random.below(1_000_000), text };
  });
  const schema = { text: { type: "string", filterable: false } };
  return Buffer.from(JSON.stringify({ upsert_rows: rows, schema }));
}

async function send(batch: number, put: (body: Buffer) => Promise<unknown>): Promise<void> {
  const prepared = body(batch);
  for (;;) {
    try {
      await put(prepared);
      return;
    } catch (error) {
      // The memory for new documents is full until the indexer has taken some over.
      if (!(error instanceof Error) || !error.message.includes(" 429")) throw error;
      waits++;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

let waits = 0;
const start = performance.now();
await onConnections(server.url, 1, async (connection) => {
  for (let batch = 0; batch < documentCount / BATCH; batch++) {
    await send(batch, (bytes) => connection.send(prepare("/v2/namespaces/n", bytes)));
  }
});
console.log(`written in s: ${((performance.now() - start) / 1000).toFixed(0)}, 429s: ${waits}`);
console.log(`raw MiB: ${((documentCount * 2016) / 2 ** 20).toFixed(0)}`);
console.log(`server MiB, peak: ${mib("VmRSS")}, ${mib("VmHWM")}`);
const times: number[] = [];
let failed = 0;
await onConnections(server.url, 1, async (connection) => {
  for (let i = 0; i < 300; i++) {
    const query = {
      rank_by: ["id", "asc"],
      filters: ["id", "Eq", random.below(documentCount)],
      limit: 1,
      include_attributes: true,
    };
    const from = performance.now();
    await connection
      .send(prepare("/v2/namespaces/n/query", Buffer.from(JSON.stringify(query))))
      .catch(() => failed++);
    times.push(performance.now() - from);
  }
});
const indexer = childOf(pid);
if (indexer !== undefined)
  console.log(`indexer MiB, peak: ${mib("VmRSS", indexer)}, ${mib("VmHWM", indexer)}`);
console.log(`lookups of random documents, ms p50: ${median(times).toFixed(1)}, failed: ${failed}`);
console.log(`server MiB, peak: ${mib("VmRSS")}, ${mib("VmHWM")}`);
await server.remove();
