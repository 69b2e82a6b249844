/**
 * What it is worth that query threads that idle take parts of a long query: exact nearest
 * neighbours over a million documents of 128 dimensions, and a filtered count of them. One client
 * asks a server with one query thread and one with two; eight clients ask two servers with two, of
 * which one does not divide queries. Run: `node bench/http-divided.ts [documents]` (Node >= 24).
 * Documents are in memory, as no indexer runs. The servers take turns, so that what else the
 * machine does hits both alike; prints medians, and the ratio of each of the rounds.
 */

import type { ReplacedConfig } from "../test/support/servers/replaced-config.ts";
import {
  type BenchServer,
  median,
  onConnections,
  prepare,
  prepareJson,
  printTable,
  randomVectors,
  replacedServer,
  vectorBase64,
} from "./http-harness.ts";

const DOCUMENTS = Number(process.argv[2] ?? 1_000_000);
const BATCH = 10_000;
const ROUND_MS = 2000;
const ROUNDS = 7;
const PATH = "/v2/namespaces/divided";

const vectors = randomVectors(BATCH + 1, 128);
const QUERIES = {
  kNN: {
    rank_by: ["vector", "kNN", [...vectors[BATCH]]],
    filters: ["n", "Gte", 0],
    limit: 10,
  },
  "filtered count": {
    aggregate_by: { count: ["Count"] },
    filters: [
      "And",
      [
        ["n", "Gt", 100],
        ["price", "Lt", 90.5],
        ["Not", ["color", "In", ["color 3", "color 14", "color 15"]]],
        ["stock", "NotEq", 5],
      ],
    ],
  },
};

function batchBody(batch: number): Buffer {
  const rows = vectors.slice(0, BATCH).map((vector, i) => {
    const id = batch * BATCH + i;
    const rest = `"n":${id % 10_007},"price":${(id * 31) % 101}.25,"stock":${(id * 17) % 211}`;
    return `{"id":${id},"vector":${vectorBase64(vector)},"color":"color ${id % 97}",${rest}}`;
  });
  const schema = `"schema":{"price":"float"}`;
  return Buffer.from(
    `{"distance_metric":"euclidean_squared",${schema},"upsert_rows":[${rows.join()}]}`,
  );
}

async function loadedServer(threads: string, replaced?: ReplacedConfig): Promise<BenchServer> {
  const server = await replacedServer(replaced, "--indexer", "off", "--query-threads", threads);
  await onConnections(server.url, 1, async (connection) => {
    for (let batch = 0; batch < DOCUMENTS / BATCH; batch++) {
      await connection.send(prepare(PATH, batchBody(batch)));
    }
  });
  return server;
}

/** Milliseconds for each query, all clients together. */
async function msPerQuery(server: BenchServer, query: object, clients: number): Promise<number> {
  const request = prepareJson(`${PATH}/query`, query);
  let done = 0;
  const startMs = performance.now();
  await onConnections(server.url, clients, async (connection) => {
    while (performance.now() - startMs < ROUND_MS) {
      // A busy machine may let a query wait for its slots for too long.
      if (await connection.send(request).then(() => true, isOverload)) done++;
    }
  });
  return (performance.now() - startMs) / done;
}

function isOverload(error: Error): boolean {
  if (error.message.startsWith("HTTP/1.1 429")) return false;
  throw error;
}

/** How much faster the second server is. */
async function compare(servers: readonly BenchServer[], clients: number): Promise<unknown[][]> {
  const lines: unknown[][] = [];
  for (const [kind, query] of Object.entries(QUERIES)) {
    const times: number[][] = servers.map(() => []);
    // The first round warms up.
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [i, server] of servers.entries()) {
        const ms = await msPerQuery(server, query, clients);
        if (round > 0) times[i].push(ms);
      }
    }
    const ratios = times[0].map((ms, round) => ms / times[1][round]);
    const [first, second] = times.map((each) => median(each).toFixed(2));
    const all = ratios.map((ratio) => ratio.toFixed(2)).join(" ");
    lines.push([kind, clients, first, second, median(ratios).toFixed(2), all]);
  }
  return lines;
}

const alone = await loadedServer("1");
const divided = await loadedServer("2");
const one = await compare([alone, divided], 1);
await alone.remove();
const undivided = await loadedServer("2", { engine: { dividesQueries: false } });
const eight = await compare([undivided, divided], 8);
const heads = ["clients", "ms", "ms divided", "ratio", "of each round"];
printTable(["against one thread", ...heads], one);
printTable(["against two that do not help", ...heads], eight);
for (const server of [divided, undivided]) await server.remove();
