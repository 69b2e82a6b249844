/**
 * Memory of a server with many small namespaces: 10,000 of 20 documents each, written one after the
 * other, then a restart and a query of each. Run: `node bench/http-namespaces.ts [namespaces]`
 * (Node >= 24). Prints MiB as the kernel counts them (VmRSS).
 */

import { readFileSync } from "node:fs";
import {
  type BenchServer,
  benchServer,
  onConnections,
  prepare,
  printTable,
} from "./http-harness.ts";

const CONNECTIONS = 4;
const SETTLE_MS = 25_000;
const namespaceCount = Number(process.argv[2] ?? 10_000);

function residentMib(server: BenchServer): number {
  const text = readFileSync(`/proc/${server.process.pid}/status`, "utf8");
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(text)?.[1]) / 1024);
}

const rows = Array.from({ length: 20 }, (_, id) => ({ id, title: `document ${id}`, n: id }));
const write = Buffer.from(JSON.stringify({ upsert_rows: rows }));
const query = Buffer.from(JSON.stringify({ rank_by: ["n", "desc"], limit: 3 }));

/** Sends a body to every namespace; returns the seconds. */
async function toAll(server: BenchServer, path: string, body: Buffer): Promise<number> {
  const start = performance.now();
  await onConnections(server.url, CONNECTIONS, async (connection, index) => {
    for (let i = index; i < namespaceCount; i += CONNECTIONS) {
      await connection.send(prepare(`/v2/namespaces/tenant-${i}${path}`, body));
    }
  });
  return (performance.now() - start) / 1000;
}

const settle = () => new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
const server = await benchServer();
const lines: unknown[][] = [["started", residentMib(server), ""]];
const written = await toAll(server, "", write);
lines.push(["all written", residentMib(server), `${written.toFixed(1)} s`]);
await settle();
lines.push(["some time later", residentMib(server), ""]);
await server.stop();
const again = await server.restart();
lines.push(["restarted", residentMib(again), ""]);
const queried = await toAll(again, "/query", query);
lines.push(["all queried", residentMib(again), `${queried.toFixed(1)} s`]);
await settle();
lines.push(["some time later", residentMib(again), ""]);
printTable(["", "MiB", "took"], lines);
await again.remove();
