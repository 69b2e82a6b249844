/**
 * Throughput of one namespace with one query thread and with two: exact nearest neighbours over
 * 50,000 documents of 768 dimensions, and BM25 of a union of frequent words. The queries are heavy,
 * so the client costs next to nothing. Run: `node bench/http-threads.ts` (Node >= 24). Prints
 * queries per second, the median of 5 runs of 3 s each, the two servers in turns.
 */

import {
  type BenchServer,
  benchServer,
  median,
  onConnections,
  prepare,
  prepareJson,
  printTable,
  randomVectors,
  vectorBase64,
} from "./http-harness.ts";

const DOCUMENTS = 50_000;
const BATCH = 2500;
const RUN_MS = 3000;
const RUNS = 5;
const PATH = "/v2/namespaces/threads";
const WORDS = Array.from({ length: 200 }, (_, i) => `word${i}`);

const vectors = randomVectors(BATCH, 768);
const text = (i: number) =>
  Array.from(
    { length: 60 },
    (_, k) => WORDS[(i * 31 + k * k * 17) % (k % 3 === 0 ? 10 : 200)],
  ).join(" ");

const [numbers] = vectors;
const KINDS = {
  "vectors, exact": {
    rank_by: ["vector", "kNN", [...numbers]],
    filters: ["id", "Gte", 0],
    limit: 10,
  },
  "BM25 of 8 words": { rank_by: ["text", "BM25", WORDS.slice(0, 8).join(" ")], limit: 10 },
};

async function loadedServer(threads: number): Promise<BenchServer> {
  const server = await benchServer("--query-threads", String(threads));
  await onConnections(server.url, 1, async (connection) => {
    for (let from = 0; from < DOCUMENTS; from += BATCH) {
      const rows = vectors.map((vector, i) => {
        const id = from + i;
        return `{"id":${id},"vector":${vectorBase64(vector)},"text":"${text(id)}"}`;
      });
      const schema = '"schema":{"text":{"type":"string","full_text_search":true}}';
      const head = `{"distance_metric":"euclidean_squared",${schema},"upsert_rows":[`;
      await connection.send(prepare(PATH, Buffer.from(`${head}${rows.join()}]}`)));
    }
  });
  return server;
}

async function queriesPerSecond(server: BenchServer, query: object): Promise<number> {
  const request = prepareJson(`${PATH}/query`, query);
  let done = 0;
  const startMs = performance.now();
  await onConnections(server.url, 4, async (connection) => {
    while (performance.now() - startMs < RUN_MS) {
      await connection.send(request);
      done++;
    }
  });
  return (done * 1000) / (performance.now() - startMs);
}

const servers = [await loadedServer(1), await loadedServer(2)];
const lines: unknown[][] = [];
for (const [kind, query] of Object.entries(KINDS)) {
  const rates: number[][] = [[], []];
  // In turns, so that what else the machine does hits both alike; the first run warms up.
  for (let run = 0; run <= RUNS; run++) {
    for (const [i, server] of servers.entries()) {
      const rate = await queriesPerSecond(server, query);
      if (run > 0) rates[i].push(rate);
    }
  }
  const [one, two] = rates.map(median);
  const ratios = rates[1].map((rate, i) => (rate / rates[0][i]).toFixed(2)).join(" ");
  lines.push([kind, one.toFixed(1), two.toFixed(1), (two / one).toFixed(2), ratios]);
}
printTable(["query", "1 thread, queries/s", "2 threads, queries/s", "ratio", "runs"], lines);
for (const server of servers) await server.remove();
