/**
 * HTTP floor: lookups by id per second, the least work that a query can be, at 1, 8 and 32
 * connections, over 10,000 documents. Run: `node bench/http-floor.ts` (Node >= 24). Client and
 * server share the machine. Prints the median of 5 runs of 2 s each, after a warm-up.
 */

import {
  benchServer,
  median,
  onConnections,
  postJson,
  prepareJson,
  printTable,
} from "./http-harness.ts";

const DOCUMENTS = 10_000;
const RUN_MS = 2000;
const RUNS = 5;
const PATH = "/v2/namespaces/floor";

const server = await benchServer();
const ids = Array.from({ length: DOCUMENTS }, (_, id) => id);
await postJson(server.url, PATH, {
  upsert_columns: { id: ids, name: ids.map((id) => `document ${id}`) },
});
const requests = ids.map((id) =>
  prepareJson(`${PATH}/query`, {
    filters: ["id", "Eq", id],
    limit: 1,
    include_attributes: ["name"],
  }),
);

async function lookupsPerSecond(connections: number): Promise<number> {
  let done = 0;
  const startMs = performance.now();
  await onConnections(server.url, connections, async (connection, index) => {
    for (let i = index; performance.now() - startMs < RUN_MS; i += connections) {
      await connection.send(requests[i % DOCUMENTS]);
      done++;
    }
  });
  return (done * 1000) / (performance.now() - startMs);
}

await lookupsPerSecond(8);
const lines: unknown[][] = [];
for (const connections of [1, 8, 32]) {
  const rates: number[] = [];
  for (let run = 0; run < RUNS; run++) rates.push(await lookupsPerSecond(connections));
  lines.push([connections, Math.round(median(rates)), rates.map(Math.round).join(" ")]);
}
printTable(["connections", "lookups/s", "runs"], lines);
await server.remove();
