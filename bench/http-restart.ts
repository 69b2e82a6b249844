/**
 * Time from the start of the process to the banner, and to the first answer of a query, over
 * 50,000 documents of 256 dimensions with text, after a stop and after a kill. Run: `node
 * bench/http-restart.ts` (Node >= 24). Prints the median of 5 restarts each.
 */

import {
  benchServer,
  median,
  onConnections,
  postJson,
  prepare,
  printTable,
  randomVectors,
  timed,
  vectorBase64,
} from "./http-harness.ts";

const DOCUMENTS = 50_000;
const BATCH = 2500;
const RUNS = 5;
const PATH = "/v2/namespaces/restart";

const vectors = randomVectors(BATCH, 256).map(vectorBase64);
let server = await benchServer();
await onConnections(server.url, 1, async (connection) => {
  for (let from = 0; from < DOCUMENTS; from += BATCH) {
    const rows = vectors.map((vector, i) => {
      const id = from + i;
      const text = `some words of document ${id % 977}`;
      return `{"id":${id},"vector":${vector},"text":"${text}","n":${id % 9}}`;
    });
    const schema = '"schema":{"text":{"type":"string","full_text_search":true}}';
    const head = `{"distance_metric":"cosine_distance",${schema},"upsert_rows":[`;
    await connection.send(prepare(PATH, Buffer.from(`${head}${rows.join()}]}`)));
  }
});

const lines: unknown[][] = [];
for (const way of ["stop", "kill"] as const) {
  const starts: number[] = [];
  const answers: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    if (way === "kill") await server.kill();
    else await server.stop();
    const startMs = performance.now();
    const start = await timed(async () => {
      server = await server.restart();
    });
    starts.push(start);
    await postJson(server.url, `${PATH}/query`, { rank_by: ["text", "BM25", "words"], limit: 10 });
    answers.push(performance.now() - startMs);
  }
  lines.push([way, median(starts).toFixed(0), median(answers).toFixed(0)]);
}
printTable(["after a", "banner ms", "first answer ms"], lines);
await server.remove();
