/**
 * Durable ingest of documents with 768 dimensions, as JSON numbers and as base64: documents per
 * second from the first byte sent to the last acknowledgement, with 2 writes of 1,000 documents
 * under way at once. Run: `node bench/http-ingest.ts` (Node >= 24). Client and server share the
 * machine; bodies are prepared beforehand. Prints the median of 5 runs, each over a new namespace,
 * after a warm-up.
 */

import {
  benchServer,
  median,
  onConnections,
  prepare,
  printTable,
  randomVectors,
  timed,
  vectorBase64,
  vectorJson,
} from "./http-harness.ts";

const DIMENSIONS = 768;
const BATCH = 1000;
const BATCHES = 20;
const RUNS = 5;
const CONNECTIONS = 2;

const vectors = randomVectors(BATCH, DIMENSIONS);

/** Bodies of one run: the same vectors in each batch, under other ids. */
function bodies(spell: (vector: Float32Array) => string): Buffer[] {
  const spelled = vectors.map(spell);
  return Array.from({ length: BATCHES }, (_, batch) => {
    const rows = spelled.map((vector, i) => `{"id":${batch * BATCH + i},"vector":${vector}}`);
    return Buffer.from(`{"distance_metric":"cosine_distance","upsert_rows":[${rows.join()}]}`);
  });
}

const lines: unknown[][] = [];
for (const [form, spell] of [
  ["JSON numbers", vectorJson],
  ["base64", vectorBase64],
] as const) {
  const server = await benchServer();
  const prepared = bodies(spell);
  const run = (name: string) => {
    const path = `/v2/namespaces/${name}`;
    return timed(() =>
      onConnections(server.url, CONNECTIONS, async (connection, index) => {
        for (let i = index; i < BATCHES; i += CONNECTIONS) {
          await connection.send(prepare(path, prepared[i]));
        }
      }),
    );
  };
  await run("warm-up");
  const rates: number[] = [];
  for (let i = 0; i < RUNS; i++) rates.push((BATCH * BATCHES * 1000) / (await run(`run-${i}`)));
  const megabytes = prepared.reduce((sum, body) => sum + body.length, 0) / 1e6;
  const perDocument = (megabytes * 1e6) / BATCH / BATCHES;
  lines.push([
    form,
    Math.round(median(rates)),
    Math.round((median(rates) * perDocument) / 1e6),
    rates.map(Math.round).join(" "),
    Math.round(server.peakMemoryMib()),
  ]);
  await server.remove();
}
printTable(["vectors", "documents/s", "MB/s of body", "runs", "peak MiB"], lines);
