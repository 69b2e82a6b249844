/**
 * Latency of a write of one document, durable on the local disk: one client, one write at a time,
 * and 8 clients that share commits. Run: `node bench/http-write-latency.ts` (Node >= 24). Prints
 * the median over 3 runs of each percentile.
 */

import {
  benchServer,
  median,
  onConnections,
  percentile,
  prepareJson,
  printTable,
  timed,
} from "./http-harness.ts";

const WRITES = 1000;
const RUNS = 3;
const PATH = "/v2/namespaces/latency";

const server = await benchServer();

async function latencies(connections: number): Promise<number[]> {
  const all: number[] = [];
  await onConnections(server.url, connections, async (connection, index) => {
    for (let i = index; i < WRITES; i += connections) {
      const row = { id: i, name: `document ${i}`, n: i };
      const request = prepareJson(PATH, { upsert_rows: [row] });
      all.push(await timed(() => connection.send(request)));
    }
  });
  return all;
}

await latencies(4);
const lines: unknown[][] = [];
for (const connections of [1, 8]) {
  const runs: number[][] = [];
  for (let run = 0; run < RUNS; run++) runs.push(await latencies(connections));
  const at = (share: number) => median(runs.map((run) => percentile(run, share))).toFixed(2);
  lines.push([connections, at(0.5), at(0.9), at(0.99), at(1)]);
}
printTable(["clients", "p50 ms", "p90 ms", "p99 ms", "max ms"], lines);
await server.remove();
