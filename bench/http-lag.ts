/**
 * Lag of the main thread's event loop under mixed load: 2 clients write batches of 500 documents
 * with 256 dimensions and text, 4 clients run vector, text and aggregate queries, for 10 s. The lag
 * is the server's own figure, sampled each second from /metrics. Run: `node bench/http-lag.ts`
 * (Node >= 24). Prints the median and the greatest of the p99 of all seconds, and as a control the
 * lag of a thread that does nothing, and how long the main thread ran and waited for a core: what
 * the machine's own scheduling costs while all this runs.
 */

import { Worker } from "node:worker_threads";

import {
  benchServer,
  type Connection,
  median,
  onConnections,
  percentile,
  prepareJson,
  printTable,
  randomVectors,
  timed,
} from "./http-harness.ts";

const SECONDS = 10;
const BATCH = 500;
const PATH = "/v2/namespaces/lag";
const WORDS = "river stone light winter garden letter window paper silver ocean".split(" ");

const server = await benchServer();
const vectors = randomVectors(BATCH, 256).map((vector) => [...vector]);
const text = (i: number) =>
  Array.from({ length: 20 }, (_, k) => WORDS[(i * 7 + k * k) % 10]).join(" ");
const batches = Array.from({ length: 8 }, (_, batch) =>
  prepareJson(PATH, {
    distance_metric: "cosine_distance",
    schema: { text: { type: "string", full_text_search: true } },
    upsert_rows: vectors.map((vector, i) => ({
      id: batch * BATCH + i,
      vector,
      text: text(i),
      n: i % 9,
    })),
  }),
);
const queries = [
  { rank_by: ["vector", "ANN", vectors[0]], limit: 10, include_attributes: ["text"] },
  { rank_by: ["text", "BM25", "silver ocean light"], limit: 10 },
  { aggregate_by: { all: ["Count"], sum: ["Sum", "n"] }, group_by: ["n"] },
  { rank_by: ["n", "desc"], limit: 1000, include_attributes: true },
].map((body) => prepareJson(`${PATH}/query`, body));

async function lagMs(): Promise<number> {
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  return Number(/^trawl_event_loop_lag_p99_seconds\S* (\S+)/m.exec(metrics)?.[1]) * 1000;
}

const CONTROL = `
  const { parentPort } = require("node:worker_threads");
  const lag = require("node:perf_hooks").monitorEventLoopDelay({ resolution: 10 });
  lag.enable();
  parentPort.on("message", () => parentPort.postMessage(lag.percentile(99) / 1e6 - 10));
`;
const idle = new Worker(CONTROL, { eval: true });

function idleLagMs(): Promise<number> {
  return new Promise((resolve) => {
    idle.once("message", resolve);
    idle.postMessage("tell");
  });
}

await onConnections(server.url, 1, async (connection) => {
  for (const batch of batches) await connection.send(batch);
});
await lagMs();
const before = server.mainThreadSeconds();
const lags: number[] = [];
const queryMs: number[] = [];
const endMs = performance.now() + SECONDS * 1000;
let writes = 0;
const repeat = async (
  connection: Connection,
  requests: Uint8Array[][],
  done: (ms: number) => void,
) => {
  for (let i = 0; performance.now() < endMs; i++) {
    done(await timed(() => connection.send(requests[i % requests.length])));
  }
};
const sample = async () => {
  while (performance.now() < endMs) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    lags.push(await lagMs());
  }
};
await Promise.all([
  sample(),
  onConnections(server.url, 2, (connection) => repeat(connection, batches, () => writes++)),
  onConnections(server.url, 4, (connection) =>
    repeat(connection, queries, (ms) => queryMs.push(ms)),
  ),
]);
const after = server.mainThreadSeconds();
printTable(
  [
    "lag p99 ms (median)",
    "lag p99 ms (greatest)",
    "idle thread's ms",
    "main ran s",
    "waited s",
    "documents/s",
    "queries/s",
    "query p50 ms",
    "query p99 ms",
  ],
  [
    [
      median(lags).toFixed(1),
      Math.max(...lags).toFixed(1),
      (await idleLagMs()).toFixed(1),
      (after.ran - before.ran).toFixed(1),
      (after.waited - before.waited).toFixed(1),
      Math.round((writes * BATCH) / SECONDS),
      Math.round(queryMs.length / SECONDS),
      median(queryMs).toFixed(1),
      percentile(queryMs, 0.99).toFixed(1),
    ],
  ],
);
await server.remove();
await idle.terminate();
